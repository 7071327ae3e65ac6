"""The report of a rehearsal, as text for people and as data for programs."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from typing import Any

from contest.rehearsal.outcome import Outcome


def as_text(outcome: Outcome) -> str:
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"Rehearsal of “{outcome.title}” with {outcome.teams} teams: {outcome.seconds:.0f} s"
    yield f"\nSchedule ({outcome.zone})"
    zone = zoneinfo.ZoneInfo(outcome.zone)
    for one in outcome.happened:
        yield f"  {one.at.astimezone(zone):%a %Y-%m-%d %H:%M}  {one.what}"
    yield "\nRounds"
    for played in outcome.rounds:
        yield f"  {played.name}: {played.entries} entries of teams, {played.valid} valid"
        for name, rows in played.boards.items():
            yield f"    board {name}"
            yield from (f"    {row}" for row in rows)
    yield "\nLoad: jobs, seconds each, seconds in all, failed"
    for load in outcome.loads:
        yield f"  {load.n:6}  {load.seconds:8.2f}  {load.total:8.0f}  {load.failed:4}  {load.kind}"
    yield "\nTime for the attacks"
    for it in outcome.forecasts:
        yield (
            f"  {it.round}: house attacks {it.attacks:.0f} s, programs {it.programs:.0f} s; {it.workers} "
            f"workers need {it.needed}; the phase has {it.phase if it.phase is not None else 'no end'}"
        )
    letters = ", ".join(f"{n} {kind}" for kind, n in sorted(outcome.letters.items())) or "none"
    yield f"\nLetters: {letters}"
    yield "\nWhat would have gone wrong"
    yield from (f"  - {fault}" for fault in outcome.faults or ["nothing"])


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """The same facts; durations in seconds, times with their offset."""
    return {
        "title": outcome.title,
        "time_zone": outcome.zone,
        "teams": outcome.teams,
        "seconds": round(outcome.seconds, 3),
        "schedule": [{"at": one.at.isoformat(), "what": one.what} for one in outcome.happened],
        "rounds": [vars(played) for played in outcome.rounds],
        "jobs": [{**vars(load), "seconds": round(load.seconds, 3)} for load in outcome.loads],
        "forecasts": [
            {
                **{name: getattr(it, name) for name in ("round", "attacks", "programs", "workers", "fits")},
                "needed": it.needed.total_seconds(),
                "phase": it.phase.total_seconds() if it.phase is not None else None,
            }
            for it in outcome.forecasts
        ],
        "letters": dict(sorted(outcome.letters.items())),
        "faults": outcome.faults,
    }
