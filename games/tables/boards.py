"""Boards of contests in which attackers make hits: who hit whom, two rounds together, places and awards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from games.contract.values import Board, Cell, Hidden, Result, Row

DECIMALS = 6
"""Sums of shown numbers have fewer; what is beyond is noise of binary fractions."""


class Matrix:
    """Who made how many hits on whose entry. Attacks on one's own entry do not count.

    ``playing`` are the states of entries that attacks are counted on.
    """

    def __init__(self, hidden: Sequence[Hidden], cells: Iterable[Cell], playing: Collection[str]) -> None:
        self.teams = tuple(one.team for one in hidden if one.state != "house")
        owners = {one.target.key: one.team for one in hidden if one.target and one.state in playing}
        self._results: dict[tuple[str, str], Result] = {}
        for cell in cells:
            owner = owners.get(cell.target)
            if owner is not None and owner != cell.attacker and self._is_better(cell, owner):
                self._results[cell.attacker, owner] = cell.result

    def _is_better(self, cell: Cell, owner: str) -> bool:
        """Of several answers to an entry, the one with the most hits counts, the first of equals."""
        is_first = (cell.attacker, owner) not in self._results
        return is_first or (cell.result.numbers["hits"] or 0) > self.hits(cell.attacker, owner)

    def hits(self, attacker: str, team: str, kind: str = "hits") -> float:
        result = self._results.get((attacker, team))
        return (result.numbers.get(kind) or 0) if result else 0

    def most(self, team: str, kind: str = "hits") -> float:
        """The most hits that another team made on an entry; attacks of the house do not count."""
        return max((self.hits(attacker, team, kind) for attacker in self.teams), default=0)

    def points(self, attacker: str, teams: Iterable[str], kind: str = "hits") -> float:
        """Hits on some entries; on an attacker's own entry the most that anybody made."""
        return sum(
            self.most(team, kind) if attacker == team else self.hits(attacker, team, kind) for team in teams
        )

    def results_on(self, team: str) -> list[Result]:
        """What other teams reached on an entry."""
        return [self._results[attacker, team] for attacker in self.teams if (attacker, team) in self._results]

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
    is_target: bool = True

    @property
    def score(self) -> float:
        return self.values["total"] or 0.0


def best_of(standings: Sequence[Standing], n: int) -> list[str]:
    """The teams with the best entries; of equal totals, the entry that came first is before the other."""
    ranked = [one for one in standings if one.is_ranked and one.is_target]
    return [one.team for one in sorted(ranked, key=lambda one: (-one.score, one.received, one.team))][:n]


def main_board(standings: Sequence[Standing], columns: tuple[str, ...]) -> Board:
    rows = [Row(one.team, one.values, chain_of(one.score, one.is_ranked)) for one in standings]
    return in_order("main", columns, rows)


def round_before(earlier: Mapping[str, Sequence[Board]], params: Mapping[str, Any]) -> Sequence[Board]:
    """The boards of the round that counts beside this one: the named one, else the last before it."""
    name = params["earlier-round"] or next(reversed(list(earlier)), "")
    return earlier.get(name, ())


def overall(earlier: float, last: float, weight: float) -> float:
    """Two rounds by weight.

    >>> overall(146.5, 84.02, 0.1), overall(2 * 1883, 12113, 0.1)
    (90.268, 11278.3)
    """
    return round(weight * earlier + (1 - weight) * last, DECIMALS)


def overall_board(
    name: str, last: Board, column: str, before: Sequence[Board], weight: float, factor: float = 1.0
) -> Board:
    """A board of two rounds; whoever was not in the first has 0 there."""
    first = {row.key: row.values.get(column) or 0.0
             for board in before if board.name == last.name for row in board.rows}  # fmt: skip
    rows = []
    for row in last.rows:
        here, there = row.values[column] or 0.0, first.get(row.key, 0.0)
        score = overall(factor * there, here, weight)
        values: dict[str, float | None] = {"score": score, "earlier": there, "last": here}
        rows.append(Row(row.key, values, chain_of(score, row.chain is not None)))
    return in_order(name, ("score", "earlier", "last"), rows)


def awards(hiders: Board, seekers: Board, params: Mapping[str, Any]) -> Board:
    """The places that have an award, and the best attackers; equal ones share a place."""
    places = {key: place for key, place in places_of(hiders) if place <= params["award-places"]}
    best = {key for key, place in places_of(seekers) if place == 1}
    rows = []
    for key in sorted(places.keys() | best):
        values: dict[str, float | None] = {"place": places.get(key), "best-attack": float(key in best)}
        rows.append(Row(key, values, (float(places.get(key, len(hiders.rows) + 1)),)))
    return in_order("awards", ("place", "best-attack"), rows)


def places_of(board: Board) -> Iterator[tuple[str, int]]:
    """The places of those who have points.

    >>> points = {"a": 3.0, "b": 5.0, "c": 3.0}
    >>> rows = [Row(name, {}, chain_of(score, True)) for name, score in points.items()]
    >>> list(places_of(in_order("main", (), rows)))
    [('b', 1), ('a', 2), ('c', 2)]
    """
    chains = [row.chain for row in board.rows if row.chain is not None]
    for row in board.rows:
        if row.chain is not None and row.chain[0] < 0:
            yield row.key, 1 + sum(chain < row.chain for chain in chains)


def chain_of(score: float, is_ranked: bool) -> tuple[float, ...] | None:
    """What a row is ordered by: the highest score first."""
    return (0.0 - score,) if is_ranked else None


def in_order(name: str, columns: tuple[str, ...], rows: Sequence[Row]) -> Board:
    ordered = sorted(rows, key=lambda row: (row.chain is None, row.chain or (), row.key))
    return Board(name, columns, ordered)
