"""The boards of a round, from the verdicts on all entries and the hits of all attacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from games.contract.values import Board, Cell, Hidden, Row
from games.tables.boards import (
    DECIMALS,
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

from .scores import FULL_POINTS, anonymity, penalty

MAIN = ("total", "utility", "anonymity", "penalty", "most-hits", *(f"{name}-points" for name in FULL_POINTS))
LAST_ROUND = "last-round"
VOID = "void"
PLAYING = ("counts", "house", VOID)
"""The states of entries that attacks are counted on."""
PER_POINT = 100
"""Hits for a point of attack, as the guide book counts them; the published table shows the sum."""


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
    if rule != LAST_ROUND:
        yield awards(main, attackers, params)
        return
    before, weight = round_before(earlier, params), params["earlier-weight"]
    factor = params["earlier-attack-factor"]
    both = (
        overall_board("overall", main, "total", before, weight),
        overall_board("overall-attackers", attackers, "points", before, weight, factor),
    )
    yield from both
    yield awards(*both, params)


def _standing(one: Hidden, matrix: Matrix, params: Mapping[str, Any]) -> Standing:
    """Without an entry all is 0; a voided entry has no anonymity and stays a target."""
    values: dict[str, float | None] = dict.fromkeys(MAIN, 0.0)
    adjusted = {name: value for name, value in one.adjusted.items() if name in values}
    is_target = one.target is not None and one.state in PLAYING and one.verdict is not None
    if is_target and one.verdict is not None:
        values |= {name: one.verdict.parts.get(name, 0.0) for name in MAIN if name.endswith("-points")}
        values["utility"] = one.verdict.utility
        values["most-hits"] = matrix.most(one.team)
        values["penalty"] = penalty(_most_finders(matrix, one.team), params)
        values |= adjusted
        left = anonymity(values["most-hits"] or 0.0, values["penalty"] or 0.0, params["members"])
        values["anonymity"] = 0.0 if one.state == VOID else left
        values |= adjusted
        values["total"] = round((values["utility"] or 0.0) + (values["anonymity"] or 0.0), DECIMALS)
    values |= adjusted
    return Standing(one.team, one.received, values, one.state != "house", is_target)


def _most_finders(matrix: Matrix, team: str) -> int:
    """How many other teams found the member whom most of them found."""
    found = [np.asarray(one.evidence.get("found", ()), dtype=np.int64) for one in matrix.results_on(team)]
    joined = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    return int(np.bincount(joined).max()) if len(joined) else 0


def _attackers(standings: Sequence[Standing], matrix: Matrix, params: Mapping[str, Any]) -> Board:
    """Hits on the best entries; on an attacker's own entry the most that anybody made."""
    best = best_of(standings, params["top"])
    rows = []
    for attacker in (*matrix.teams, *matrix.house):
        points = matrix.points(attacker, best)
        values: dict[str, float | None] = {
            "points": points,
            "score": round(points / PER_POINT, DECIMALS),
            "hits": sum(matrix.hits(attacker, one.team) for one in standings),
        }
        rows.append(Row(attacker, values, chain_of(points, attacker in matrix.teams)))
    return in_order("attackers", ("points", "score", "hits"), rows)
