"""The code of a game: what its declaration cannot say. Each verb is described in `games.contract.game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from games.contract import game as contract
from games.contract.marginals import number_bars
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import Box, Drawing, Fault, Figures, Out, Result, Seat, Target, World, Wrong


class Game(contract.Game):
    """Hide half of the people in a table; seekers say who is in it."""

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        people = self._table(world.secret, "people.csv")
        chosen = np.sort(rng.permutation(len(people["id"]))[: len(people["id"]) // 2])
        write_table(out, "mine.csv", {name: people[name][chosen] for name in ("age", "spent")})
        write_table(out, "members.csv", {"id": people["id"][chosen]})

    def check(self, world: World, entry: Target) -> Iterator[Fault]:
        if len(np.unique(self._table(entry.upload, "release.csv")["age"])) == 1:
            yield Fault("same-age", "release.csv", column="age")

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        super().publish(world, entry, rng, out)  # release.csv, its rows sorted
        assert entry.seat is not None
        people, members = (
            self._table(world.secret, "people.csv"),
            self._table(entry.seat.secret, "members.csv"),
        )
        order = rng.permutation(len(people["id"]))
        write_table(out, "candidates.csv", {name: people[name][order] for name in ("age", "spent")})
        write_table(out, "truth.csv", {"member": np.isin(people["id"][order], members["id"])})

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        assert entry.seat is not None
        mine, released = self._table(entry.seat.files, "mine.csv"), self._table(entry.upload, "release.csv")
        return {name: abs(float(mine[name].mean() - released[name].mean())) for name in names}

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        for target in targets:
            name, asked = f"{target.key}.csv", self._table(target.published, "candidates.csv")
            if name in answer.names() and len(self._table(answer, name)["score"]) != len(asked["age"]):
                yield Fault("line-count", name, values={"n": len(asked["age"])})
        yield from super().cover(world, by, answer, targets)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        scores = self._table(answer, f"{target.key}.csv")["score"]
        member = self._table(target.secret, "truth.csv")["member"] == 1
        above = (scores[member][:, None] > scores[~member]).mean()
        equal = (scores[member][:, None] == scores[~member]).mean()
        auc = float(above + equal / 2)
        return Result(max(0.0, 2 * auc - 1), {"auc": auc}, baseline=0.0)

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        assert entry.seat is not None
        mine, released = self._table(entry.seat.files, "mine.csv"), self._table(entry.upload, "release.csv")
        for name in ("age", "spent"):
            yield number_bars("columns", name, mine[name], released[name])

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        for target in targets:
            asked = self._table(target.published, "candidates.csv")
            released = self._table(target.published, "release.csv")
            scores = rng.random(len(asked["age"]))
            if name == "nearest":
                far = sum(np.abs(asked[one][:, None] - released[one]) for one in ("age", "spent"))
                scores = 1 / (1 + far.min(axis=1))
            write_table(out, f"{target.key}.csv", {"score": np.round(scores, 9)}, header=False)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        for target in targets:
            member = self._table(target.secret, "truth.csv")["member"]
            write_table(out, f"{target.key}.csv", {"score": member}, header=False)
        return True

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert seat is not None
        mine = self._table(seat.files, "mine.csv")
        spent = mine["spent"]
        if name == "noise":
            spent = np.round(np.abs(spent + rng.normal(0, params["width"], len(spent))), 2)
        write_table(out, "release.csv", {"age": mine["age"], "spent": spent})

    def _table(self, box: Box, name: str) -> Columns:
        return read_columns(self.declaration, box, name)
