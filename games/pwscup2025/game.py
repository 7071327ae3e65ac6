"""The verbs of PWSCUP 2025; the modules beside this one do the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from games.contract import game as contract
from games.contract.tables import read_columns, write_table
from games.contract.values import (
    Board,
    Box,
    Cell,
    Drawing,
    Fault,
    Figures,
    Hidden,
    Out,
    Question,
    Result,
    Seat,
    Target,
    Verdict,
    World,
)

from .answers import WIDE, cover, judged, read_marks
from .boards import tally
from .checks import faults_of, model_in
from .generator import invented_regions
from .layout import N_ALTERNATIVES, Lines, Texts, lines_in, texts_in, texts_of
from .marking import ATTACKS, Exhibit, Marks, marked_as_predicted
from .measures import DIFFERENCES, figures
from .methods import METHODS, released
from .patients import hidden
from .pictures import correlations, marginals, operating_point
from .population import (
    Alternative,
    alternative,
    check_brought,
    check_sizes,
    population,
    rows_to_test,
    write_rows,
)
from .scores import FULL_POINTS
from .training import trained

MOST_FAULTS = 20


class Game(contract.Game):
    """Hide patients in a table and a model of it; seekers say who of the population was in the data."""

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        check_sizes(params)
        check_brought(sources, params)
        write_table(out, "regions.csv", invented_regions(rng))
        return {name: params[name] for name in ("population", "members")}

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        regions = read_columns(self.declaration, world.secret, "regions.csv")
        for place in range(N_ALTERNATIVES):
            number = seat * N_ALTERNATIVES + place
            found = alternative(number, world.secret, regions, world.params, rng)
            write_rows(out, f"B{place}.csv", found.members)
            write_rows(out, f"others{place}.csv", found.others)
            write_rows(out, f"X{place}.csv", rows_to_test(found, world.params["test-rows"], rng))

    def check(self, world: World, entry: Target) -> Iterator[Fault]:
        return islice(faults_of(self.declaration, entry, world.params), MOST_FAULTS)

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """The upload as it came; the population of the chosen alternative, in an order drawn now."""
        super().publish(world, entry, rng, out)
        assert entry.seat is not None
        members = lines_in(entry.seat.files, f"B{entry.variant}.csv").rows
        others = lines_in(entry.seat.secret, f"others{entry.variant}.csv").rows
        rows, is_member = population(Alternative(members, others), rng)
        write_rows(out, "A.csv", rows)
        write_table(out, "Z.csv", {"member": is_member}, header=False)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        assert entry.seat is not None
        before = texts_in(entry.seat.files, f"B{entry.variant}.csv")
        after = texts_in(entry.upload, "C.csv")
        correct = None
        if any(self._needs_secret(name) for name in names):
            model = model_in(entry, world.params)
            tested = texts_in(entry.seat.secret, f"X{entry.variant}.csv")
            correct = int(marked_as_predicted(model, tested).sum())
        found = figures(before, after, correct, world.params)
        return {name: found[name] for name in names}

    def _needs_secret(self, name: str) -> bool:
        return any(number.needs_secret for number in self.declaration.measures if number.name == name)

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        parts = {f"{name}-points": measures[f"{name}-points"] for name in FULL_POINTS}
        parts |= {f"{name}-diff": measures[f"{name}-diff"] for name in DIFFERENCES}
        return Verdict((), measures["utility"], parts)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Fault | tuple[str, str]]:
        return cover(self.declaration, by, answer, targets, world.params)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        return judged(read_marks(self.declaration, answer, target.key), self._members(target))

    def _members(self, target: Target) -> Marks:
        is_member: Marks = read_columns(self.declaration, target.secret, "Z.csv", "entry")["member"] == 1
        return is_member

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        assert entry.seat is not None
        before = texts_in(entry.seat.files, f"B{entry.variant}.csv")
        after = texts_in(entry.upload, "C.csv")
        yield from marginals(before, after)
        yield correlations(before, after)

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        marks = read_marks(self.declaration, question.answer, question.target.key)
        return operating_point(marks, self._members(question.target))

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        marks = {target.key: ATTACKS[name](self._exhibit(world, target), rng) for target in targets}
        write_table(out, WIDE, marks)

    def _exhibit(self, world: World, target: Target) -> Exhibit:
        everybody: Texts = texts_in(target.published, "A.csv")
        model = model_in(target, world.params, "published")
        return Exhibit(everybody, texts_in(target.published, "C.csv"), model, world.params["members"])

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        write_table(out, WIDE, {target.key: self._members(target) for target in targets})
        return True

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert seat is not None
        made = self._made(name, seat.files, world.params["ranges"], params, rng)
        write_rows(out, "C.csv", made.rows)
        with out.create("D.json") as file:
            file.write(trained(texts_of(made), world.params["target"]))
        numbers = {"id.txt": f"{seat.number + 1:02d}", "index.txt": str(params["alternative"] + 1)}
        for file_name, number in numbers.items():
            with out.create(file_name) as file:
                file.write(f"{number}\n".encode())

    def _made(
        self, name: str, files: Box, ranges: str, params: Mapping[str, Any], rng: np.random.Generator
    ) -> Lines:
        """The table by one of the game's own methods, or by one for any table."""
        file = f"B{params['alternative']}.csv"
        if name in METHODS:
            return released(name, lines_in(files, file), params, rng)
        table = read_columns(self.declaration, files, file)
        return hidden(name, self.declaration, ranges, table, params, rng)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        return tally(rule, params, hidden, cells, earlier)
