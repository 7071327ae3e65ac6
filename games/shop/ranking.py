"""Ranking: pure functions from results to places, so that a page and a recomputation cannot differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from datasets.lookup import find_by_name
from games.shop.shot_down import shot_down

SHOT_DOWN = "shot down"
VERDICTS = (SHOT_DOWN,)
"""What can put an entry behind all others, as the board says it."""


@dataclass(frozen=True)
class Result:
    """What a ranking rule may look at. ``hits`` is the most customers that one attack found.

    ``loss`` and ``risk`` are for rules that use the worst of several measures from 0 to 1; without them
    they are 1 − U/100 and the share found. ``penalty`` reduces the safety (2025). ``guesses`` is how
    many guesses the best attack made (2018); without it, one per released customer. ``takes_place`` is false
    for the house where it is shown beside the teams: it is ordered like all others and has no rank.
    """

    key: int
    utility: float | None
    hits: int | None
    n_released: int
    received: float
    loss: float | None = None
    risk: float | None = None
    penalty: float = 0.0
    guesses: int | None = None
    takes_place: bool = True

    @property
    def safety(self) -> float | None:
        """Share of customers whom the best attack did not find, in percent."""
        return None if self.hits is None else 100 * (self.n_released - self.hits) / self.n_released


@dataclass(frozen=True)
class Scored:
    """A result whose numbers are all there."""

    utility: float
    safety: float
    loss: float
    risk: float
    penalty: float
    hits: int
    guesses: int
    received: float
    key: int


TieBreak = Callable[[Scored], float]
FEWER_HITS: tuple[str, TieBreak] = ("fewer people found by the best attack", lambda it: it.hits)
HIGHER_UTILITY: tuple[str, TieBreak] = ("higher utility", lambda it: -it.utility)
LOWER_LOSS: tuple[str, TieBreak] = ("lower loss of utility", lambda it: it.loss)
EARLIER: tuple[str, TieBreak] = ("earlier upload", lambda it: it.received)
SMALLER_NUMBER: tuple[str, TieBreak] = ("smaller entry number", lambda it: it.key)


@dataclass(frozen=True)
class Found:
    """What one attack found: how many people, of how many whom it claims to know, and their share."""

    hits: int
    guesses: int
    rate: float


@dataclass(frozen=True)
class Ranking:
    """A rule: its formula in words, its total, and the whole chain that orders the board.

    ``verdict`` names what puts an entry behind all others, such as "shot down", or nothing. ``by_loss`` says
    that its total is made of the loss of utility instead of the utility.
    """

    name: str
    title: str
    formula: str
    total: Callable[[Scored], float]
    then: tuple[tuple[str, TieBreak], ...] = (FEWER_HITS, HIGHER_UTILITY, EARLIER, SMALLER_NUMBER)
    lower_wins: bool = False
    by_loss: bool = False
    verdict: Callable[[Scored], str] | None = None
    verdict_text: str = ""
    strength: Callable[[Found], tuple[float, ...]] = lambda found: (found.hits,)
    """Of all attacks on an entry, the one with the largest strength counts."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The chain in words, the total included."""
        first = (self.verdict_text,) if self.verdict_text else ()
        return (*first, f"{'lower' if self.lower_wins else 'higher'} total", *(text for text, _ in self.then))


@dataclass(frozen=True)
class Place:
    """A row of the board. Without a total (no valid score, or attacks still under way) there is no rank, and
    none for what takes no place. ``chain`` is what the rule compares, smaller first."""

    result: Result
    rank: int | None
    total: float | None
    verdict: str = ""
    chain: tuple[float, ...] | None = None


def _penalised(utility: float, safety: float) -> float:
    return utility + safety - 2 * max(0.0, 50 - utility) - 2 * max(0.0, 50 - safety)


def _strength_2018(found: Found) -> tuple[float, ...]:
    """What comes nearest to shooting down, or goes furthest beyond it."""
    return (found.hits - shot_down(found.guesses), found.hits)


def _verdict_2018(it: Scored) -> str:
    return SHOT_DOWN if it.hits >= shot_down(it.guesses) else ""


RANKINGS = (
    Ranking(
        "2016",
        "Utility plus people not found (PWSCUP 2016, platform definition v1)",
        "total = U + A, where U is the utility score (0–100) and A the share of people whom the best attack "
        "did not find, in percent.",
        lambda it: it.utility + it.safety,
    ),
    Ranking(
        "2017",
        "Worst loss and worst risk, halved (PWSCUP 2017)",
        "total = (max E + max S) / 2, lower wins, where max E is the worst loss of utility and max S the "
        "worst share of people found, both from 0 to 1.",
        lambda it: (it.loss + it.risk) / 2,
        then=(FEWER_HITS, LOWER_LOSS, EARLIER, SMALLER_NUMBER),
        lower_wins=True,
        by_loss=True,
        strength=lambda found: (found.rate, found.hits),
    ),
    Ranking(
        "2018",
        "Not shot down, then least loss (PWSCUP 2018)",
        "total = loss of utility, lower wins; an entry is shot down if hits ≥ r(n), where n is the number of "
        "guesses and r(n) the least k with Σ_{i≥k} C(n, i)·(1/3)^i < 0.01/20, and r(0) = 1.",
        lambda it: it.loss,
        then=(FEWER_HITS, EARLIER, SMALLER_NUMBER),
        lower_wins=True,
        by_loss=True,
        verdict=_verdict_2018,
        verdict_text="not shot down",
        strength=_strength_2018,
    ),
    Ranking(
        "2024",
        "Utility plus safety with penalties (PWSCUP 2024)",
        "total = U + A − 2·max(0, 50 − U) − 2·max(0, 50 − A).",
        lambda it: _penalised(it.utility, it.safety),
    ),
    Ranking(
        "2025",
        "Utility plus safety, less what the rules deduct (PWSCUP 2025)",
        "total = U + A, where A = max(0, 100·(n − most hits)/n − penalty).",
        lambda it: it.utility + max(0.0, it.safety - it.penalty),
    ),
    Ranking(
        "2026",
        "The weaker side counts (PWSCUP 2026)",
        "total = min(U, A).",
        lambda it: min(it.utility, it.safety),
    ),
)


USUAL = RANKINGS[0].name
"""The rule of a round that names none."""


def find_ranking(name: str) -> Ranking:
    return find_by_name(RANKINGS, name, "ranking rule")


def numbered(takes_place: Iterable[bool]) -> list[int | None]:
    """The places of rows in their order: 1, 2, 3 … for those that take one, nothing for the others.

    >>> numbered([False, True, False, True])
    [None, 1, None, 2]
    """
    places = itertools.count(1)
    return [next(places) if takes else None for takes in takes_place]


def rank(results: Sequence[Result], ranking: Ranking) -> list[Place]:
    """Order results by the rule's chain. What has no total is listed last, without a rank.

    >>> rule = find_ranking("2026")
    >>> rows = [Result(1, 80.0, 50, 100, 0.0), Result(2, 60.0, 10, 100, 1.0), Result(3, None, None, 100, 2.0)]
    >>> [(place.rank, place.result.key, place.total) for place in rank(rows, rule)]
    [(1, 2, 60.0), (2, 1, 50.0), (None, 3, None)]

    What takes no place is listed where its total puts it, and those behind it do not count it:

    >>> house = Result(9, 70.0, 0, 100, 0.0, takes_place=False)
    >>> [(place.rank, place.result.key) for place in rank([*rows, house], rule)]
    [(None, 9), (1, 2), (2, 1), (None, 3)]
    """
    ranked: list[tuple[tuple[float, ...], Result, float, str]] = []
    unranked: list[Result] = []
    for result in results:
        scored = _scored(result)
        total = ranking.total(scored) if scored else math.nan
        if scored is None or not math.isfinite(total):
            unranked.append(result)
            continue
        verdict = ranking.verdict(scored) if ranking.verdict else ""
        first = total if ranking.lower_wins else -total
        chain = (float(bool(verdict)), first, *(value(scored) for _, value in ranking.then))
        ranked.append((chain, result, total, verdict))
    ranked.sort(key=lambda row: row[0])
    numbers = numbered(result.takes_place for _, result, _, _ in ranked)
    places = [
        Place(result, number, total, verdict, chain)
        for number, (chain, result, total, verdict) in zip(numbers, ranked, strict=True)
    ]
    waiting = sorted(unranked, key=lambda result: (result.received, result.key))
    return places + [Place(result, None, None) for result in waiting]


def usefulness(result: Result, ranking: Ranking) -> float | None:
    """How useful an entry is as the rule counts it, larger is better; what attacks found is not looked at.

    >>> entry = Result(1, 80.0, None, 100, 0.0, loss=0.25)
    >>> usefulness(entry, find_ranking("2016")), usefulness(entry, find_ranking("2017"))
    (80.0, -0.25)
    """
    if result.utility is None:
        return None
    loss = 1 - result.utility / 100 if result.loss is None else result.loss
    useful = -loss if ranking.by_loss else result.utility
    return useful if math.isfinite(useful) else None


def _scored(result: Result) -> Scored | None:
    """The numbers that rules use, or nothing where one is missing or not a number."""
    if result.utility is None or result.hits is None or result.safety is None:
        return None
    scored = Scored(
        utility=result.utility,
        safety=result.safety,
        loss=1 - result.utility / 100 if result.loss is None else result.loss,
        risk=result.hits / result.n_released if result.risk is None else result.risk,
        penalty=result.penalty,
        hits=result.hits,
        guesses=result.n_released if result.guesses is None else result.guesses,
        received=result.received,
        key=result.key,
    )
    numbers = (scored.utility, scored.safety, scored.loss, scored.risk, scored.penalty)
    return scored if all(math.isfinite(number) for number in numbers) else None


@dataclass(frozen=True)
class Played:
    """A round in the overall ranking: its weight, and the total of every team that has one."""

    weight: float
    totals: Mapping[int, float | None]


@dataclass(frozen=True)
class OverallPlace:
    key: int
    rank: int | None
    total: float | None
    by_round: tuple[float | None, ...]


def rank_overall(
    rounds: Sequence[Played], *, lower_wins: bool = False, absent: float = 0.0
) -> list[OverallPlace]:
    """Order teams by the weighted mean of their totals over the rounds, as 0.1 · preliminary + 0.9 · final.

    A team that has no total in a round counts ``absent`` there: 0, as in 2024, or 1 where lower totals win.
    A team without any total has no rank. Ties: the better total in the last round, then in the one before
    it, and so on, then the smaller key. Rounds of weight 0, a practice, count for nothing.

    >>> first, final = Played(0.1, {1: 140.0, 2: 100.0}), Played(0.9, {2: 130.0, 1: 120.0, 3: None})
    >>> [(place.rank, place.key, place.total) for place in rank_overall([first, final])]
    [(1, 2, 127.0), (2, 1, 122.0), (None, 3, None)]
    """
    counted = [played for played in rounds if played.weight > 0]
    weights = math.fsum(played.weight for played in counted)
    sign = 1 if lower_wins else -1
    ranked: list[tuple[tuple[float, ...], OverallPlace]] = []
    unranked: list[OverallPlace] = []
    for key in sorted({key for played in rounds for key in played.totals}):
        by_round = tuple(_finite(played.totals.get(key)) for played in rounds)
        totals = [_finite(played.totals.get(key)) for played in counted]
        if all(total is None for total in totals):
            unranked.append(OverallPlace(key, None, None, by_round))
            continue
        filled = [absent if total is None else total for total in totals]
        shares = (played.weight * total for played, total in zip(counted, filled, strict=True))
        overall = math.fsum(shares) / weights
        chain = (sign * overall, *(sign * total for total in reversed(filled)), key)
        ranked.append((chain, OverallPlace(key, None, overall, by_round)))
    ranked.sort(key=lambda row: row[0])
    places = [
        OverallPlace(place.key, number, place.total, place.by_round)
        for number, (_, place) in enumerate(ranked, start=1)
    ]
    return places + unranked


def _finite(total: float | None) -> float | None:
    return total if total is not None and math.isfinite(total) else None
