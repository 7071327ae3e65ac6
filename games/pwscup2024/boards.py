"""The boards of a round, from the verdicts on all entries and the hits of all attacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.contract.values import Board, Cell, Hidden, Row
from games.tables.boards import (
    Matrix,
    Standing,
    awards,
    best_of,
    chain_of,
    in_order,
    main_board,
    overall_board,
    round_before,
)

from .scores import anonymity, total

KINDS = ("hits", "link", "cell")
MAIN = ("total", "utility", "anonymity", "link-anonymity", "cell-anonymity", "sample")
LAST_ROUND = "last-round"
PLAYING = ("counts", "house")
"""The states of entries that attacks are counted on."""


def tally(
    rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
    cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
) -> Iterator[Board]:  # fmt: skip
    matrix = Matrix(hidden, cells(), PLAYING)
    standings = [_standing(one, matrix, params) for one in hidden]
    main = main_board(standings, MAIN)
    attackers = _attackers(standings, matrix, params)
    yield main
    yield attackers
    yield _provisional(hidden)
    if rule != LAST_ROUND:
        yield awards(main, attackers, params)
        return
    before, weight = round_before(earlier, params), params["earlier-weight"]
    both = (
        overall_board("overall", main, "total", before, weight),
        overall_board("overall-attackers", attackers, "points", before, weight),
    )
    yield from both
    yield awards(*both, params)


def _standing(one: Hidden, matrix: Matrix, params: Mapping[str, Any]) -> Standing:
    """What a team without an entry that counts has is 0 throughout."""
    values: dict[str, float | None] = dict.fromkeys(MAIN, 0.0)
    adjusted = {name: value for name, value in one.adjusted.items() if name in values}
    if one.state in PLAYING and one.verdict is not None:
        n_persons = params["persons"]
        values["sample"] = one.verdict.parts.get("sample")
        values["utility"] = one.verdict.utility
        values["anonymity"] = anonymity(matrix.most(one.team, "hits"), 2 * n_persons)
        for kind in ("link", "cell"):
            values[f"{kind}-anonymity"] = n_persons - matrix.most(one.team, kind)
        values |= adjusted
        values["total"] = total(values["utility"] or 0.0, values["anonymity"] or 0.0, params)
    values |= adjusted
    return Standing(one.team, one.received, values, one.state != "house")


def _attackers(standings: Sequence[Standing], matrix: Matrix, params: Mapping[str, Any]) -> Board:
    """Hits on the best entries; on an attacker's own entry the most that anybody made."""
    best = best_of(standings, params["top"])
    rows = []
    for attacker in (*matrix.teams, *matrix.house):
        points = {kind: matrix.points(attacker, best, kind) for kind in KINDS}
        values: dict[str, float | None] = {
            "points": points["hits"],
            "link-points": points["link"],
            "cell-points": points["cell"],
            "hits": sum(matrix.hits(attacker, one.team, "hits") for one in standings),
        }
        rows.append(Row(attacker, values, chain_of(points["hits"], attacker in matrix.teams)))
    return in_order("attackers", ("points", "link-points", "cell-points", "hits"), rows)


def _provisional(hidden: Sequence[Hidden]) -> Board:
    """The order before the attacks: the organisers' own attack stands for all."""
    rows = []
    for one in hidden:
        parts = one.verdict.parts if one.verdict is not None else {}
        values = {
            "total": parts.get("provisional"),
            "utility": one.verdict and one.verdict.utility,
            "sample": parts.get("sample"),
        }
        ranked = one.state == "counts" and values["total"] is not None
        rows.append(Row(one.team, values, chain_of(values["total"] or 0.0, ranked)))
    return in_order("provisional", ("total", "utility", "sample"), rows)
