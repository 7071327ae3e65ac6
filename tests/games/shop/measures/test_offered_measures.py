"""The measures beyond the four of 2016, against plain loops written from their definitions."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings

from games.shop.measures.date_shift import date_shift
from games.shop.measures.deleted_rows import deleted_rows
from games.shop.measures.item_cosine import item_cosine
from games.shop.measures.price_ratio import price_ratio
from games.shop.measures.top_items import top_items
from games.shop.measures.ut_ham import ut_ham
from games.shop.measures.ut_rows import ut_rows
from tests.games.shop.measures.oracle import day
from tests.games.shop.measures.strategies import Contest, Row, contests

relaxed = settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
CELLS = {"receipt": 1, "day": 2, "minute": 3, "item": 4, "price": 5, "quantity": 6}
MASTER = {"gender": 1, "birthday": 2, "country": 3}


def sides(contest: Contest) -> list[tuple[list[Row], list[Row]]]:
    """For every customer of M the rows in T and those in T′, none for one who vanished."""
    name = {who: contest.people_after[i][0] for i, who in enumerate(contest.truth)}
    return [
        (
            [row for row in contest.rows if row[0] == person[0]],
            [row for row in contest.rows_after if row[0] == name.get(who)],
        )
        for who, person in enumerate(contest.people)
    ]


@relaxed
@given(contests())
def test_rows_and_deleted_rows(contest: Contest) -> None:
    tables = contest.datasets()
    n, n_after = len(contest.rows), len(contest.rows_after)
    assert ut_rows(*tables).value == abs(n - n_after) / max(n, 1)
    lost = sum(max(0, len(before) - len(after)) for before, after in sides(contest))
    assert deleted_rows(*tables).value == lost / max(n, 1)


@relaxed
@given(contests())
def test_cells_changed(contest: Contest) -> None:
    by_column = ut_ham(*contest.datasets()).detail["by_column"]
    for name, place in CELLS.items():
        longer = common = 0
        for before, after in sides(contest):
            longer += max(len(before), len(after))
            common += (Counter(r[place] for r in before) & Counter(r[place] for r in after)).total()
        assert by_column[name] == pytest.approx((longer - common) / longer if longer else 0), name
    for name, place in MASTER.items():
        same = sum(
            contest.people[who][place] == contest.people_after[i][place]
            for i, who in enumerate(contest.truth)
        )
        assert by_column[name] == pytest.approx(1 - same / len(contest.people)), name


def test_one_column_and_unknown_columns() -> None:
    from games.shop.measure_examples import tea_and_cake

    assert ut_ham(*tea_and_cake(), columns=["gender"]).value == 0
    with pytest.raises(ValueError, match="must name some of gender"):
        ut_ham(*tea_and_cake(), columns=["colour"])


@relaxed
@given(contests())
def test_date_shift(contest: Contest) -> None:
    days = [day(row) for row in contest.rows]
    span = (max(days) - min(days)).days + 1 if days else 0
    total = 0.0
    for before, after in sides(contest):
        a, b = sorted(map(day, before)), sorted(map(day, after))
        if a and b:
            longer = max(len(a), len(b))
            steps = [(a[t * len(a) // longer], b[t * len(b) // longer]) for t in range(longer)]
            total += len(a) * sum(abs((x - y).days) for x, y in steps) / longer
        elif a:
            total += len(a) * span
    assert date_shift(*contest.datasets()).value == pytest.approx(total / max(len(days), 1))


@relaxed
@given(contests())
def test_price_ratio(contest: Contest) -> None:
    total = 0.0
    for item in {row[4] for row in contest.rows}:
        before = [float(row[5]) for row in contest.rows if row[4] == item]
        after = [float(row[5]) for row in contest.rows_after if row[4] == item]
        means = sorted([sum(before) / len(before), sum(after) / len(after) if after else 0.0])
        total += len(before) * (1 - means[0] / means[1])
    assert price_ratio(*contest.datasets()).value == pytest.approx(total / max(len(contest.rows), 1))


@relaxed
@given(contests())
def test_items_bought_together(contest: Contest) -> None:
    cosines = []
    for rows in (contest.rows, contest.rows_after):
        buyers: dict[str, set[str]] = {}
        for row in rows:
            buyers.setdefault(row[4], set()).add(row[0])
        cosines.append(
            {
                pair: len(buyers[pair[0]] & buyers[pair[1]])
                / math.sqrt(len(buyers[pair[0]]) * len(buyers[pair[1]]))
                for pair in combinations(sorted(buyers), 2)
            }
        )
    w, w_after = cosines
    moved = sum(abs(value - w_after.get(pair, 0.0)) for pair, value in w.items() if value > 0)
    expected = min(1.0, moved / sum(w.values())) if sum(w.values()) else 0.0
    assert item_cosine(*contest.datasets()).value == pytest.approx(expected, abs=1e-12)
    kept = {row[4] for row in contest.rows} & {row[4] for row in contest.rows_after}
    n_items = len({row[4] for row in contest.rows})
    assert top_items(*contest.datasets()).value == (n_items - len(kept)) / max(n_items, 1)
