"""``kakurenbo status``: how far an entry is, and its outcome."""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

from kakurenbo.exit_codes import DONE, REFUSED
from kakurenbo.main import UsageError
from kakurenbo.place import ChosenRound, add_place_arguments, find_place

POLL_SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entry", type=int, nargs="?", help="id of an entry (default: your newest)")
    parser.add_argument("--follow", action="store_true", help="stay until the result is there")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    place = find_place(arguments)
    number = arguments.entry if arguments.entry is not None else _newest(place)
    if arguments.follow:
        return follow(place, number)
    entry = _entry(place, number)
    print(_progress(entry))
    print("\n".join(_result(entry)))
    return _exit_code(entry)


def follow(place: ChosenRound, number: int) -> int:
    """Print every step until nothing is left to wait for; 1 where the entry is not valid."""
    last = ""
    while True:
        entry = _entry(place, number)
        line = _progress(entry)
        if line != last:
            print(line, flush=True)
            last = line
        if entry["is_settled"]:
            print("\n".join(_result(entry)))
            return _exit_code(entry)
        time.sleep(POLL_SECONDS)


def _newest(place: ChosenRound) -> int:
    rows = place.client.get(f"{place.path}entries/", page_size=1)["results"]
    if not rows:
        raise UsageError("Your team has no entry in this round yet.")
    return int(rows[0]["id"])


def _entry(place: ChosenRound, number: int) -> dict[str, Any]:
    found: dict[str, Any] = place.client.get(f"{place.path}entries/{number}/")
    return found


def _exit_code(entry: dict[str, Any]) -> int:
    return REFUSED if entry["state"] in {"invalid", "failed"} else DONE


def _progress(entry: dict[str, Any]) -> str:
    steps = ", ".join(
        f"{step['label'].lower()} {step['detail'] or step['status']}".strip() for step in entry["steps"]
    )
    waiting = f", place {entry['queue_position']} in the queue" if entry.get("queue_position") else ""
    left = f", about {math.ceil(entry['seconds_left'])} s left" if entry.get("seconds_left") else ""
    if entry.get("seconds_at_most"):
        left += f", up to {math.ceil(entry['seconds_at_most'])} s"
    return f"#{entry['number']} {entry['state']} {entry['progress']} %: {steps}{waiting}{left}"


def _result(entry: dict[str, Any]) -> list[str]:
    if "measures" in entry:
        return _result_of_game(entry)
    lines = [f"Scored as team {entry['team']}." if entry["scores"] else f"Team {entry['team']}."]
    for score in entry["scores"]:
        limit = f"{score['limit']:g} {score['unit']}".strip()
        sign = "ok" if score["ok"] else "over its limit"
        lines.append(f"  {score['name']:<12} {score['value']:>12.6g} of {limit}: {sign}")
    lines += [f"  {reason}" for reason in entry["because"]]
    lines += [f"  {located(problem)}" for problem in entry["problems"]]
    for run in entry["attack_runs"]:
        found = f"{run['hits']} found" if run["hits"] is not None else run["state"]
        lines.append(f"  attack {run['title']}: {found}")
    if entry["total"] is not None:
        place = f", rank {entry['rank']}" if entry["rank"] else ""
        lines.append(f"Total {entry['total']:.3f}{place}.")
    return [*lines, *_instead(entry)]


def _result_of_game(entry: dict[str, Any]) -> list[str]:
    lines = [f"{'Scored as team' if entry['measures'] else 'Team'} {entry['team']}."]
    lines += [f"  {name:<16} {_figure(value):>12}" for name, value in entry["measures"].items()]
    lines += [f"  {reason}" for reason in entry["because"]]
    lines += [f"  {located(problem)}" for problem in entry["problems"]]
    for run in entry["attack_runs"]:
        found = f"risk {_figure(run['risk'])}" if run["state"] == "done" else run["state"]
        lines.append(f"  attack {run['title']}, {run['challenge']}: {found}")
    if entry["utility"] is not None:
        lines.append(f"Utility {_figure(entry['utility'])}.")
    return [*lines, *_instead(entry)]


def _instead(entry: dict[str, Any]) -> list[str]:
    """Which entry counts instead of this one; sites of before do not say so."""
    instead = entry.get("counts_instead")
    return [instead["text"]] if instead else []


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def located(problem: dict[str, Any]) -> str:
    where = problem["file"]
    if problem["line"] is not None:
        where += f", line {problem['line']}"
    if problem["column"] is not None:
        where += f", column {problem['column']}"
    got = "" if problem["got"] is None else f"got '{problem['got']}', "
    return f"{where}: {got}expected {problem['expected']}. [{problem['code']}]"
