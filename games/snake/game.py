"""The code of SNAKE: the base table, its tasks, and what the house attacks look at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from games.contract.tables import Columns, write_table
from games.contract.values import Box, Out, Target, World
from games.seek.distances import comparable
from games.seek.drawing import draw_task
from games.seek.game import OPEN, SeekGame, require
from games.seek.signals import Exhibit
from games.seek.synthesis import GENERATORS, words_of

from .survey import AGE, HOUSEHOLD, invented, prepared

BROUGHT = {
    "synthetic.csv": "{target}_synthetic.csv",
    "targets.csv": "{target}_targets.csv",
    "targets_index.txt": "{target}_targets_index.txt",
    "known.txt": "{target}_known.txt",
    "truth.txt": "{target}_truth.txt",
    "training.csv": "{target}_training.csv",
    "seed.txt": "{target}_seed.txt",
}
"""The files of a task, by the names under which organisers bring them."""
SEEN = 20_000
"""Rows of the base table that the house attacks compare with."""


class Game(SeekGame):
    """Households in the training sets of synthetic tables."""

    answer_file = "{target}.txt"
    truth_file, open_truth_file, truth_column = "truth.txt", "known.txt", "member"
    points_file = "targets_index.txt"

    @property
    def _names(self) -> list[str]:
        """The columns of a person."""
        file = self.declaration.file("synthetic.csv", "entry")
        assert file is not None
        return [column.name for column in file.columns]

    def group_of(self, key: str, labels: Mapping[str, str]) -> str:
        return "all"

    def track_of(self, labels: Mapping[str, str], params: Mapping[str, Any]) -> str:
        return "" if OPEN in labels else "main"

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        brought = _keys(sources)
        self.check_brought(sources, brought, BROUGHT)
        if brought or "survey.csv" in sources.names():
            require(sources, "survey.csv")
            survey = self.table(sources, "survey.csv", "round")
            base = prepared(survey, self._names, params["least-age"])
        else:
            base = invented(params["households"], rng)
        write_table(out, "base.csv", base)
        values = {name: np.unique(base[name]).tolist() for name in self._names}
        schema = [(name, place, one) for name in values for place, one in enumerate(values[name])]
        columns = ("column", "place", "value")
        write_table(out, "schema.csv", dict(zip(columns, zip(*schema, strict=True), strict=True)))
        return {"households": len(np.unique(base[HOUSEHOLD])), "records": len(base[AGE])}

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        brought = _keys(world.public)
        for key in brought or _generated(world.params):
            generator, _, epsilon = key.rpartition("_")
            labels = {"generator": generator, "epsilon": epsilon}
            yield key, labels | ({OPEN: "yes"} if f"{key}_known.txt" in world.public.names() else {})

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        if entry.key in _keys(world.public):
            self.publish_brought(world, entry.key, BROUGHT, out)
        else:
            self._make(world, entry, rng, out)

    def _make(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """Draw the households of a task and let a generator of the house learn from the members."""
        params, base = world.params, self.table(world.public, "base.csv", "round")
        with out.create("seed.txt") as file:
            file.write((json.dumps(rng.bit_generator.state, sort_keys=True) + "\n").encode())
        drawn = draw_task(
            base[HOUSEHOLD], least_rows=params["least-records"], n_asked=params["targets"],
            n_rows=params["samples"], counts_all=True, rng=rng,
        )  # fmt: skip
        people = {name: base[name] for name in self._names}
        training = {name: cells[drawn.training] for name, cells in people.items()}
        generate = GENERATORS[entry.labels["generator"]]
        released = generate(training, people, params["samples"], float(entry.labels["epsilon"]), rng)
        asked = np.concatenate([np.flatnonzero(base[HOUSEHOLD] == one) for one in drawn.asked])
        write_table(out, "synthetic.csv", released)
        write_table(out, "targets.csv", {name: cells[asked] for name, cells in base.items()})
        write_table(out, "targets_index.txt", {HOUSEHOLD: drawn.asked}, header=False)
        write_table(out, "truth.txt", {"member": drawn.truth}, header=False)
        write_table(out, "training.csv", training)

    def exhibit(self, world: World, target: Target, rng: np.random.Generator) -> Exhibit:
        asked = self.table(target.published, "targets.csv")
        index = self.table(target.published, "targets_index.txt")[HOUSEHOLD].tolist()
        base: Columns = self.table(world.public, "base.csv", "round")
        seen = np.sort(rng.permutation(len(base[AGE]))[:SEEN])
        tables = (
            asked, self.table(target.published, "synthetic.csv"), {name: base[name][seen] for name in base},
        )  # fmt: skip
        categories = [name for name in self._names if name != AGE]
        rows, released, population = comparable(tables, self._names, categories)
        place = {household: number for number, household in enumerate(index)}
        units = np.array([place[household] for household in asked[HOUSEHOLD].tolist()], dtype=np.int64)
        return Exhibit(rows, units, len(index), released, population)


def _keys(box: Box) -> list[str]:
    """The tasks that organisers brought."""
    end = BROUGHT["targets_index.txt"].removeprefix("{target}")
    return [name.removesuffix(end) for name in box.names() if name.endswith(end)]


def _generated(params: Mapping[str, Any]) -> list[str]:
    """The tasks that the house makes: every generator with every ε."""
    generators, epsilons = words_of(params["generators"]), words_of(params["epsilons"])
    return [f"{generator}_{epsilon}" for generator in generators for epsilon in epsilons]
