"""The boards of a round: every result as the ranking rules of `games.shop.ranking` look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from games.contract.values import Board, Cell, Figures, Hidden, Row
from games.contract.values import Result as Judged
from games.shop.ranking import Found, Place, Ranking, Result, find_ranking, rank

MAIN = ("total", "utility", "safety", "hits", "people", "shot-down")
ATTACKERS = ("found", "hits", "targets")


def boards_by(rule: str, hidden: Sequence[Hidden], cells: Iterable[Cell]) -> Iterator[Board]:
    """The board of those who hide, by the rule, and that of the attackers, by the mean share found."""
    owners = {one.target.key: one.team for one in hidden if one.target is not None}
    by_target: dict[str, list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: cell.attacker):
        if cell.target in owners and owners[cell.target] != cell.attacker:
            by_target.setdefault(cell.target, []).append(cell)
    ranking = find_ranking(rule)
    results = [_result(place, one, by_target, ranking) for place, one in enumerate(hidden)]
    rows = [_row(place, hidden[place.result.key].team) for place in rank(results, ranking)]
    yield Board("main", MAIN, rows)
    yield Board("attackers", ATTACKERS, _attackers(by_target))


def _result(place: int, one: Hidden, by_target: Mapping[str, list[Cell]], ranking: Ranking) -> Result:
    """What a rule may look at; a team without an entry that counts has no numbers, so no total.

    The order in which teams are given is that of the entries' numbers, the last tie-break.
    """
    takes_part = one.target is not None and one.verdict is not None and one.state in ("counts", "house")
    if not takes_part or one.target is None or one.verdict is None:
        return Result(place, None, None, 1, one.received, takes_place=False)
    best = _strongest(by_target.get(one.target.key, []), ranking)
    numbers = best.numbers if best else {}
    return Result(
        key=place,
        utility=one.verdict.utility,
        hits=_whole(numbers, "hits") if best else None,
        n_released=(_whole(numbers, "of") if best else 1) or 1,
        received=one.received,
        loss=one.verdict.parts.get("loss"),
        risk=best.risk if best else None,
        penalty=one.adjusted.get("penalty") or 0.0,
        guesses=_whole(numbers, "guesses") if best else None,
        takes_place=one.state == "counts",
    )


def _strongest(cells: Sequence[Cell], ranking: Ranking) -> Judged | None:
    """The result that counts against an entry; of equals the first by the attacker's name."""
    best = max(cells, key=lambda cell: ranking.strength(_found(cell.result)), default=None)
    return best.result if best else None


def _found(result: Judged) -> Found:
    hits, guesses = _whole(result.numbers, "hits"), _whole(result.numbers, "guesses")
    return Found(hits, guesses, result.risk or 0.0)


def _whole(numbers: Figures, name: str) -> int:
    return int(numbers[name] or 0)


def _row(place: Place, team: str) -> Row:
    result = place.result
    values = {
        "total": place.total,
        "utility": result.utility,
        "safety": result.safety,
        "hits": result.hits,
        "people": result.n_released if result.hits is not None else None,
        "shot-down": None if place.total is None else float(bool(place.verdict)),
    }
    return Row(team, values, place.chain if place.rank is not None else None)


def _attackers(by_target: Mapping[str, list[Cell]]) -> list[Row]:
    best: dict[str, dict[str, Judged]] = {}
    for target, cells in by_target.items():
        for cell in cells:
            if cell.result.risk is not None:
                best.setdefault(cell.attacker, {})[target] = cell.result
    rows = []
    for attacker, results in best.items():
        found = sum(result.risk or 0.0 for result in results.values()) / len(results)
        hits = sum(_whole(result.numbers, "hits") for result in results.values())
        rows.append(Row(attacker, {"found": found, "hits": hits, "targets": len(results)}, (-found,)))
    return sorted(rows, key=lambda row: (row.chain or (), row.key))
