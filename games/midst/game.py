"""The code of MIDST: its tasks by type, access and phase, and what the house attacks look at."""

from __future__ import annotations

import re
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

from .transactions import invented

FILES = (
    "trans_synthetic.csv", "challenge_with_id.csv", "open_label.csv", "challenge_label.csv", "open_train.csv",
    "train_with_id.csv", "tables.zip",
)  # fmt: skip
"""Of a task; organisers bring them in its folder."""
BROUGHT = {name: f"{{target}}/{name}" for name in FILES}
KEY = re.compile(r"(?P<type>[a-z0-9-]+)_(?P<access>black|white)_box/(?P<phase>[a-z0-9-]+)/[^/]+")
SHAPE = "TYPE_black_box/PHASE/MODEL/challenge_with_id.csv"
TRAIN = "train"
"""The phase of the open models."""
ID = "trans_id"
SEEN = 20_000
"""Rows of the population that the house attacks compare with."""


class Game(SeekGame):
    """Rows in the training sets of generators, pooled over all models of a type."""

    answer_file = "{target}/prediction.csv"
    truth_file, open_truth_file, truth_column = "challenge_label.csv", "open_label.csv", "is_train"
    points_file = "challenge_with_id.csv"

    def group_of(self, key: str, labels: Mapping[str, str]) -> str:
        return f"{labels['type']}_{labels['access']}_box"

    def track_of(self, labels: Mapping[str, str], params: Mapping[str, Any]) -> str:
        if OPEN in labels or labels["phase"] != params["phase"]:
            return ""
        is_multi = labels["type"] in words_of(params["multi-types"])
        return f"{labels['access']}-{'multi' if is_multi else 'single'}"

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        brought = _keys(sources)
        for key in brought:
            require(sources, f"{key}/challenge_with_id.csv" if KEY.fullmatch(key) else SHAPE)
        self.check_brought(sources, brought, BROUGHT)
        if "trans.csv" in sources.names():
            table: Columns = self.table(sources, "trans.csv", "round")
            return {"transactions": len(table[ID]), "models": len(brought)}
        if brought:
            return {"models": len(brought)}
        made = invented(params["accounts"], rng)
        write_table(out, "population.csv", made)
        return {"transactions": len(made[ID])}

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        brought = _keys(world.public)
        for key in brought or _generated(world.params):
            match = KEY.fullmatch(key)
            assert match is not None, key
            is_open = f"{key}/open_label.csv" in world.public.names() if brought else match["phase"] == TRAIN
            yield key, match.groupdict() | ({OPEN: "yes"} if is_open else {})

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        if entry.key in _keys(world.public):
            self.publish_brought(world, entry.key, BROUGHT, out)
        else:
            self._make(world, entry, rng, out)

    def _make(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """Draw the rows of a task and let a generator of the house learn from the members."""
        params, table = world.params, self._population(world)
        assert table is not None
        n_asked, n_rows = params["points"], params["rows"]
        drawn = draw_task(table[ID], least_rows=1, n_asked=n_asked, n_rows=n_rows, counts_all=False, rng=rng)
        names = [column.name for column in self._released()]
        values = {name: table[name] for name in names}
        training = {name: cells[drawn.training] for name, cells in values.items()}
        generate = GENERATORS[entry.labels["type"]]
        released = generate(training, values, n_rows, params["epsilon"], rng)
        order = np.argsort(table[ID], kind="stable")
        asked = order[np.searchsorted(table[ID][order], drawn.asked)]
        is_open = OPEN in entry.labels
        write_table(out, "trans_synthetic.csv", released)
        write_table(out, "challenge_with_id.csv", {name: cells[asked] for name, cells in table.items()})
        write_table(out, self.open_truth_file if is_open else self.truth_file, {"is_train": drawn.truth})
        rows = {name: cells[drawn.training] for name, cells in table.items()}
        write_table(out, "open_train.csv" if is_open else "train_with_id.csv", rows)

    def _population(self, world: World) -> Columns | None:
        """All rows that may be in a training set, where they are known."""
        there = [name for name in ("trans.csv", "population.csv") if name in world.public.names()]
        return self.table(world.public, there[0], "round") if there else None

    def _released(self) -> Any:
        """The columns of a release."""
        file = self.declaration.file("trans_synthetic.csv", "entry")
        assert file is not None
        return file.columns

    def exhibit(self, world: World, target: Target, rng: np.random.Generator) -> Exhibit:
        asked = self.table(target.published, "challenge_with_id.csv")
        released = self.table(target.published, "trans_synthetic.csv")
        table = self._population(world)
        known: Columns = {name: cells[:0] for name, cells in asked.items()} if table is None else table
        seen = np.sort(rng.permutation(len(known[ID]))[:SEEN])
        tables = (asked, released, {name: cells[seen] for name, cells in known.items()})
        names = [column.name for column in self._released()]
        categories = [column.name for column in self._released() if column.kind == "int"]
        points, rows, population = comparable(tables, names, categories)
        return Exhibit(points, np.arange(len(asked[ID])), len(asked[ID]), rows, population)


def _keys(box: Box) -> list[str]:
    """The tasks that organisers brought."""
    names = (name.rpartition("/") for name in box.names())
    return [folder for folder, _, name in names if folder and name == "challenge_with_id.csv"]


def _generated(params: Mapping[str, Any]) -> list[str]:
    """The tasks that the house makes: open models, then those that count."""
    phases = [TRAIN] * params["open-models"] + [params["phase"]] * params["models"]
    return [
        f"{one}_{access}_box/{phase}/{one}_{number}"
        for one in words_of(params["types"])
        for access in words_of(params["accesses"])
        for number, phase in enumerate(phases, 1)
    ]
