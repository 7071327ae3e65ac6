"""Results of a round as the command line prints them."""

from __future__ import annotations

import json
from typing import Any

from datasets.problems import Problem
from games.contract.values import Cell, FileVerdict
from kakurenbo.verdicts import told_kinds, told_remarks


def say_cells(cells: tuple[Cell, ...], as_json: bool) -> None:
    if as_json:
        print(json.dumps([_as_dict(cell) for cell in cells], indent=2, default=float))
        return
    for cell in cells:
        numbers = ", ".join(f"{name} {figure(value)}" for name, value in cell.result.numbers.items())
        risk, blind = figure(cell.result.risk), figure(cell.result.baseline)
        print(f"{cell.target:<20}{cell.challenge:<12} risk {risk} (blind {blind})  {numbers}")


def _as_dict(cell: Cell) -> dict[str, Any]:
    found = cell.result._asdict()
    del found["evidence"]
    return {"target": cell.target, "challenge": cell.challenge, **found, "numbers": dict(found["numbers"])}


def figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def say_problems(problems: tuple[Problem, ...], as_json: bool, verdict: FileVerdict | None = None) -> None:
    remarks = verdict.remarks if verdict else ()
    if as_json:
        told = {"remarks": [one.as_dict() for one in remarks]} if verdict else {}
        listed = [one.as_dict() for one in problems]
        print(json.dumps({"valid": not problems, **told, "problems": listed}, indent=2))
    else:
        kinds = told_kinds(verdict) if verdict else []
        print("\n".join([*told_remarks(remarks), *kinds, *map(str, problems or ["valid"])]))
