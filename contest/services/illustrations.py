"""Storing the pictures of entries and of runs, beside the numbers that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contest.models import Illustration
from contest.play.pictures import Illustrated


def illustrate(
    made: Illustrated | Mapping[str, Any], *, entry: int | None = None, run: int | None = None
) -> None:
    """Store the pictures of an entry or a run in place of earlier ones."""
    data = made.as_data() if isinstance(made, Illustrated) else dict(made)
    own = {"entry_id": entry} if entry is not None else {"run_id": run}
    if data.get("drawn") or data.get("fault"):
        Illustration.objects.update_or_create(**own, defaults=data)
    else:
        Illustration.objects.filter(**own).delete()


def illustrate_new_runs(made: Iterable[tuple[int, Illustrated]]) -> None:
    """Store the pictures of runs that have none yet, at once."""
    Illustration.objects.bulk_create(
        Illustration(run_id=run, **one.as_data()) for run, one in made if one.drawn or one.fault
    )
