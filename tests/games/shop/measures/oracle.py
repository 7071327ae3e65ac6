"""The four measures written again from their definitions alone: plain loops, fractions, no arrays."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from tests.games.shop.measures.strategies import Contest, Person, Row


def spent(row: Row) -> Fraction:
    return Fraction(row[5]) * int(row[6])


def day(row: Row) -> datetime.date:
    return datetime.date(*map(int, row[2].split("/")))


def ut_jaccard(contest: Contest, vanished: str = "charge") -> float:
    total, n_after = Fraction(0), len(contest.people_after)
    for i, person in enumerate(contest.people_after):
        customer = contest.people[contest.truth[i]][0]
        before = {row[4] for row in contest.rows if row[0] == customer}
        after = {row[4] for row in contest.rows_after if row[0] == person[0]}
        if before | after:
            total += 1 - Fraction(len(before & after), len(before | after))
    if vanished == "ignore":
        return float(total / n_after) if n_after else 0.0
    n = len(contest.people)
    return float((total + n - n_after) / n)


def cmae(contest: Contest) -> float:
    def means(people: tuple[Person, ...], rows: tuple[Row, ...]) -> dict[tuple[str, str], Fraction]:
        result = {}
        for cluster in {(person[1], person[3]) for person in people}:
            members = {person[0] for person in people if (person[1], person[3]) == cluster}
            units = sum(int(row[6]) for row in rows if row[0] in members)
            money = sum((spent(row) for row in rows if row[0] in members), Fraction(0))
            result[cluster] = money / units if units else Fraction(0)
        return result

    before = means(contest.people, contest.rows)
    after = means(contest.people_after, contest.rows_after)
    clusters = before.keys() | after.keys()
    return float(
        sum((abs(before.get(s, Fraction(0)) - after.get(s, Fraction(0))) for s in clusters), Fraction(0))
        / len(clusters)
    )


def windows(contest: Contest) -> Iterator[tuple[datetime.date, datetime.date]]:
    days = [day(row) for row in contest.rows + contest.rows_after]
    if not days:
        return
    start = min(days)
    while True:
        yield start, start + datetime.timedelta(days=29)
        start += datetime.timedelta(days=1)
        if start + datetime.timedelta(days=29) > max(days):
            return


def subset(contest: Contest) -> float:
    """Every window, and really every 10-set: meant for at most a dozen rows."""
    n_after = len(contest.people_after)
    size = min(10, n_after)
    worst = Fraction(0)
    for first, last in windows(contest):
        difference = []
        for i, person in enumerate(contest.people_after):
            customer = contest.people[contest.truth[i]][0]
            after = [r for r in contest.rows_after if r[0] == person[0] and first <= day(r) <= last]
            before = [r for r in contest.rows if r[0] == customer and first <= day(r) <= last]
            difference.append(sum(map(spent, after), Fraction(0)) - sum(map(spent, before), Fraction(0)))
        if size and any(difference):
            sums = (abs(sum(chosen, Fraction(0))) for chosen in itertools.combinations(difference, size))
            worst = max(worst, max(sums) / size)
    return float(worst)


def rfm(contest: Contest) -> float:
    all_days = [day(row) for row in contest.rows] or [datetime.date(1970, 1, 1)]

    def habits(people: tuple[Person, ...], rows: tuple[Row, ...]) -> list[tuple[Fraction, ...]]:
        result = []
        for person in people:
            own = [row for row in rows if row[0] == person[0]]
            last = max(map(day, own)) if own else min(all_days) - datetime.timedelta(days=1)
            recency = Fraction((max(all_days) - last).days + 1)
            money = sum(map(spent, own), Fraction(0))
            result.append((recency, Fraction(len({row[1] for row in own})), money))
        return result

    def quintile(values: list[Fraction], k: int) -> Fraction:
        ordered = sorted(values)
        position = Fraction(k, 5) * (len(ordered) - 1)
        low = math.floor(position)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (position - low)

    before = habits(contest.people, contest.rows)
    after = habits(contest.people_after, contest.rows_after)
    cuts = [[quintile([habit[a] for habit in before], k) for k in (1, 2, 3, 4)] for a in range(3)]

    def cell(habit: tuple[Fraction, ...]) -> tuple[int, ...]:
        return tuple(sum(value > cut for cut in cuts[a]) for a, value in enumerate(habit))

    cells, cells_after = list(map(cell, before)), list(map(cell, after))
    squares = norm = 0.0
    for wanted in itertools.product(range(5), repeat=3):
        share = cells.count(wanted) / len(before)
        share_after = cells_after.count(wanted) / max(len(after), 1)
        squares += (share_after - share) ** 2
        norm += share**2
    return math.sqrt(squares / 125) / math.sqrt(norm / 125)
