"""What the page of an attack shows to whom: outcomes as the round's feedback allows, logs to the owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest import access
from contest.models import Attack, AttackRun, Entry
from contest.models.round import Feedback


def band(rate: float, bands: int) -> str:
    """The band of a share found: equal parts of 0 to 100 %, each with its lower end.

    >>> band(0.25, 4), band(1.0, 4), band(0.5, 3)
    ('25–50 %', '75–100 %', '33.3–66.7 %')
    """
    place = min(bands - 1, int(bands * rate))
    low, high = (f"{100 * end / bands:.3g}" for end in (place, place + 1))
    return f"{low}–{high} %"


@dataclass(frozen=True)
class RunRow:
    """One target with as much of the outcome as this person may know."""

    run: AttackRun
    target: Entry
    hits: int | None
    rate: float | None
    band: str | None
    log: str
    reason: Any

    @property
    def is_final(self) -> bool:
        return self.run.state in AttackRun.FINAL


def attack_summary(user: access.Viewer, attack: Attack) -> dict[str, Any]:
    """An attack with what this person may see of each of its runs."""
    feedback = access.feedback_for(user, attack)
    show_log = access.owns_attack(user, attack) or access.is_organiser(user, attack.round.contest)
    runs = attack.runs.select_related("entry__team").order_by("entry__team__name", "pk")
    rows = [_row(run, feedback, attack.round.feedback_bands, show_log) for run in runs]
    done = sum(row.is_final for row in rows)
    return {
        "attack": attack,
        "rows": rows,
        "n_done": done,
        "is_settled": done == len(rows),
        "hits": sum(row.hits or 0 for row in rows) if feedback == Feedback.FULL else None,
        "feedback": feedback,
        "show_log": show_log,
        "can_organise": access.is_organiser(user, attack.round.contest),
    }


def _row(run: AttackRun, feedback: str, bands: int, show_log: bool) -> RunRow:
    full = feedback == Feedback.FULL
    banded = feedback == Feedback.BANDS and run.risk is not None
    return RunRow(
        run=run,
        target=run.entry,
        hits=run.hits if full else None,
        rate=run.risk if full else None,
        band=band(run.risk or 0.0, bands) if banded else None,
        log=run.log if show_log else "",
        reason=run.reason if show_log else "",
    )
