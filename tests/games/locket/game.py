"""A small contest about bytes: how long is what is in the locket?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.special

from games.contract import game as contract
from games.contract.tables import write_table
from games.contract.values import Fault, Result

LEAST = 2


class Game(contract.Game):
    def check(self, world: Any, entry: Any) -> Any:
        for name in entry.upload.names():
            if len(entry.upload.open(name).read()) < LEAST:
                yield Fault("too-short", name, values={"n": LEAST})

    def measure(self, world: Any, entry: Any, names: Any) -> dict[str, float]:
        return {"length": float(sum(len(entry.upload.open(name).read()) for name in entry.upload.names()))}

    def judge(self, world: Any, challenge: str, by: Any, target: Any, answer: Any) -> Result:
        guess = pd.read_csv(answer.open(f"{target.key}.csv"))["length"].iloc[0]
        off = abs(float(guess) - len(target.published.open("front.bin").read()))
        words = pd.read_csv(world.public.open("words.csv"))
        return Result(1 / (1 + off), {"distance": off + float(scipy.special.comb(len(words), 2))})

    def attack(
        self, name: str, world: Any, by: Any, targets: Any, rng: np.random.Generator, out: Any
    ) -> None:
        lengths = [len(word) for word in pd.read_csv(world.public.open("words.csv"))["word"]]
        for target in targets:
            write_table(out, f"{target.key}.csv", {"length": [round(float(np.mean(lengths)))]})

    def anonymize(self, name: str, world: Any, seat: Any, params: Any, rng: Any, out: Any) -> None:
        words = pd.read_csv(world.public.open("words.csv"))["word"]
        with out.create("front.bin") as file:
            file.write(str(words[int(rng.integers(len(words)))]).encode())
