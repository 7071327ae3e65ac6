"""Ranking: a pure function from results to places, so that a page and a recomputation cannot differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """What a ranking rule may look at. ``hits`` is the most customers that one attack found."""

    key: int
    utility: float | None
    hits: int | None
    n_released: int
    received: float

    @property
    def safety(self) -> float | None:
        """Share of customers whom the best attack did not find, in percent."""
        return None if self.hits is None else 100 * (self.n_released - self.hits) / self.n_released


@dataclass(frozen=True)
class Ranking:
    """A rule: its formula in words, its total, and the chain that breaks ties."""

    name: str
    title: str
    formula: str
    total: Callable[[float, float], float]
    tie_breaks: tuple[str, ...] = (
        "higher total",
        "fewer people found by the best attack",
        "higher utility",
        "earlier upload",
        "smaller entry number",
    )


@dataclass(frozen=True)
class Place:
    """A row of the board. Without a total (no valid score, or attacks still under way) there is no rank."""

    result: Result
    rank: int | None
    total: float | None


def _penalised(utility: float, safety: float) -> float:
    return utility + safety - 2 * max(0.0, 50 - utility) - 2 * max(0.0, 50 - safety)


RANKINGS = (
    Ranking(
        "2016",
        "Utility plus people not found (PWSCUP 2016, platform definition v1)",
        "total = U + A, where U is the utility score (0–100) and A the share of people whom the best attack "
        "did not find, in percent.",
        lambda utility, safety: utility + safety,
    ),
    Ranking(
        "2024",
        "Utility plus safety with penalties (PWSCUP 2024)",
        "total = U + A − 2·max(0, 50 − U) − 2·max(0, 50 − A).",
        _penalised,
    ),
    Ranking("2026", "The weaker side counts (PWSCUP 2026)", "total = min(U, A).", min),
)


def find_ranking(name: str) -> Ranking:
    for ranking in RANKINGS:
        if ranking.name == name:
            return ranking
    raise KeyError(f"There is no ranking rule {name!r}. There are: {', '.join(r.name for r in RANKINGS)}.")


def rank(results: Sequence[Result], ranking: Ranking) -> list[Place]:
    """Order results by the rule's chain. What has no total is listed last, without a rank.

    >>> rule = find_ranking("2026")
    >>> rows = [Result(1, 80.0, 50, 100, 0.0), Result(2, 60.0, 10, 100, 1.0), Result(3, None, None, 100, 2.0)]
    >>> [(place.rank, place.result.key, place.total) for place in rank(rows, rule)]
    [(1, 2, 60.0), (2, 1, 50.0), (None, 3, None)]
    """
    scored: list[tuple[tuple[float, ...], Result, float]] = []
    unscored: list[Result] = []
    for result in results:
        safety = result.safety
        if result.utility is None or safety is None or result.hits is None:
            unscored.append(result)
            continue
        total = ranking.total(result.utility, safety)
        if total != total:
            unscored.append(result)
            continue
        chain = (-total, result.hits, -result.utility, result.received, result.key)
        scored.append((chain, result, total))
    scored.sort(key=lambda row: row[0])
    places = [Place(result, place, total) for place, (_, result, total) in enumerate(scored, start=1)]
    waiting = sorted(unscored, key=lambda result: (result.received, result.key))
    return places + [Place(result, None, None) for result in waiting]
