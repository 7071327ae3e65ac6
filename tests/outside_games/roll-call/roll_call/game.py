"""Roll call: synthetic tables, and the question who was in the table that they imitate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract import game as contract
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import Box, Fault, Figures, Out, Result, Seat, Target, World, Wrong

COLUMNS = ("age", "visits", "spent")
HIGHEST = {"age": 120, "visits": 10_000, "spent": 100_000}
Array = npt.NDArray[Any]


def tpr_at(scores: Array, member: Array, fpr: float) -> float:
    """The largest TPR of the operating points whose FPR is at most this. Equal scores are one point.

    >>> tpr_at(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]), 0.01)
    0.5
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    inside = np.cumsum(member[order])[ends]
    outside = ends + 1 - inside
    legal = outside / outside[-1] <= fpr
    return float((inside[legal] / inside[-1]).max(initial=0.0))


def auc(scores: Array, member: Array) -> float:
    """The chance that a member scores higher than somebody else, equal scores half."""
    inside, outside = scores[member][:, None], scores[~member]
    twice = 2 * int((inside > outside).sum()) + int((inside == outside).sum())
    return twice / (2 * inside.size * outside.size)


def furthest(one: Array, other: Array) -> float:
    """The Kolmogorov–Smirnov distance: the largest difference of two cumulative shares."""
    at = np.concatenate([one, other])
    first, second = (np.searchsorted(np.sort(part), at, side="right") / len(part) for part in (one, other))
    return float(np.abs(first - second).max())


def kendall(x: Array, y: Array) -> float:
    """Kendall's τ (a): the share of pairs in the same order minus that of pairs in the opposite order."""
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    return float(signs.sum() / (len(x) * (len(x) - 1)))


class Game(contract.Game):
    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        return {"pupils": len(self._table(sources, "people.csv")["id"])}

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        people = self._table(world.secret, "people.csv")
        chosen = np.sort(rng.permutation(len(people["id"]))[: len(people["id"]) // 2])
        write_table(out, "training.csv", {name: people[name][chosen] for name in COLUMNS})
        write_table(out, "members.csv", {"id": people["id"][chosen]})

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        got, least = len(self._table(entry.upload, "synthetic.csv")["age"]), world.params["least-rows"]
        if got < least:
            yield Fault("few-rows", "synthetic.csv", values={"n": least, "got": got})

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        super().publish(world, entry, rng, out)
        assert entry.seat is not None
        people = self._table(world.secret, "people.csv")
        members = self._table(entry.seat.secret, "members.csv")
        order = rng.permutation(len(people["id"]))
        write_table(out, "candidates.csv", {name: people[name][order] for name in COLUMNS})
        write_table(out, "truth.csv", {"member": np.isin(people["id"][order], members["id"])})

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        assert entry.seat is not None
        before = self._table(entry.seat.files, "training.csv")
        after = self._table(entry.upload, "synthetic.csv")
        taus = [kendall(table["visits"], table["spent"]) for table in (before, after)]
        return {
            "marginals": max(furthest(before[name], after[name]) for name in COLUMNS),
            "order": abs(taus[0] - taus[1]) / 2,
        }

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        for target in targets:
            name = f"{target.key}.csv"
            if name in answer.names():
                got = len(self._table(answer, name)["score"])
                n = len(self._table(target.published, "candidates.csv")["age"])
                if got != n:
                    yield Fault("line-count", name, values={"n": n, "got": got})
        yield from super().cover(world, by, answer, targets)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        scores = self._table(answer, f"{target.key}.csv")["score"].astype(float)
        member = self._table(target.secret, "truth.csv")["member"] == 1
        fpr = world.params["fpr"]
        tpr = tpr_at(scores, member, fpr)
        return Result(tpr, {"tpr": tpr, "auc": auc(scores, member)}, baseline=fpr)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        for target in targets:
            asked = self._table(target.published, "candidates.csv")
            released = self._table(target.published, "synthetic.csv")
            scores = rng.random(len(asked["age"]))
            if name == "nearest":
                width = {one: max(float(np.ptp(asked[one])), 1.0) for one in COLUMNS}
                far = sum(np.abs(asked[one][:, None] - released[one]) / width[one] for one in COLUMNS)
                scores = 1 / (1 + np.min(far, axis=1))
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
        table = dict(self._table(seat.files, "training.csv"))
        if name == "noise":
            for one, values in table.items():
                noise = rng.normal(0, params["width"] * float(np.ptp(values)), len(values))
                moved = np.clip(values + noise, 0, HIGHEST[one])
                table[one] = np.round(moved, 2) if one == "spent" else np.rint(moved).astype(np.int64)
        write_table(out, "synthetic.csv", table)

    def _table(self, box: Box, name: str) -> Columns:
        return read_columns(self.declaration, box, name)
