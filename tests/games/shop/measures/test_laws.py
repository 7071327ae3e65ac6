"""What every utility measure must obey, whoever writes it: parametrised over the whole registry."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.shop.data.folder import read_original
from games.shop.data.tables import PurchaseData
from games.shop.measures.registry import EVERY_MEASURE, MEASURES
from scoring.measure import Measure
from tests.games.shop.measures.strategies import Contest, contests, dataset
from tests.scoring.test_laws import described_like_the_others, on_two_threads

each_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
few = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("described", EVERY_MEASURE, ids=lambda described: described.name)
def test_a_measure_is_one_file_one_function_and_one_documented_constant(described: Measure) -> None:
    described_like_the_others(described)


def test_names_are_unique() -> None:
    names = [described.name for described in EVERY_MEASURE]
    assert len(set(names)) == len(names)


@each_measure
@few
@given(contests())
def test_unchanged_data_scores_best(measure: Measure, contest: Contest) -> None:
    names = [f"p{i}" for i in range(len(contest.people))]
    pseudonym = dict(zip([person[0] for person in contest.people], names, strict=True))
    original = dataset(contest.people, contest.rows)
    people = tuple((pseudonym[person[0]], *person[1:]) for person in reversed(contest.people))
    rows = tuple((pseudonym[row[0]], *row[1:]) for row in contest.rows)
    truth = np.arange(len(people))[::-1]
    assert measure.function(original, dataset(people, rows), truth).value == 0


@each_measure
def test_unchanged_2016_data_scores_best(measure: Measure, shared_data: Path) -> None:
    original = read_original(shared_data / "pwscup2016")
    assert measure.function(original, original, np.arange(original.n_customers)).value == 0


@each_measure
@few
@given(contests(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_shows_in_the_last_bit(
    measure: Measure, contest: Contest, random: Random
) -> None:
    """Rows of T, T′, M and M′ are permuted; the truth follows the two masters."""
    order, order_after = (
        random.sample(range(len(p)), len(p)) for p in (contest.people, contest.people_after)
    )
    place = {who: position for position, who in enumerate(order)}
    shuffled = Contest(
        people=tuple(contest.people[i] for i in order),
        rows=tuple(random.sample(contest.rows, len(contest.rows))),
        people_after=tuple(contest.people_after[i] for i in order_after),
        rows_after=tuple(random.sample(contest.rows_after, len(contest.rows_after))),
        truth=tuple(place[contest.truth[i]] for i in order_after),
    )
    assert measure.function(*shuffled.datasets()).value == measure.function(*contest.datasets()).value


@each_measure
@few
@given(contests())
def test_index_and_column_types_of_the_frames_are_irrelevant(measure: Measure, contest: Contest) -> None:
    original, released, truth = contest.datasets()
    if not contest.rows or not contest.rows_after:
        return
    others = []
    for data in (original, released):
        people, rows = data.to_frames()
        rows = rows.astype({"unit_price": float, "quantity": int, "item_id": "category", "date": "string"})
        rows.index = pd.Index(range(len(rows), 0, -1))
        people.index = pd.Index([f"row {i}" for i in range(len(people))])
        others.append(PurchaseData.from_frames(people.astype({"gender": "category"}), rows))
    assert measure.function(*others, list(truth)) == measure.function(original, released, truth)


@each_measure
@few
@given(contests())
def test_results_are_bounded_and_can_be_written_as_json(measure: Measure, contest: Contest) -> None:
    result = measure.function(*contest.datasets())
    assert result.value >= measure.low
    assert measure.high is None or result.value <= measure.high
    text = json.dumps(result.detail, allow_nan=False)
    assert json.loads(text) == result.detail, "the detail holds JSON values only"


def columns_of(data: PurchaseData) -> list[np.ndarray]:
    master, rows = data.master, data.transactions
    coded = (master.gender, master.birthday, master.country, rows.receipt, rows.item)
    plain = (master.ids, rows.customer, rows.day, rows.minute, rows.price, rows.quantity)
    return [*plain, *(column.codes for column in coded), *(column.labels for column in coded)]


@each_measure
@few
@given(contests())
def test_inputs_are_left_as_they_were(measure: Measure, contest: Contest) -> None:
    original, released, truth = contest.datasets()
    columns = [*columns_of(original), *columns_of(released), truth]
    copies = [column.copy() for column in columns]
    measure.function(original, released, truth)
    assert all(np.array_equal(*pair) for pair in zip(columns, copies, strict=True))


@each_measure
def test_two_threads_get_what_one_gets(measure: Measure, shared_data: Path) -> None:
    original = read_original(shared_data / "pwscup2016")
    truth = np.arange(original.n_customers)[::-1].copy()
    alone = measure.function(original, original, truth)
    assert on_two_threads(lambda: measure.function(original, original, truth)) == [alone] * 4


@each_measure
def test_details_of_the_2016_data_stay_small(measure: Measure, shared_data: Path) -> None:
    """They are stored with every entry and shown on one page."""
    original = read_original(shared_data / "pwscup2016")
    truth = np.arange(original.n_customers)[::-1].copy()
    result = measure.function(original, original, truth)
    assert len(json.dumps(result.detail)) < 20_000


@pytest.mark.parametrize("measure", [m for m in MEASURES if m.uses_truth], ids=lambda measure: measure.name)
@pytest.mark.parametrize(
    ("truth", "told"), [([0], "one entry per row"), ([0, 2], "0 to 1"), ([1, 1], "twice")]
)
def test_a_truth_that_is_none_is_refused(measure: Measure, truth: list[int], told: str) -> None:
    people = (("1", "f", "1970/1/1", "France"), ("2", "m", "1970/1/1", "France"))
    data = dataset(people, (("1", "1", "2011/1/1", "9:00", "tea", "1", "1"),))
    with pytest.raises(ValueError, match=told):
        measure.function(data, data, truth)


def test_measures_are_values() -> None:
    """Constants can be compared and derived: a round stores the version that it used."""
    assert replace(MEASURES[0], version=2) != MEASURES[0]
