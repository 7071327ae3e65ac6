"""The tasks that the house makes: which generator with which ε, and the files of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from datasets.problems import BadFiles, Findings
from games.contract.files import NOT_IN_FILE
from games.contract.tables import Columns
from games.seek.drawing import draw_task
from games.seek.synthesis import GENERATORS, UNSEEDED, words_of

from .loose import UNIT, BadTable

FILES = ("released.csv", "candidates.csv", "units.txt", "known.txt", "truth.txt", "training.csv")
"""Of a task. An open one has ``known.txt``, any other ``truth.txt``."""
PRIVATE = ("chain", "marginals", "opendp")
"""The generators that have an ε."""


class Plan(NamedTuple):
    """A task to be made."""

    key: str
    generator: str
    epsilon: float
    is_open: bool


def planned(params: Mapping[str, Any]) -> list[Plan]:
    """For every generator, and ε where it has one, so many tasks that count and so many open ones.

    >>> params = {"generators": "tree, chain", "epsilons": "1, 10", "splits": 1, "open-splits": 0}
    >>> [plan.key for plan in planned(params)]
    ['tree_1', 'chain_eps1_1', 'chain_eps10_1']
    """
    plans = []
    for generator in words_of(params["generators"]):
        if generator not in GENERATORS and generator not in UNSEEDED:
            known = ", ".join([*GENERATORS, *UNSEEDED])
            raise BadTable(f"generators: got {generator!r}, expected some of {known}.")
        for epsilon in words_of(params["epsilons"]) if generator in PRIVATE else ("",):
            base = f"{generator}_eps{epsilon}" if epsilon else generator
            value = _positive(epsilon) if epsilon else 0.0
            for is_open, count in ((False, params["splits"]), (True, params["open-splits"])):
                word = "open" if is_open else ""
                plans += [Plan(f"{base}_{word}{number}", generator, value, is_open)
                          for number in range(1, count + 1)]  # fmt: skip
    if len({plan.key for plan in plans}) < len(plans) or not any(not plan.is_open for plan in plans):
        raise BadTable("generators, epsilons: expected at least one, and none of them twice.")
    return plans


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf") or text.strip("0123456789."):
        raise BadTable(f"epsilons: got {text!r}, expected positive numbers such as 0.5.")
    return value


def make_task(
    plan: Plan, people: Columns, names: Sequence[str], params: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, Mapping[str, npt.NDArray[Any]]]:
    """Draw the units of a task, let the generator learn from the members, and give the task's files."""
    drawn = draw_task(
        people[UNIT], least_rows=params["least-rows"], n_asked=params["candidates"],
        n_rows=params["training-rows"], counts_all=False, rng=rng,
    )  # fmt: skip
    values = {name: people[name] for name in names}
    training = {name: cells[drawn.training] for name, cells in values.items()}
    generate = {**GENERATORS, **UNSEEDED}[plan.generator]
    order = np.argsort(people[UNIT], kind="stable")
    first, last = (np.searchsorted(people[UNIT][order], drawn.asked, side=side) for side in ("left", "right"))
    asked = np.concatenate([order[low:high] for low, high in zip(first, last, strict=True)])
    return {
        "released.csv": generate(training, values, params["released-rows"], plan.epsilon, rng),
        "candidates.csv": {name: cells[asked] for name, cells in people.items()},
        "units.txt": {UNIT: drawn.asked},
        "known.txt" if plan.is_open else "truth.txt": {"member": drawn.truth},
        "training.csv": training,
    }


def check_units(rows: npt.NDArray[Any], units: npt.NDArray[Any], names: Mapping[str, str]) -> None:
    """Every unit has candidate rows, and every candidate row a unit; raises `BadFiles`."""
    for file, cells, other, first in (
        ("candidates.csv", rows, units, 2),
        ("units.txt", units, rows, 1),
    ):
        found, known = Findings(names[file]), set(other.tolist())
        elsewhere = "units.txt" if file == "candidates.csv" else "candidates.csv"
        for line, cell in enumerate(cells.tolist(), first):
            if cell not in known:
                found.add(NOT_IN_FILE(column=UNIT, file=names[elsewhere]), line=line, column=UNIT, got=cell)
        if not found.verdict().ok:
            raise BadFiles(found.verdict())
