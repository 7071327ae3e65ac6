"""The boards of a round: utility and anonymity of releases, the power of attackers, two rounds together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from games.contract.values import Board, Cell, Hidden, Row

from .layout import clipped
from .membership import lost_anonymity

MAIN = ("score", "utility", "anonymity", "a-mia", "a-aia", "u-rare", "protection")
POWER = ("power", "mia", "aia")
OVERALL = ("score", "earlier", "last")
LAST_ROUND = "last-round"
PLAYING = ("counts", "house")


class Found(NamedTuple):
    """What one attacker reached against one release."""

    mia: float = 0.0
    excess: float = 0.0
    aia: float = 0.0


class Matrix:
    """Who reached what against whom. What is said about one's own release does not count."""

    def __init__(self, hidden: Sequence[Hidden], cells: Iterable[Cell]) -> None:
        self.teams = tuple(dict.fromkeys(one.team for one in hidden if one.state != "house"))
        owners = {one.target.key: one.team for one in hidden if one.target and one.state in PLAYING}
        self._found: dict[tuple[str, str], Found] = {}
        for cell in cells:
            owner = owners.get(cell.target)
            if owner is not None and owner != cell.attacker:
                before = self._found.get((cell.attacker, owner), Found())
                self._found[cell.attacker, owner] = _with(before, cell)
        self.attackers = tuple(sorted({attacker for attacker, _ in self._found}))
        self.attacked = {owner for _, owner in self._found}
        self.targets = tuple(
            owner for owner in owners.values() if owner in self.teams or owner in self.attacked
        )

    def found(self, attacker: str, team: str) -> Found:
        return self._found.get((attacker, team), Found())

    def against(self, team: str) -> list[Found]:
        """What each team reached against a release; where none attacked, the house counts as one attacker."""
        teams = [name for name in self.attackers if name in self.teams and name != team]
        if teams:
            return [self.found(name, team) for name in teams]
        house = [self.found(name, team) for name in self.attackers if name not in self.teams and name != team]
        return [Found(*map(max, zip(*house, strict=True)))] if house else []


def _with(before: Found, cell: Cell) -> Found:
    """The better of several answers of one attacker to one release."""
    numbers = cell.result.numbers
    if cell.challenge == "mia":
        mia, excess = numbers["score"] or 0.0, numbers["excess"] or 0.0
        return before._replace(mia=max(before.mia, mia), excess=max(before.excess, excess))
    return before._replace(aia=max(before.aia, numbers["score"] or 0.0))


def anonymity(found: Sequence[Found], fpr: float) -> tuple[float, float]:
    """a_MIA and a_AIA of a release: of the mean over attackers, and of the strongest one.

    >>> anonymity([Found(0.2, 0.11, 0.3), Found(0.1, 0.0, 0.5)], 0.01)
    (0.5, 0.5)
    >>> anonymity([], 0.01)
    (0.0, 0.0)
    """
    if not found:
        return 0.0, 0.0
    mean = fpr + sum(one.excess for one in found) / len(found)
    return lost_anonymity(mean, fpr), max(clipped(one.aia) for one in found)


def tally(
    rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
    cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
) -> Iterator[Board]:  # fmt: skip
    matrix = Matrix(hidden, cells())
    main = _board("main", MAIN, [_row(one, matrix, params) for one in hidden])
    yield main
    yield _board("power", POWER, [_power(name, matrix) for name in _everybody(matrix)])
    if rule == LAST_ROUND:
        yield _overall(main, earlier, params)


def _row(one: Hidden, matrix: Matrix, params: Mapping[str, Any]) -> Row:
    """A team without a release that counts has 0; what nobody attacked of the house has no anonymity.

    Ties: platform definition v1.
    """
    values: dict[str, float | None] = dict.fromkeys(MAIN, 0.0)
    adjusted = {name: value for name, value in one.adjusted.items() if name in values}
    if one.state in PLAYING and one.verdict is not None:
        a_mia, a_aia = anonymity(matrix.against(one.team), params["fpr"])
        values |= {"a-mia": a_mia, "a-aia": a_aia, "anonymity": 1 - max(a_mia, a_aia)}
        values |= {"utility": one.verdict.utility, "u-rare": one.verdict.parts.get("u-rare")}
        values["protection"] = one.verdict.parts.get("protection")
        values |= adjusted
        values["score"] = min(values["utility"] or 0.0, values["anonymity"] or 0.0)
        if one.state == "house" and one.team not in matrix.attacked:
            values |= dict.fromkeys(("score", "anonymity", "a-mia", "a-aia"))
    values |= adjusted
    better = max(values["utility"] or 0.0, values["anonymity"] or 0.0)
    score, rare = values["score"] or 0.0, values["u-rare"] or 0.0
    chain = (0.0 - score, 0.0 - better, 0.0 - rare, one.received)
    return Row(one.team, values, chain if one.state != "house" else None)


def _everybody(matrix: Matrix) -> tuple[str, ...]:
    return (*matrix.teams, *(name for name in matrix.attackers if name not in matrix.teams))


def _power(attacker: str, matrix: Matrix) -> Row:
    """The mean over all releases of others in both games; who answers nothing has none."""
    others = [team for team in matrix.targets if team != attacker]
    found = [matrix.found(attacker, team) for team in others]
    mia = sum(one.mia for one in found) / len(found) if found else 0.0
    aia = sum(clipped(one.aia) for one in found) / len(found) if found else 0.0
    values: dict[str, float | None] = {"power": mia + aia, "mia": mia, "aia": aia}
    return Row(attacker, values, (0.0 - (mia + aia),) if attacker in matrix.teams else None)


def _overall(main: Board, earlier: Mapping[str, Sequence[Board]], params: Mapping[str, Any]) -> Board:
    """Two rounds, weighted; a team that was not in the earlier one has 0 there."""
    name = params["earlier-round"] or next(reversed(list(earlier)), "")
    before = {row.key: row.values.get("score") or 0.0
              for board in earlier.get(name, ()) if board.name == "main" for row in board.rows}  # fmt: skip
    weight, rows = params["earlier-weight"], []
    for row in main.rows:
        here, there = row.values["score"] or 0.0, before.get(row.key, 0.0)
        score = weight * there + (1 - weight) * here
        values: dict[str, float | None] = {"score": score, "earlier": there, "last": here}
        rows.append(Row(row.key, values, None if row.chain is None else (0.0 - score,)))
    return _board("overall", OVERALL, rows)


def _board(name: str, columns: tuple[str, ...], rows: Sequence[Row]) -> Board:
    in_order = sorted(rows, key=lambda row: (row.chain is None, row.chain or (), row.key))
    return Board(name, columns, in_order)
