"""The code of the membership contest: a table of any columns, its tasks, what the house attacks look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns, write_table
from games.contract.values import Box, Out, Target, World
from games.seek.distances import comparable
from games.seek.game import OPEN, SeekGame
from games.seek.signals import Exhibit

from .clinic import invented
from .loose import UNIT, BadTable, Schema, schema_of, texts_of, typed
from .tasks import FILES, Plan, check_units, make_task, planned

BROUGHT = {name: f"tasks/{{target}}/{name}" for name in FILES}
MADE = {name: f"made/{{target}}/{name}" for name in FILES}
"""The files of a task, as organisers bring them and as `build` makes them."""
FOLDER = re.compile(r"(?:tasks|made)/(?P<key>.+)/units\.txt")
KEY = re.compile(r"(?P<generator>[^_]+)(?:_eps(?P<epsilon>[0-9.]+))?(?:_.*)?")
SEEN = 20_000
"""Rows of the population that the house attacks compare with."""


class Game(SeekGame):
    """Rows, or groups of rows, in the training sets of synthetic tables."""

    answer_file = "{target}.txt"
    truth_file, open_truth_file, truth_column = "truth.txt", "known.txt", "member"
    points_file = "units.txt"
    rates = {"tpr-1-in-1000": 0.001, "tpr-1-in-100": 0.01, "tpr-1-in-10": 0.1}

    def group_of(self, key: str, labels: Mapping[str, str]) -> str:
        return "all"

    def track_of(self, labels: Mapping[str, str], params: Mapping[str, Any]) -> str:
        return "" if OPEN in labels else "main"

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        keys = _keys(sources)
        self.check_brought(sources, keys, BROUGHT)
        schema, people = self._population(sources, keys, params, rng)
        write_table(out, "schema.csv", {"column": list(schema), "kind": [*schema.values()]})
        if people is not None:
            write_table(out, "population.csv", people)
        for key in keys:
            self._check_task(sources, key, schema)
        if keys:
            return {"tasks": len(keys), "columns": len(schema)}
        assert people is not None
        plans = planned(params)
        # Every task has a generator of its own, so that no task depends on how much another one draws.
        seeds = rng.integers(0, 2**32, (len(plans), 8))
        for plan, seed in zip(plans, seeds.tolist(), strict=True):
            self._make(plan, people, schema, params, np.random.default_rng(seed), out)
        units = len(np.unique(people[UNIT]))
        return {"tasks": len(plans), "columns": len(schema), "rows": len(people[UNIT]), "units": units}

    def _population(
        self, sources: Box, keys: Sequence[str], params: Mapping[str, Any], rng: np.random.Generator
    ) -> tuple[Schema, Columns | None]:
        """The columns of the round, and the table that its tasks are drawn from, where there is one."""
        forced = {}
        if "kinds.csv" in sources.names():
            given = self.table(sources, "kinds.csv", "round")
            forced = dict(zip(given["column"].tolist(), given["kind"].tolist(), strict=True))
        if "table.csv" in sources.names():
            return _brought_table(_content(sources, "table.csv"), forced, params["unit-column"])
        if keys:
            # Without a table, what the tasks show says what the columns are.
            name = BROUGHT["candidates.csv"].replace("{target}", keys[0])
            texts = texts_of(_content(sources, name), name)
            return schema_of(texts, forced, (UNIT,), name), None
        table = invented(params["people"], rng)
        texts = {name: _texts(cells.tolist()) for name, cells in table.items()}
        units = _texts(range(1, params["people"] + 1))
        return schema_of(texts, forced, (), "table.csv"), {UNIT: units, **table}

    def _check_task(self, sources: Box, key: str, schema: Schema) -> None:
        """What organisers bring of a task has the columns of the round, and candidates for every unit."""
        names = {short: name.replace("{target}", key) for short, name in BROUGHT.items()}
        typed(_content(sources, names["released.csv"]), names["released.csv"], schema)
        asked = names["candidates.csv"]
        rows = typed(_content(sources, asked), asked, schema, [UNIT, *schema])
        check_units(rows[UNIT], self.table(sources, names["units.txt"], "round")[UNIT], names)

    def _make(
        self, plan: Plan, people: Columns, schema: Schema, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        for name, columns in make_task(plan, people, list(schema), params, rng).items():
            has_header = name.endswith(".csv")
            write_table(out, MADE[name].replace("{target}", plan.key), columns, header=has_header)

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        for key in _keys(world.public):
            match = KEY.fullmatch(key)
            labels = {name: text for name, text in (match.groupdict() if match else {}).items() if text}
            is_open = any(f"{folder}/{key}/known.txt" in world.public.names() for folder in ("tasks", "made"))
            yield key, labels | ({OPEN: "yes"} if is_open else {})

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """Copy what was brought or made; nothing is drawn here, so it gives the same bytes every time."""
        for names in (BROUGHT, MADE):
            self.publish_brought(world, entry.key, names, out)

    def exhibit(self, world: World, target: Target, rng: np.random.Generator) -> Exhibit:
        schema = self._schema(world.public)
        asked = _typed(target.published, "candidates.csv", schema, UNIT)
        released = _typed(target.published, "released.csv", schema)
        people: Columns = {name: cells[:0] for name, cells in asked.items()}
        if "population.csv" in world.public.names():
            people = _typed(world.public, "population.csv", schema, UNIT)
        seen = np.sort(rng.permutation(len(people[UNIT]))[:SEEN])
        tables = (asked, released, {name: cells[seen] for name, cells in people.items()})
        categories = [name for name, kind in schema.items() if kind == "category"]
        rows, made, population = comparable(tables, list(schema), categories)
        index = self.table(target.published, "units.txt")[UNIT].tolist()
        place = {unit: number for number, unit in enumerate(index)}
        units = np.array([place[unit] for unit in asked[UNIT].tolist()], dtype=np.int64)
        return Exhibit(rows, units, len(index), made, population)

    def _schema(self, public: Box) -> Schema:
        given = self.table(public, "schema.csv", "round")
        return dict(zip(given["column"].tolist(), given["kind"].tolist(), strict=True))


def _brought_table(content: bytes, forced: Mapping[str, str], unit: str) -> tuple[Schema, Columns]:
    texts = texts_of(content, "table.csv")
    strange = sorted(set(forced) - set(texts))
    if strange:
        raise BadTable(f"kinds.csv: got the column {strange[0]!r}, expected one of {', '.join(texts)}.")
    if unit != UNIT and unit not in texts:
        raise BadTable(f"unit-column: got {unit!r}, expected one of {', '.join(texts)}.")
    schema = schema_of(texts, forced, (unit,), "table.csv")
    if UNIT in schema:
        raise BadTable(f"table.csv: the column {UNIT!r} is neither data nor the unit-column. Rename it.")
    table = typed(content, "table.csv", schema, list(texts))
    n_rows = len(next(iter(table.values())))
    units = table[unit] if unit in table else _texts(range(1, n_rows + 1))
    return schema, {UNIT: units, **{name: table[name] for name in schema}}


def _texts(values: Iterable[Any]) -> npt.NDArray[np.object_]:
    return np.array([str(value) for value in values], dtype=object)


def _typed(box: Box, name: str, schema: Schema, *before: str) -> Columns:
    order = [*before, *schema]
    return box.memo((name, "typed"), lambda: typed(_content(box, name), name, schema, order))


def _content(box: Box, name: str) -> bytes:
    with box.open(name) as file:
        return file.read()


def _keys(box: Box) -> list[str]:
    """The tasks that organisers brought, or that `build` made."""
    return [match["key"] for match in map(FOLDER.fullmatch, box.names()) if match]
