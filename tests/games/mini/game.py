"""Guess the ages."""

from __future__ import annotations

from typing import Any

import numpy as np

from games.contract import game as contract
from games.contract.tables import read_columns, write_table
from games.contract.values import Result

NEAR = 0


class Game(contract.Game):
    def measure(self, world: Any, entry: Any, names: Any) -> dict[str, float]:
        off = np.abs(self._ages(world.public, "people.csv") - self._ages(entry.upload, "release.csv"))
        return {"error": float(off.sum()) / len(off)}

    def judge(self, world: Any, challenge: str, by: Any, target: Any, answer: Any) -> Result:
        off = np.abs(self._ages(world.public, "people.csv") - self._ages(answer, f"{target.key}.csv"))
        found = int((off <= NEAR).sum())
        return Result(found / len(off), {"found": found}, baseline=0.0)

    def attack(self, name: str, world: Any, by: Any, targets: Any, rng: Any, out: Any) -> None:
        for target in targets:
            write_table(out, f"{target.key}.csv", {"age": self._ages(target.published, "release.csv")})

    def anonymize(self, name: str, world: Any, seat: Any, params: Any, rng: Any, out: Any) -> None:
        write_table(out, "release.csv", {"age": self._ages(world.public, "people.csv") + params["by"]})

    def _ages(self, box: Any, name: str) -> Any:
        return read_columns(self.declaration, box, name)["age"]
