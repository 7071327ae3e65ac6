"""Published and organisers' own numbers of 2017 and 2018: the README of the real data lists them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from datasets.tables import Coded
from games.shop.attacks.registry import run_attack
from games.shop.data.check import check_master
from games.shop.data.pwscup2017 import Sheet, TruthTable, read_sheet
from games.shop.data.pwscup2018 import Sheet2018, check_2018, read_sheet_2018
from games.shop.formats import Original2017
from games.shop.measures.e1 import e1
from games.shop.measures.e2 import e2
from games.shop.measures.e4 import e4
from games.shop.measures.e5 import e5
from games.shop.measures.registry import MEASURES_2017
from games.shop.measures.ut_il import ut_il
from games.shop.shot_down import shot_down
from tests.games.shop.data.organisers_truth import organisers_truth


@pytest.fixture(scope="module")
def original(shared_data: Path) -> Sheet:
    return read_sheet(shared_data / "pwscup2017" / "T.csv")


SAMPLE = {"e1": 0.946782, "e2": 0.947189, "e3a": 0.21, "e3b": 0.657265, "e4": 0.0, "e5": 0.0, "e6": 0.5}
"""Output of the organisers' programs on their sample; they published the maximum, 0.947189."""


@pytest.mark.parametrize("measure", MEASURES_2017, ids=lambda measure: measure.name)
def test_the_sample_of_2017_scores_what_the_organisers_programs_printed(
    measure, original: Sheet, shared_data: Path
) -> None:
    released = read_sheet(shared_data / "pwscup2017" / "AT_sample.csv")
    assert round(measure.function(original, released).value, 6) == SAMPLE[measure.name]


@pytest.mark.parametrize("measure", MEASURES_2017, ids=lambda measure: measure.name)
def test_t_itself_and_the_drill_lose_nothing(measure, original: Sheet, shared_data: Path) -> None:
    drill = read_sheet(shared_data / "pwscup2017" / "AT_drill.txt")
    assert measure.function(original, original).value == 0
    assert measure.function(original, drill).value == 0


def test_the_similarities_agree_with_dense_matrices_written_from_the_definition(
    original: Sheet, shared_data: Path
) -> None:
    rows = np.flatnonzero(original.user.codes < 60)
    part, other = (sheet_rows(sheet, rows) for sheet in (original, read_sheet(sample(shared_data))))
    for measure, score in (
        (e1, lambda q: sum(q >= step for step in (12, 24, 36, 48, 60, 72))),
        (e2, lambda q: q if q <= 11 else 0),
    ):
        assert measure(part, other).value == pytest.approx(dense_distance(part, other, score), abs=1e-12)


def sample(shared_data: Path) -> Path:
    return shared_data / "pwscup2017" / "AT_sample.csv"


def sheet_rows(sheet: Sheet, rows: np.ndarray) -> Sheet:
    columns = ("day", "minute", "price", "quantity", "deleted")
    coded = {name: getattr(sheet, name).take(rows) for name in ("user", "receipt", "item")}
    return replace(sheet, **coded, **{name: getattr(sheet, name)[rows] for name in columns})


def dense_distance(original: Sheet, released: Sheet, score) -> float:
    labels = sorted({*original.item.labels, *released.item.labels})
    place = {label: index for index, label in enumerate(labels)}
    cosines = []
    for sheet in (original, released):
        bought = np.zeros((sheet.user.n_labels, len(labels)), dtype=int)
        for row in np.flatnonzero(~sheet.deleted):
            bought[sheet.user.codes[row], place[sheet.item.labels[sheet.item.codes[row]]]] += sheet.quantity[
                row
            ]
        scores = np.vectorize(score, otypes=[float])(bought)
        norms = np.linalg.norm(scores, axis=0)
        dots = scores.T @ scores
        np.fill_diagonal(dots, 0.0)
        with np.errstate(invalid="ignore"):
            cosines.append(np.nan_to_num(dots / np.outer(norms, norms)))
    w, w_after = cosines
    return min(1.0, float(np.abs(w - w_after)[w > 0].sum() / w.sum()))


def test_deleting_rows_dilutes_the_organisers_means_but_not_the_corrected_ones(original: Sheet) -> None:
    half = np.arange(original.n_rows) % 2 == 0
    dearer = replace(original, price=original.price * 2, day=original.day + 1, deleted=half)
    assert e5(original, dearer).value == pytest.approx(0.25, abs=1e-4)
    assert e5(original, dearer, denominator="kept").value == pytest.approx(0.5)
    assert e4(original, dearer, denominator="kept").value == pytest.approx(1 / 31)


S_DRILL = {
    "s1": (0.178, 0.176, 0.186, 0.186),
    "s2": (0.016, 0.014, 0.016, 0.018),
    "s3": (0.010, 0.012, 0.018, 0.020),
    "s4": (0.108, 0.142, 0.130, 0.148),
    "s5": (0.056, 0.078, 0.084, 0.094),
    "s6": (0.328, 0.354, 0.364, 0.376),
}
"""Output of the organisers' sample attacks on S_drill with T25, T50, T75 and T100."""


@pytest.fixture(scope="module")
def drill(shared_data: Path) -> tuple[Original2017, Sheet, TruthTable]:
    folder = shared_data / "pwscup2017"
    master, _ = check_master(folder / "M.csv", 10**9)
    knowledge = {f"T{share}.csv": read_sheet(folder / f"T{share}.txt") for share in (25, 50, 75, 100)}
    original = Original2017(master, read_sheet(folder / "T.csv"), knowledge)
    return original, read_sheet(folder / "S_drill.txt"), organisers_truth(folder / "F_drill.txt")


@pytest.mark.parametrize("attack", S_DRILL)
def test_the_sample_attacks_find_what_the_organisers_found(attack: str, drill) -> None:
    original, published, truth = drill
    guess = run_attack(attack, original, published, 0)
    assert original.sheet.user.labels.tolist() == truth.customers.tolist()
    found = tuple((table == truth.pseudonyms).all(axis=1).mean() for table in guess.tables)
    assert found == S_DRILL[attack]


@pytest.fixture(scope="module")
def original_2018(shared_data: Path) -> Sheet2018:
    return read_sheet_2018(shared_data / "pwscup2018" / "T.csv")


def test_ut_il_of_the_sample_of_2018_is_zero(original_2018: Sheet2018, shared_data: Path) -> None:
    release, verdict = check_2018(shared_data / "pwscup2018" / "A.csv", original_2018)
    assert verdict.ok and release is not None
    assert ut_il(original_2018, release).value == 0.0


def test_the_item_outside_t_is_refused_though_its_loss_would_be_tiny(
    original_2018: Sheet2018, shared_data: Path
) -> None:
    path = shared_data / "pwscup2018" / "A_invalid_item_test.csv"
    release, verdict = check_2018(path, original_2018)
    assert release is None and [problem.code for problem in verdict.problems] == ["unknown-item"]
    wider = Coded.of(original_2018.item.codes, [*original_2018.item.labels, "XXX"])
    release, _ = check_2018(path, replace(original_2018, item=wider))
    assert ut_il(original_2018, release).value == 1.528565838387791e-06


def test_ut_il_of_an_interval_is_the_mean_distance_in_standard_deviations(
    original_2018: Sheet2018, shared_data: Path
) -> None:
    """The formula is the mean of |v − x| over the whole values v of the interval, divided by sd."""
    release, _ = check_2018(shared_data / "pwscup2018" / "A.csv", original_2018)
    x = original_2018.quantity
    wide = replace(release, quantity=replace(release.quantity, low=x - np.minimum(x, 3), high=x + 5))
    expected = [np.abs(np.arange(v - min(v, 3), v + 6) - v).mean() for v in x.tolist()]
    value = ut_il(original_2018, wide).detail["by_column"]["quantity"]
    assert value == pytest.approx(np.mean(expected) / x.std(), rel=1e-9)


def test_r_of_n_is_the_published_table_for_0_to_1000(shared_data: Path) -> None:
    lines = (shared_data / "pwscup2018" / "R.csv").read_text().split()
    table = [tuple(map(int, line.split(","))) for line in lines]
    assert [n for n, _ in table] == list(range(1001))
    assert [shot_down(n) for n, _ in table] == [r for _, r in table]


@pytest.mark.parametrize("n", [1, 2, 10, 37, 100, 500])
def test_the_true_binomial_variant_is_scipys_tail(n: int) -> None:
    from scipy.stats import binom

    k = shot_down(n, true_binomial=True)
    assert binom.sf(k - 1, n, 1 / 3) < 0.01 / 20
    assert k == 0 or binom.sf(k - 2, n, 1 / 3) >= 0.01 / 20
