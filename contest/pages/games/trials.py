"""Who would move by another version of a game, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contest.models import Trial

ENTRY_NUMBERS = ("measures", "parts")


def trial_shown(trial: Trial) -> dict[str, Any]:
    """The difference that a version makes, for the page: counts, places, entries and results."""
    found = {name: trial.differences.get(name, []) for name in ("places", "entries", "runs")}
    states = [(row["before"]["state"], row["after"]["state"]) for row in found["entries"]]
    moved = [row for row in found["places"] if row["before"]["place"] != row["after"]["place"]]
    return {
        "counts": {
            "moved": len(moved),
            "invalid": states.count(("valid", "invalid")),
            "valid": states.count(("invalid", "valid")),
            "results": len(found["runs"]),
        },
        "places": [{**row, "changed": list(_pairs(row, "values"))} for row in found["places"]],
        "entries": [{**row, "changed": list(_of_entry(row))} for row in found["entries"]],
        "runs": [{**row, "changed": list(_of_run(row))} for row in found["runs"]],
    }


def _of_entry(row: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for group in ENTRY_NUMBERS:
        yield from _pairs(row, group)


def _of_run(row: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    before, after = row["before"], row["after"]
    if before["baseline"] != after["baseline"]:
        yield "baseline", before["baseline"], after["baseline"]
    yield from _pairs(row, "numbers")


def _pairs(row: Mapping[str, Any], group: str) -> Iterator[tuple[str, Any, Any]]:
    """The numbers of a group that differ, with what they were."""
    before, after = row["before"].get(group) or {}, row["after"].get(group) or {}
    for name in sorted(set(before) | set(after)):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)
