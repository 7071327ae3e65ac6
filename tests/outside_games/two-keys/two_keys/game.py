"""Two keys: who is who in a release, and what is the matter with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.contract import game as contract
from games.contract.tables import Columns, read_columns, write_table
from games.contract.values import (
    Board,
    Box,
    Cell,
    Fault,
    Figures,
    Hidden,
    Out,
    Result,
    Row,
    Seat,
    Target,
    World,
    Wrong,
)

COLUMNS = ("age", "ward", "diagnosis", "cost")
DIAGNOSES = np.array(["A", "B", "C"], dtype=object)
ASKED = 6
VARIANTS = 2
NO_LINE, NO_VALUE = 0, "-"
CROWD = 2
"""Attackers who must find a patient before it costs points."""
Z = 1.959964
"""Of a normal distribution, 95 % lie within so many deviations."""
Array = npt.NDArray[Any]


def wilson(right: int, n: int) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share."""
    share, square = right / n, Z * Z
    middle, half = share + square / (2 * n), Z * np.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return float((middle - half) / (1 + square / n)), float((middle + half) / (1 + square / n))


def forecast(table: Columns, wards: Array) -> Array:
    """The mean cost of each ward in a table; where it has none of a ward, the mean of all."""
    means = {ward: table["cost"][table["ward"] == ward].mean() for ward in np.unique(table["ward"])}
    return np.array([means.get(ward, table["cost"].mean()) for ward in wards], dtype=float)


class Game(contract.Game):
    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        """Keep aside the patients whose ids give the smallest hashes with the organisers' key."""
        patients = self._table(sources, "patients.csv")
        with sources.open("key.txt") as file:
            key = file.read().strip()
        hashes = [hashlib.sha256(key + f" {one}".encode()).hexdigest() for one in patients["id"]]
        aside = np.sort(np.array(sorted(range(len(hashes)), key=hashes.__getitem__)[: params["holdout"]]))
        write_table(out, "holdout.csv", {name: patients[name][aside] for name in ("id", "ward", "cost")})
        return {"patients": len(hashes), "kept aside": len(aside)}

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        patients, aside = (self._table(world.secret, name) for name in ("patients.csv", "holdout.csv"))
        pool = np.flatnonzero(~np.isin(patients["id"], aside["id"]))
        for variant in range(VARIANTS):
            chosen = np.sort(rng.permutation(pool)[: world.params["cohort"]])
            write_table(out, f"mine_{variant}.csv", {name: patients[name][chosen] for name in COLUMNS})
            write_table(out, f"ids_{variant}.csv", {"id": patients["id"][chosen]})

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        if len(set(self._table(entry.upload, "release.csv")["ward"])) == 1:
            yield Fault("one-ward", "release.csv", column="ward")

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """The rows sorted, equal ones in a drawn order, and the rows that the patients asked about have."""
        assert entry.seat is not None
        released, mine = self._table(entry.upload, "release.csv"), self._mine(entry)
        ids = self._table(entry.seat.secret, f"ids_{entry.variant}.csv")["id"]
        drawn = rng.permutation(len(ids))
        order = np.array(sorted(drawn, key=lambda row: tuple(released[name][row] for name in COLUMNS)))
        write_table(out, "release.csv", {name: released[name][order] for name in COLUMNS})
        asked = rng.permutation(len(ids))[:ASKED]
        lines = np.argsort(order, kind="stable")[asked] + 1
        write_table(out, "asked.csv", {name: mine[name][asked] for name in ("age", "ward")})
        truth = {"id": ids[asked], "line": lines, "diagnosis": mine["diagnosis"][asked]}
        write_table(out, "truth.csv", truth)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        mine, released = self._mine(entry), self._table(entry.upload, "release.csv")
        figures: dict[str, float | None] = {
            "changed": float(np.mean([mine[name] != released[name] for name in COLUMNS]))
        }
        if "forecast" in names:
            wards = self._table(world.secret, "holdout.csv")["ward"]
            figures["forecast"] = float(np.abs(forecast(mine, wards) - forecast(released, wards)).mean())
        return figures

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        for target in targets if "who.csv" in answer.names() else ():
            n = len(self._table(target.published, "release.csv")["age"])
            for row, line in enumerate(self._table(answer, "who.csv")[target.key]):
                if line > n:
                    yield Fault("no-line", "who.csv", row + 2, target.key, str(line), {"n": n})
        yield from super().cover(world, by, answer, targets)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        truth = self._table(target.secret, "truth.csv")
        if challenge == "who":
            found = self._table(answer, "who.csv")[target.key] == truth["line"]
            baseline = 1 / len(self._table(target.published, "release.csv")["age"])
        else:
            found = self._table(answer, "value.csv")[target.key] == truth["diagnosis"]
            baseline = 1 / len(DIAGNOSES)
        right = int(found.sum())
        evidence = {"found": truth["id"][found]}
        return Result(right / ASKED, {"right": right}, baseline, wilson(right, ASKED), evidence)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        who: dict[str, Array] = {}
        value: dict[str, Array] = {}
        for target in targets:
            asked, released = (self._table(target.published, one) for one in ("asked.csv", "release.csv"))
            if name == "blind":
                who[target.key] = rng.integers(1, len(released["age"]) + 1, ASKED)
                value[target.key] = DIAGNOSES[rng.integers(0, len(DIAGNOSES), ASKED)]
                continue
            far = np.abs(asked["age"][:, None] - released["age"])
            nearest = far == far.min(axis=1)[:, None]
            is_one, row = nearest.sum(axis=1) == 1, nearest.argmax(axis=1)
            who[target.key] = np.where(is_one, row + 1, NO_LINE)
            value[target.key] = np.where(is_one, released["diagnosis"][row], NO_VALUE)
        write_table(out, "who.csv", who)
        write_table(out, "value.csv", value)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        truths = {target.key: self._table(target.secret, "truth.csv") for target in targets}
        write_table(out, "who.csv", {key: truth["line"] for key, truth in truths.items()})
        write_table(out, "value.csv", {key: truth["diagnosis"] for key, truth in truths.items()})
        return True

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        assert seat is not None
        mine = dict(self._table(seat.files, f"mine_{params['variant']}.csv"))
        if name == "decades":
            mine["age"] = mine["age"] // params["width"] * params["width"]
        write_table(out, "release.csv", mine)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        own = {one.target.key: one.team for one in hidden if one.target is not None}
        counted = [cell for cell in cells() if own.get(cell.target) != cell.attacker]
        penalty = 0.0 if rule == "no-penalty" else params["penalty"]
        rows = [_hider(one, [c for c in counted if _is_about(c, one)], penalty) for one in hidden]
        yield Board("main", ("total", "utility", "safety", "penalty"), _in_order(rows))
        teams = {one.team for one in hidden}
        attackers = sorted({cell.attacker for cell in counted})
        seekers = [_seeker(one, [c for c in counted if c.attacker == one], one in teams) for one in attackers]
        yield Board("seekers", ("power", "who", "value"), _in_order(seekers))

    def _mine(self, entry: Target) -> Columns:
        assert entry.seat is not None
        return self._table(entry.seat.files, f"mine_{entry.variant}.csv")

    def _table(self, box: Box, name: str) -> Columns:
        return read_columns(self.declaration, box, name)


def _is_about(cell: Cell, one: Hidden) -> bool:
    return one.target is not None and cell.target == one.target.key


def _hider(one: Hidden, cells: Sequence[Cell], penalty: float) -> Row:
    """Utility, the worst of both challenges, and the patients found by a crowd."""
    utility = one.verdict.utility if one.verdict else None
    if one.state not in ("counts", "house") or utility is None:
        return Row(one.team, dict.fromkeys(("total", "utility", "safety", "penalty")), None)
    worst = [
        max((cell.result.risk or 0.0 for cell in cells if cell.challenge == name), default=0.0)
        for name in ("who", "value")
    ]
    found = [set(np.asarray(c.result.evidence["found"]).tolist()) for c in cells if c.challenge == "who"]
    everybody = set().union(*found)
    lost = penalty * sum(sum(person in some for some in found) >= CROWD for person in everybody)
    safety = 100 * (1 - sum(worst) / len(worst))
    total = utility + safety - lost
    chain = (-total, -safety, one.received) if one.state == "counts" else None
    return Row(one.team, {"total": total, "utility": utility, "safety": safety, "penalty": lost}, chain)


def _seeker(attacker: str, cells: Sequence[Cell], is_ranked: bool) -> Row:
    """The mean risk in each challenge and over both; the house has no place."""
    means = {}
    for name in ("who", "value"):
        risks = [cell.result.risk or 0.0 for cell in cells if cell.challenge == name]
        means[name] = sum(risks) / len(risks) if risks else 0.0
    power = (means["who"] + means["value"]) / 2
    return Row(attacker, {"power": power, **means}, (-power,) if is_ranked else None)


def _in_order(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (row.chain is None, row.chain or (), row.key)))
