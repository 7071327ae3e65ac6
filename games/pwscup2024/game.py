"""The verbs of PWSCUP 2024; the modules beside this one do the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from games.contract import game as contract
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import (
    Board,
    Box,
    Cell,
    Drawing,
    Fault,
    Figures,
    Hidden,
    Out,
    Result,
    Seat,
    Target,
    Verdict,
    World,
)
from games.tables.methods import hidden_table, is_table_method
from games.tables.shape import shape_of

from .answers import WIDE, cover, judged, read_answers
from .boards import tally
from .generator import invented_base, table_of_people
from .layout import ATTRIBUTES, N_ALTERNATIVES, NAME, Layout, layout, read_upload, upload_names
from .linking import assignment_attack, blind_attack, each_file_attack, sample_attack
from .methods import projections
from .pictures import marginals
from .quiz import (
    Answers,
    Quiz,
    common_columns,
    draw,
    read_common_columns,
    read_quiz,
    read_truth,
    write_quiz,
)
from .scores import anonymity, total
from .utility import utilities

MOST_FAULTS = 20
HIDDEN_COLUMNS = "hidden-columns.json"
LINKAGES = {"sample": sample_attack, "each-file": each_file_attack, "assignment": assignment_attack}


class Game(contract.Game):
    """Hide ten projections of a table; seekers link lines of ratings to people and restore hidden ones."""

    @property
    def layout(self) -> Layout:
        return layout(self.declaration)

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        self._check_sizes(sources, params)
        base = (
            self._table(sources, "base.csv")
            if "base.csv" in sources.names()
            else invented_base(params["base-users"], self.layout.movies, rng)
        )
        write_table(out, "A.csv", base)
        if params["hidden-columns"] == "common":
            with out.create(HIDDEN_COLUMNS) as file:
                file.write(common_columns(self.layout, params["persons"], rng))
        return {"users": len(base["Age"]), "people": params["people"], "asked": params["persons"]}

    def _check_sizes(self, sources: Box, params: Mapping[str, Any]) -> None:
        if params["people"] < 2 * params["persons"]:
            raise ValueError(
                f"people: got {params['people']}, expected at least {2 * params['persons']}: "
                "nobody is in both test sets."
            )
        for name in sources.names():
            n_rows = len(self._table(sources, name)["Age"])
            if name.startswith("pool/") and n_rows != params["people"]:
                raise ValueError(f"{name}: got {n_rows} rows, expected {params['people']}.")

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        for alternative in range(N_ALTERNATIVES):
            table = self._alternative(world, seat * N_ALTERNATIVES + alternative, rng)
            write_table(out, f"B{alternative}.csv", table)
            quiz, truth = draw(table, self.layout, world.params["persons"], rng)
            write_quiz(out, f"sample{alternative}-", self.layout, quiz, truth)

    def _alternative(self, world: World, number: int, rng: np.random.Generator) -> Columns:
        """A table that organisers brought, or one that is generated."""
        brought = f"pool/B{number}.csv"
        if brought in world.secret.names():
            return self._table(world.secret, brought)
        base = self._table(world.public, "A.csv")
        return table_of_people(base, self.layout.movies, world.params["people"], rng)

    def check(self, world: World, entry: Target) -> Iterator[Fault]:
        return islice(self._faults(entry), MOST_FAULTS)

    def _faults(self, entry: Target) -> Iterator[Fault]:
        assert entry.seat is not None
        number = entry.seat.number + 1
        if "id.txt" in entry.upload.names():
            (given,) = self._table(entry.upload, "id.txt")["number"]
            if given != number:
                yield Fault("another-seat", "id.txt", 1, "number", str(given), {"number": f"{number:02d}"})
        table = self._own_table(entry)
        for name, file in zip(upload_names(), read_upload(self.declaration, entry.upload), strict=True):
            for column in ATTRIBUTES:
                known = set(table[column].tolist())
                for row, cell in enumerate(file[column].tolist()):
                    if cell not in known:
                        yield Fault("not-in-table", name, row + 2, column, str(cell), {"column": column})

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """The ten files in the order of their rows, every number in its plain form, and a fresh test set."""
        for name, file in zip(upload_names(), read_upload(self.declaration, entry.upload), strict=True):
            write_table(out, name, file)
        hidden = None
        if HIDDEN_COLUMNS in world.secret.names():
            with world.secret.open(HIDDEN_COLUMNS) as source:
                hidden = read_common_columns(source.read(), self.layout)
        asked = self._sample(entry)[0].people[NAME].tolist()
        persons = world.params["persons"]
        quiz, truth = draw(self._own_table(entry), self.layout, persons, rng, hidden, without=asked)
        write_quiz(out, "", self.layout, quiz, truth)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        upload = read_upload(self.declaration, entry.upload)
        by_file = utilities(self._own_table(entry), upload, self.layout.projections)
        quiz, truth = self._sample(entry)
        found = judged(sample_attack(quiz, upload, self.layout), truth).numbers
        figures = {f"utility-{number}": value for number, value in enumerate(by_file)}
        figures["utility"] = min(by_file)
        figures["sample-anonymity"] = anonymity(found["hits"] or 0, 2 * len(truth.person))
        figures |= {f"sample-{kind}": float(found[kind] or 0) for kind in ("link", "cell")}
        return {name: figures[name] for name in names}

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        utility, sample = measures["utility"] or 0.0, measures["sample-anonymity"] or 0.0
        parts = {"sample": sample, "provisional": total(utility, sample, params)}
        return Verdict((), utility, parts)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Fault | tuple[str, str]]:
        return cover(self.declaration, answer, targets, world.params["persons"])

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        given = read_answers(self.declaration, answer, target.key)
        return judged(given, read_truth(self.declaration, target.secret, ""))

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        upload = read_upload(self.declaration, entry.upload)
        return marginals(self._own_table(entry), upload, self.layout.projections)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        self._write_answers(out, {target.key: self._answers(name, target, rng) for target in targets})

    def _answers(self, name: str, target: Target, rng: np.random.Generator) -> Answers:
        quiz = read_quiz(self.declaration, target.published, "", self.layout)
        if name == "blind":
            return blind_attack(quiz, rng)
        link = LINKAGES[name]
        return link(quiz, read_upload(self.declaration, target.published), self.layout)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        truths = {target.key: read_truth(self.declaration, target.secret, "") for target in targets}
        self._write_answers(out, truths)
        return True

    def _write_answers(self, out: Out, answers: Mapping[str, Answers]) -> None:
        columns = {}
        for key, one in answers.items():
            columns[f"{key}-person"], columns[f"{key}-rating"] = one
        write_table(out, WIDE, columns)

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert seat is not None
        table = self._table(seat.files, f"B{params['alternative']}.csv")
        made = (
            self._by_table_method(name, table, params, rng)
            if is_table_method(name)
            else projections(name, table, self.layout, params.get("share", 0.0), rng)
        )
        for file, columns in zip(upload_names(), made, strict=True):
            write_table(out, file, columns)
        with out.create("id.txt") as number:
            number.write(f"{seat.number + 1:02d}\n".encode())

    def _by_table_method(
        self, name: str, table: Columns, params: Mapping[str, Any], rng: np.random.Generator
    ) -> Iterator[Mapping[str, Any]]:
        """Each file by itself; of the attributes, only values of the table are legal."""
        for file, names in zip(upload_names(), self.layout.projections, strict=True):
            declared = self.declaration.file(file, "entry")
            assert declared is not None, file
            part = {column: table[column] for column in names}
            yield hidden_table(name, part, shape_of(declared, part, ATTRIBUTES), params, rng)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        return tally(rule, params, hidden, cells, earlier)

    def _own_table(self, entry: Target) -> Columns:
        """The alternative of the seat that an entry hides."""
        assert entry.seat is not None
        return self._table(entry.seat.files, f"B{entry.variant}.csv")

    def _sample(self, entry: Target) -> tuple[Quiz, Answers]:
        """The test set for the organisers' own attack."""
        assert entry.seat is not None
        box, prefix = entry.seat.secret, f"sample{entry.variant}-"
        quiz = read_quiz(self.declaration, box, prefix, self.layout)
        return quiz, read_truth(self.declaration, box, prefix)

    def _table(self, box: Box, name: str) -> Columns:
        return read_columns(self.declaration, box, name)
