"""The boards of a round, from the verdicts on all entries and the hits of all attacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from games.contract.values import Board, Cell, Hidden, Result, Row

from .scores import DECIMALS, FULL_POINTS, anonymity, overall, penalty

MAIN = ("total", "utility", "anonymity", "penalty", "most-hits", *(f"{name}-points" for name in FULL_POINTS))
LAST_ROUND = "last-round"
VOID = "void"
PLAYING = ("counts", "house", VOID)
"""The states of entries that attacks are counted on."""
PER_POINT = 100
"""Hits for a point of attack, as the guide book counts them; the published table shows the sum."""


class Matrix:
    """Who made how many hits on whose entry, and on whom. Attacks on one's own entry do not count."""

    def __init__(self, hidden: Sequence[Hidden], cells: Iterable[Cell]) -> None:
        self.teams = tuple(one.team for one in hidden if one.state != "house")
        owners = {one.target.key: one.team for one in hidden if one.target and one.state in PLAYING}
        self._results: dict[tuple[str, str], Result] = {}
        for cell in cells:
            owner = owners.get(cell.target)
            if owner is None or owner == cell.attacker:
                continue
            if self._is_better(cell, owner):
                self._results[cell.attacker, owner] = cell.result

    def _is_better(self, cell: Cell, owner: str) -> bool:
        """Of several answers to an entry, the one with the most hits counts, the first of equals."""
        is_first = (cell.attacker, owner) not in self._results
        return is_first or (cell.result.numbers["hits"] or 0) > self.hits(cell.attacker, owner)

    def hits(self, attacker: str, team: str) -> float:
        result = self._results.get((attacker, team))
        return (result.numbers["hits"] or 0) if result else 0

    def most(self, team: str) -> float:
        """The most hits that another team made on an entry; attacks of the house do not count."""
        return max((self.hits(attacker, team) for attacker in self.teams), default=0)

    def most_finders(self, team: str) -> int:
        """How many other teams found the member whom most of them found."""
        found = [
            np.asarray(self._results[attacker, team].evidence.get("found", ()), dtype=np.int64)
            for attacker in self.teams
            if (attacker, team) in self._results
        ]
        joined = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
        return int(np.bincount(joined).max()) if len(joined) else 0

    @property
    def house(self) -> list[str]:
        """The attackers that are no teams."""
        return sorted({attacker for attacker, _ in self._results} - set(self.teams))


class Standing(NamedTuple):
    """A team on the main board."""

    team: str
    received: float
    values: dict[str, float | None]
    is_ranked: bool
    is_target: bool

    @property
    def score(self) -> float:
        return self.values["total"] or 0.0


def tally(
    rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
    cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
) -> Iterator[Board]:  # fmt: skip
    matrix = Matrix(hidden, cells())
    standings = [_standing(one, matrix, params) for one in hidden]
    rows = [Row(one.team, one.values, _chain(one.score, one.is_ranked)) for one in standings]
    main = _board("main", MAIN, rows)
    attackers = _attackers(standings, matrix, params)
    yield main
    yield attackers
    if rule != LAST_ROUND:
        yield _awards(main, attackers, params)
        return
    before = _round_before(earlier, params)
    both = (
        _overall("overall", main, "total", before, params, 1.0),
        _overall("overall-attackers", attackers, "points", before, params, params["earlier-attack-factor"]),
    )
    yield from both
    yield _awards(*both, params)


def _standing(one: Hidden, matrix: Matrix, params: Mapping[str, Any]) -> Standing:
    """Without an entry all is 0; a voided entry has no anonymity and stays a target."""
    values: dict[str, float | None] = dict.fromkeys(MAIN, 0.0)
    adjusted = {name: value for name, value in one.adjusted.items() if name in values}
    is_target = one.target is not None and one.state in PLAYING and one.verdict is not None
    if is_target and one.verdict is not None:
        values |= {name: one.verdict.parts.get(name, 0.0) for name in MAIN if name.endswith("-points")}
        values["utility"] = one.verdict.utility
        values["most-hits"] = matrix.most(one.team)
        values["penalty"] = penalty(matrix.most_finders(one.team), params)
        values |= adjusted
        left = anonymity(values["most-hits"] or 0.0, values["penalty"] or 0.0, params["members"])
        values["anonymity"] = 0.0 if one.state == VOID else left
        values |= adjusted
        values["total"] = round((values["utility"] or 0.0) + (values["anonymity"] or 0.0), DECIMALS)
    values |= adjusted
    return Standing(one.team, one.received, values, one.state != "house", is_target)


def _attackers(standings: Sequence[Standing], matrix: Matrix, params: Mapping[str, Any]) -> Board:
    """Hits on the best entries; on an attacker's own entry the most that anybody made."""
    ranked = sorted((one for one in standings if one.is_ranked and one.is_target), key=_by_score)
    best = [one.team for one in ranked][: params["top"]]
    rows = []
    for attacker in (*matrix.teams, *matrix.house):
        points = sum(_points(matrix, attacker, team) for team in best)
        values: dict[str, float | None] = {
            "points": points,
            "score": round(points / PER_POINT, DECIMALS),
            "hits": sum(matrix.hits(attacker, one.team) for one in standings),
        }
        rows.append(Row(attacker, values, _chain(points, attacker in matrix.teams)))
    return _board("attackers", ("points", "score", "hits"), rows)


def _by_score(one: Standing) -> tuple[float, float, str]:
    """Of equal totals, the entry that came first is before the other."""
    return -one.score, one.received, one.team


def _points(matrix: Matrix, attacker: str, team: str) -> float:
    return matrix.most(team) if attacker == team else matrix.hits(attacker, team)


def _round_before(earlier: Mapping[str, Sequence[Board]], params: Mapping[str, Any]) -> Sequence[Board]:
    """The boards of the round that counts beside this one: the named one, else the last before it."""
    name = params["earlier-round"] or next(reversed(list(earlier)), "")
    return earlier.get(name, ())


def _overall(
    name: str, last: Board, column: str, before: Sequence[Board], params: Mapping[str, Any], factor: float
) -> Board:
    """A board of two rounds; a team that was not in the first has 0 there."""
    first = {row.key: row.values.get(column) or 0.0
             for board in before if board.name == last.name for row in board.rows}  # fmt: skip
    rows = []
    for row in last.rows:
        here, there = row.values[column] or 0.0, first.get(row.key, 0.0)
        score = overall(factor * there, here, params["earlier-weight"])
        values: dict[str, float | None] = {"score": score, "earlier": there, "last": here}
        rows.append(Row(row.key, values, _chain(score, row.chain is not None)))
    return _board(name, ("score", "earlier", "last"), rows)


def _awards(hiders: Board, seekers: Board, params: Mapping[str, Any]) -> Board:
    """The places that have an award, and the best attackers; equal ones share a place."""
    places = {key: place for key, place in _places(hiders) if place <= params["award-places"]}
    best = {key for key, place in _places(seekers) if place == 1}
    rows = []
    for key in sorted(places.keys() | best):
        values: dict[str, float | None] = {"place": places.get(key), "best-attack": float(key in best)}
        rows.append(Row(key, values, (float(places.get(key, len(hiders.rows) + 1)),)))
    return _board("awards", ("place", "best-attack"), rows)


def _places(board: Board) -> Iterator[tuple[str, int]]:
    """The places of those who have points."""
    chains = [row.chain for row in board.rows if row.chain is not None]
    for row in board.rows:
        if row.chain is not None and row.chain[0] < 0:
            yield row.key, 1 + sum(chain < row.chain for chain in chains)


def _chain(score: float, is_ranked: bool) -> tuple[float, ...] | None:
    return (0.0 - score,) if is_ranked else None


def _board(name: str, columns: tuple[str, ...], rows: Sequence[Row]) -> Board:
    in_order = sorted(rows, key=lambda row: (row.chain is None, row.chain or (), row.key))
    return Board(name, columns, in_order)
