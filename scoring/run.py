"""Measuring a release: several measures, one after the other, with progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.measure import Measure, Measurement

Progress = Callable[[int, int, Measure | None], None]
"""Called with (measures done, measures in all, the one that starts now or None at the end)."""
Options = Mapping[str, Mapping[str, Any]]
"""A measure's name → its keyword options, e.g. ``{"ut-jaccard": {"vanished": "ignore"}}``."""


def measure_release(
    original: Any,
    release: Any,
    measures: Sequence[Measure],
    on_progress: Progress | None = None,
    options: Options | None = None,
) -> dict[str, Measurement]:
    """Apply every measure to a release, which has ``data`` and ``truth``, and return the results by name."""
    return measure_pair(original, release.data, release.truth, measures, on_progress, options)


def measure_pair(
    original: Any,
    released: Any,
    truth: Any,
    measures: Sequence[Measure],
    on_progress: Progress | None = None,
    options: Options | None = None,
) -> dict[str, Measurement]:
    """Apply every measure to an original and what was released of it, whatever tables the measures take."""
    results: dict[str, Measurement] = {}
    for done, measure in enumerate(measures):
        if on_progress is not None:
            on_progress(done, len(measures), measure)
        chosen = (options or {}).get(measure.name, {})
        results[measure.name] = measure.function(original, released, truth, **chosen)
    if on_progress is not None:
        on_progress(len(measures), len(measures), None)
    return results
