"""Measuring a release: several measures, one after the other, with progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datasets.tables import Dataset, Release
from scoring.measure import Measure, Measurement

Progress = Callable[[int, int, Measure | None], None]
"""Called with (measures done, measures in all, the one that starts now or None at the end)."""


def measure_release(
    original: Dataset,
    release: Release,
    measures: Sequence[Measure],
    on_progress: Progress | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Measurement]:
    """Apply every measure to a release and return the results by name.

    ``options`` maps a measure's name to its keyword options, e.g. ``{"ut-jaccard": {"vanished": "ignore"}}``.
    """
    results: dict[str, Measurement] = {}
    for done, measure in enumerate(measures):
        if on_progress is not None:
            on_progress(done, len(measures), measure)
        chosen = (options or {}).get(measure.name, {})
        results[measure.name] = measure.function(original, release.data, release.truth, **chosen)
    if on_progress is not None:
        on_progress(len(measures), len(measures), None)
    return results
