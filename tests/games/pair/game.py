"""A small contest about pairs: overlapping cohorts, and questions about the attacker's own people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from datasets import cells
from datasets.problems import Findings
from datasets.reader import Column, read_table
from games.contract import game as contract
from games.contract.tables import read_columns, write_table
from games.contract.values import Board, Result, Row, Wrong

PEOPLE = 60
QUIZ = 5


def share(right: np.ndarray) -> Result:
    """How far above a coin an answer is."""
    rate = float(right.mean())
    return Result(max(0.0, 2 * rate - 1), {"right": rate}, 0.0, evidence={"found": np.flatnonzero(right)})


class Game(contract.Game):
    def table(self, box: Any, name: str) -> Any:
        return read_columns(self.declaration, box, name)

    def build(self, sources: Any, params: Any, rng: np.random.Generator, out: Any) -> dict[str, Any]:
        age, ill = rng.integers(20, 50, PEOPLE), rng.integers(0, 2, PEOPLE)
        write_table(out, "world.csv", {"id": np.arange(PEOPLE), "age": age, "ill": ill})
        write_table(out, "ages.csv", {"age": np.arange(20, 50)})
        return {"patients": PEOPLE}

    def allot(self, world: Any, seat: int, rng: np.random.Generator, out: Any) -> None:
        people = self.table(world.secret, "world.csv")
        chosen = np.sort(rng.permutation(PEOPLE)[: world.params["cohort"]])
        write_table(out, "B.csv", {"age": people["age"][chosen], "ill": people["ill"][chosen]})
        write_table(out, "ids.csv", {"id": chosen})

    def check(self, world: Any, entry: Any) -> Iterator[Wrong]:
        """A file that the game reads itself, with a reader of `datasets`."""
        if "token.csv" in entry.upload.names():
            found = Findings("token.csv")
            with entry.upload.open("token.csv") as file:
                read_table(file, (Column("pieces", 10, cells.quantity),), found, 1000)
            if found.total:
                yield found.verdict()

    def publish(self, world: Any, entry: Any, rng: np.random.Generator, out: Any) -> None:
        super().publish(world, entry, rng, out)
        own = self.table(entry.seat.files, "B.csv")
        asked = np.sort(rng.permutation(len(own["age"]))[:QUIZ])
        write_table(out, "quiz.csv", {"age": own["age"][asked]})
        write_table(out, "quiz-truth.csv", {"ill": own["ill"][asked]})

    def measure(self, world: Any, entry: Any, names: Any) -> dict[str, float]:
        """In the order in which both tables are sorted, which no order of an upload changes."""
        tables = self.table(entry.seat.files, "B.csv"), self.table(entry.upload, "C.csv")
        before, after = (np.sort(one["age"] * 2 + one["ill"]) for one in tables)
        return {"changed": float((before != after).mean())}

    def judge(self, world: Any, challenge: str, by: Any, target: Any, answer: Any) -> Result:
        if challenge == "aia":
            right = self.table(target.secret, "quiz-truth.csv")["ill"]
            return share(self.table(answer, "aia.csv")[target.key] == right)
        mine, theirs = (self.table(seat.secret, "ids.csv")["id"] for seat in (by, target.seat))
        return share(self.table(answer, "mia.csv")[target.key] == np.isin(mine, theirs))

    def attack(self, name: str, world: Any, by: Any, targets: Any, rng: Any, out: Any) -> None:
        own = self.table(by.files, "B.csv")
        mia, aia = {}, {}
        for target in targets:
            released, quiz = (self.table(target.published, file) for file in ("C.csv", "quiz.csv"))
            ill_at = dict(zip(released["age"], released["ill"], strict=True))
            mia[target.key] = np.isin(own["age"], released["age"])
            aia[target.key] = np.array([ill_at.get(age, 0) for age in quiz["age"]])
        write_table(out, "mia.csv", mia)
        write_table(out, "aia.csv", aia)

    def oracle(self, world: Any, by: Any, targets: Any, rng: Any, out: Any) -> bool:
        ids = self.table(by.secret, "ids.csv")["id"]
        theirs = {target.key: self.table(target.seat.secret, "ids.csv")["id"] for target in targets}
        write_table(out, "mia.csv", {key: np.isin(ids, other) for key, other in theirs.items()})
        truths = {target.key: self.table(target.secret, "quiz-truth.csv")["ill"] for target in targets}
        write_table(out, "aia.csv", truths)
        return True

    def anonymize(self, name: str, world: Any, seat: Any, params: Any, rng: Any, out: Any) -> None:
        own = self.table(seat.files, "B.csv")
        flipped = rng.random(len(own["ill"])) < params.get("share", 0.0)
        write_table(out, "C.csv", {"age": own["age"], "ill": np.where(flipped, 1 - own["ill"], own["ill"])})

    def tally(self, rule: str, params: Any, hidden: Any, cells: Any, earlier: Any) -> Any:
        """The mean over others in one challenge, the largest in the other; own answers do not count."""
        found: dict[tuple[str, str], list[float]] = {}
        own = {one.target.key: one.team for one in hidden if one.target}
        for cell in cells():
            if own.get(cell.target) != cell.attacker:
                found.setdefault((cell.target, cell.challenge), []).append(cell.result.risk)
        rows = []
        for one in hidden:
            key = one.target.key if one.target else ""
            mia, aia = found.get((key, "mia"), [0.0]), found.get((key, "aia"), [0.0])
            value = None if one.target is None else 1 - max(sum(mia) / len(mia), max(aia))
            rows.append(Row(one.team, {"anonymity": value}, None if value is None else (-value,)))
        yield Board("main", ("anonymity",), rows)
