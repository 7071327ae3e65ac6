"""A small contest that pools its targets: synthetic data, candidate points, scores of membership."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from games.contract import game as contract
from games.contract.marginals import number_bars
from games.contract.values import Board, Curves, Fault, Heatmap, Result, Row

MEMBERS = 20
LEAST_ROWS = 3


def column(file: BinaryIO) -> np.ndarray:
    """The last column of a table, with or without a header."""
    cells = [line.rsplit(b",", 1)[-1] for line in file.read().split()]
    return np.array([float(cell) for cell in cells if not cell.isalpha()])


def write(out: Any, name: str, header: str, rows: Any) -> None:
    with out.create(name) as file:
        file.write((header + "\n" if header else "").encode())
        file.writelines(f"{row}\n".encode() for row in rows)


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that a member scores higher than somebody else; equal scores count half."""
    inside, outside = scores[labels == 1], scores[labels == 0]
    above = (inside[:, None] > outside).sum() + 0.5 * (inside[:, None] == outside).sum()
    return float(above / (len(inside) * len(outside)))


class Game(contract.Game):
    def allot(self, world: Any, seat: int, rng: np.random.Generator, out: Any) -> None:
        everybody = world.secret.load("people.csv", column)
        chosen = np.sort(rng.permutation(len(everybody))[:MEMBERS])
        write(out, "mine.csv", "x", everybody[chosen])
        write(out, "members.csv", "id", chosen + 1)

    def targets(self, world: Any) -> Any:
        for name in world.public.names():
            yield name.removesuffix("/release.csv"), {"made by": "organisers"}

    def check(self, world: Any, entry: Any) -> Any:
        n = len(entry.upload.load("synthetic.csv", column))
        if n < LEAST_ROWS:
            yield Fault("too-few", "synthetic.csv", values={"n": LEAST_ROWS})

    def publish(self, world: Any, entry: Any, rng: np.random.Generator, out: Any) -> None:
        everybody = world.secret.load("people.csv", column)
        if entry.seat is None:
            released = world.public.load(f"{entry.key}/release.csv", column)
            write(out, "synthetic.csv", "x", released)
            members = world.secret.load(f"{entry.key}/members.csv", column).astype(int) - 1
        else:
            super().publish(world, entry, rng, out)
            members = entry.seat.secret.load("members.csv", column).astype(int) - 1
        order = rng.permutation(len(everybody))
        write(out, "points.csv", "point,x", (f"{place},{everybody[one]}" for place, one in enumerate(order)))
        write(out, "labels.csv", "member", np.isin(order, members).astype(int))

    def measure(self, world: Any, entry: Any, names: Any) -> dict[str, float]:
        mine, released = entry.seat.files.load("mine.csv", column), entry.upload.load("synthetic.csv", column)
        return {"mean-shift": abs(float(mine.mean()) - float(released.mean()))}

    def judge(self, world: Any, challenge: str, by: Any, target: Any, answer: Any) -> Result:
        scores = answer.load(f"{target.key}/scores.csv", column)
        labels = target.secret.load("labels.csv", column)
        area = auc(scores, labels)
        evidence = {"scores": scores, "labels": labels}
        return Result(max(0.0, 2 * area - 1), {"auc": area}, 0.0, evidence=evidence)

    def pictures(self, world: Any, entry: Any) -> Any:
        mine, released = entry.seat.files.load("mine.csv", column), entry.upload.load("synthetic.csv", column)
        yield number_bars("spread", "", mine, released)
        before, after = (np.quantile(one, (0.25, 0.5, 0.75)) for one in (mine, released))
        names = ("25 %", "50 %", "75 %")
        yield Heatmap("distances", names, names, {"distance": np.abs(before[:, None] - after)})

    def answer_pictures(self, world: Any, question: Any, result: Result) -> Any:
        scores, labels = result.evidence["scores"], result.evidence["labels"]
        levels = [np.inf, *np.unique(scores)[::-1]]
        rates = {cut: [(scores[labels == one] >= cut).mean() for one in (0, 1)] for cut in levels}
        half = [(scores[labels == one] > 0.5).mean() for one in (0, 1)]
        curve = tuple(zip(*rates.values(), strict=True))
        yield Curves("roc", {"answer": curve}, {"half": ([half[0]], [half[1]])})

    def attack(self, name: str, world: Any, by: Any, targets: Any, rng: Any, out: Any) -> None:
        for target in targets:
            points = target.published.load("points.csv", column)
            released = target.published.load("synthetic.csv", column)
            distance = np.abs(points[:, None] - released).min(axis=1)
            scores = 1 / (1 + distance) if name == "nearest" else rng.random(len(points))
            write(out, f"{target.key}/scores.csv", "", np.round(scores, 6))

    def oracle(self, world: Any, by: Any, targets: Any, rng: Any, out: Any) -> bool:
        for target in targets:
            labels = target.secret.load("labels.csv", column)
            write(out, f"{target.key}/scores.csv", "", labels)
        return True

    def anonymize(self, name: str, world: Any, seat: Any, params: Any, rng: Any, out: Any) -> None:
        mine = seat.files.load("mine.csv", column)
        width = params.get("width", 0.0)
        noise = np.round(rng.normal(0, width, len(mine)), 3) if width else 0.0
        write(out, "synthetic.csv", "x", np.round(mine + noise, 3))

    def tally(self, rule: str, params: Any, hidden: Any, cells: Any, earlier: Any) -> Any:
        """One ROC per attacker over the points of all targets; hiders by the worst area against them."""
        pooled: dict[str, list[Any]] = {}
        worst: dict[str, float] = {}
        for cell in cells():
            pooled.setdefault(cell.attacker, []).append(cell.result.evidence)
            worst[cell.target] = max(worst.get(cell.target, 0.0), cell.result.numbers["auc"])
        rows = []
        for one in hidden:
            area = worst.get(one.target.key) if one.target else None
            rows.append(Row(one.team, {"area": area}, None if area is None else (area,)))
        yield Board("main", ("area",), rows)
        seekers = []
        for attacker, parts in sorted(pooled.items()):
            scores, labels = (np.concatenate([part[name] for part in parts]) for name in ("scores", "labels"))
            area = auc(scores, labels)
            seekers.append(Row(attacker, {"pooled": area}, (-area,)))
        yield Board("attackers", ("pooled",), seekers)
