"""The pictures of the house's games, compared with scikit-learn, pandas and SciPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import CensoredData, ecdf, spearmanr
from sklearn.metrics import roc_curve

from games.contract.pictures import plain_pictures
from games.loading import find_folder, read_completed
from games.pwscup2024 import pictures as pictures2024
from games.pwscup2025 import pictures as pictures2025
from games.pwscup2026 import pictures as pictures2026
from games.seek.pictures import LOW_RATE, MOST, roc_pictures

RNG_SEEDS = range(8)


def plain(game: str, drawn: Any, challenge: str = "") -> list[dict[str, Any]]:
    """What a game draws as its own declaration allows it."""
    declared = read_completed(find_folder(game))
    pictures = declared.answer_pictures(challenge) if challenge else declared.entry_pictures()
    return plain_pictures(pictures, drawn)


def by_name(things: Any) -> dict[str, Any]:
    return {one["name"]: one for one in things}


def answers(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 400))
    labels = rng.permutation(np.arange(n) % 2)
    return np.round(np.clip(0.2 * labels + rng.random(n), 0, 1), int(rng.integers(1, 5))), labels


@pytest.mark.parametrize("game", ["membership", "snake", "midst"])
@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_the_curve_is_that_of_scikit_learn(game: str, seed: int) -> None:
    scores, labels = answers(seed)
    whole, low = plain(game, roc_pictures(scores, labels, [0.1, 0.01]), "member")
    fpr, tpr, _ = roc_curve(labels, scores)
    curve = by_name(whole["curves"])["answer"]
    assert set(zip(curve["x"], curve["y"], strict=True)) <= set(zip(fpr.tolist(), tpr.tolist(), strict=True))
    assert len(curve["x"]) <= MOST
    if len(fpr) <= MOST:
        assert (curve["x"], curve["y"]) == (fpr.tolist(), tpr.tolist())
    marks = by_name(whole["points"])
    assert marks["rates"]["x"] == [0.01, 0.1]
    for rate, reached in zip(marks["rates"]["x"], marks["rates"]["y"], strict=True):
        # Over a vertical rise the upper end counts.
        last = np.flatnonzero(fpr == rate)
        assert reached == pytest.approx(tpr[last[-1]] if len(last) else np.interp(rate, fpr, tpr))
    assert marks["half"]["x"] == [np.mean(scores[labels == 0] > 0.5)]
    assert marks["half"]["y"] == [np.mean(scores[labels == 1] > 0.5)]
    start = by_name(low["curves"])["answer"]
    assert (low["part"], start["x"][-1]) == ("low", LOW_RATE)
    assert all(x <= LOW_RATE for one in [*low["curves"], *low["points"]] for x in one["x"])


def test_an_answer_about_members_alone_has_no_curve() -> None:
    assert list(roc_pictures(np.array([0.1, 0.9]), np.array([1, 1]), [0.1])) == []


def shares(column: pd.Series, classes: list[str]) -> list[float]:
    counts = column.astype(str).value_counts(normalize=True)
    return [100 * float(counts.get(label, 0.0)) for label in classes]


def series_of(picture: Mapping[str, Any]) -> dict[str, list[float]]:
    return {one["name"]: one["values"] for one in picture["series"]}


def test_ratings_and_attributes_of_2024_are_counted_as_pandas_counts() -> None:
    rng = np.random.default_rng(1)
    ages = np.array([1, 18, 25, 35, 45, 50, 56])

    def table(names: tuple[str, ...]) -> dict[str, np.ndarray]:
        made = {
            "Gender": rng.choice(["F", "M"], 80), "Age": rng.choice(ages, 80),
            "Occupation": rng.integers(0, 21, 80), "ZIP-code": rng.integers(0, 999, 80),
            "2": rng.integers(0, 6, 80), "56": rng.integers(0, 6, 80),
        }  # fmt: skip
        return {name: made[name] for name in names}

    projections = (("Gender", "Age", "2"), ("Age", "ZIP-code", "2", "56"), ("Occupation", "56"))
    original = table(("Gender", "Age", "Occupation", "ZIP-code", "2", "56"))
    upload = [table(names) for names in projections]
    drawn = {
        one["part"]: one for one in plain("pwscup2024", pictures2024.marginals(original, upload, projections))
    }
    assert set(drawn) == {"Gender", "Age", "Occupation", "ZIP-code", "ratings"}
    assert drawn["Age"]["classes"] == [str(age) for age in ages]
    after = pd.concat([pd.Series(upload[0]["Age"]), pd.Series(upload[1]["Age"])])
    assert series_of(drawn["Age"])["after"] == pytest.approx(shares(after, drawn["Age"]["classes"]))
    before = shares(pd.Series(original["Gender"]), ["F", "M"])
    assert series_of(drawn["Gender"])["before"] == pytest.approx(before)
    movies = [pd.Series(original[name]) for name in ("2", "2", "56", "56")]
    assert series_of(drawn["ratings"])["before"] == pytest.approx(shares(pd.concat(movies), list("012345")))
    assert sum(series_of(drawn["ZIP-code"])["after"]) == pytest.approx(100)


def patients(seed: int, n: int = 150) -> pd.DataFrame:
    from games.pwscup2025.layout import CATEGORIES, COLUMNS, FLAGS

    rng = np.random.default_rng(seed)
    frame = {}
    for name in COLUMNS:
        if name in CATEGORIES:
            frame[name] = rng.choice(CATEGORIES[name], n)
        elif name in FLAGS:
            frame[name] = rng.integers(0, 2, n)
        else:
            frame[name] = np.round(rng.gamma(3, 10, n), 0 if name == "AGE" else 2)
    return pd.DataFrame(frame)


def as_texts(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    return {name: tuple(frame[name].astype(str)) for name in frame}


def test_correlations_and_marginals_of_2025_are_those_of_pandas() -> None:
    frames = patients(1), patients(2)
    texts = [as_texts(frame) for frame in frames]
    drawn = plain("pwscup2025", [*pictures2025.marginals(*texts), pictures2025.correlations(*texts)])
    heat = drawn.pop()
    for panel, frame in zip(heat["panels"], frames, strict=True):
        expected = frame[heat["columns"]].corr().to_numpy()
        np.testing.assert_allclose(np.array(panel["values"]), expected, atol=1e-9)
    assert [one["part"] for one in drawn] == list(frames[0])
    race = next(one for one in drawn if one["part"] == "RACE")
    for values, frame in zip(series_of(race).values(), frames, strict=True):
        assert values == pytest.approx(shares(frame["RACE"], race["classes"]))


def test_the_operating_point_of_2025_is_counted_by_hand() -> None:
    marks = np.array([True, True, False, False, True])
    members = np.array([True, False, True, False, True])
    (drawn,) = plain("pwscup2025", pictures2025.operating_point(marks, members), "member")
    assert by_name(drawn["points"])["marked"] == {"name": "marked", "x": [0.5], "y": [pytest.approx(2 / 3)]}
    assert list(pictures2025.operating_point(marks, np.full(5, True))) == []


def cohort(seed: int, n: int = 200) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    made: dict[str, np.ndarray] = {
        name: np.round(rng.normal(100, 20, n), 1) for name in ("BMI", "SBP", "TG", "HDL", "ALT", "FPG")
    }
    made["age"] = rng.integers(40, 75, n)
    for name in ("sex", "smoking", "onset", "death"):
        made[name] = rng.integers(0, 2, n)
    made["prefecture"] = rng.choice([f"P{k:02d}" for k in range(47)], n)
    made["time"] = np.round(rng.uniform(0.1, 10, n), 2)
    return made


def test_survival_curves_of_2026_are_those_of_scipy() -> None:
    tables = {"before": cohort(1), "after": cohort(2)}
    drawn = plain(
        "pwscup2026", pictures2026.survival(**dict(zip(("cohort", "release"), tables.values(), strict=True)))
    )
    assert [one["part"] for one in drawn] == ["everybody", "sex-1", "sex-0", "smoking-1", "smoking-0"]
    for picture in drawn:
        for name, curve in by_name(picture["curves"]).items():
            table = tables[name]
            column, value = {"sex-1": ("sex", 1), "sex-0": ("sex", 0), "smoking-1": ("smoking", 1),
                             "smoking-0": ("smoking", 0)}.get(picture["part"], ("sex", None))  # fmt: skip
            rows = np.full(len(table["time"]), True) if value is None else table[column] == value
            ill = table["onset"][rows] == 1
            data = CensoredData(uncensored=table["time"][rows][ill], right=table["time"][rows][~ill])
            expected = ecdf(data).sf.evaluate(np.array(curve["x"]))
            np.testing.assert_allclose(curve["y"], expected, atol=1e-12)
            assert (curve["x"][0], curve["x"][-1], curve["y"][0]) == (0, 10, 1)


def test_correlations_and_marginals_of_2026_are_those_of_scipy_and_pandas() -> None:
    before, after = cohort(3), cohort(4)
    after["sex"][:] = 1
    (heat,) = plain("pwscup2026", [pictures2026.correlations(before, after)])
    first, second = (np.array(panel["values"], dtype=float) for panel in heat["panels"])
    expected = spearmanr(np.column_stack([before[name] for name in heat["columns"]])).statistic
    np.testing.assert_allclose(first, expected, atol=1e-9)
    place = heat["columns"].index("sex")
    assert np.isnan(np.delete(second[place], place)).all()
    drawn = {one["part"]: one for one in plain("pwscup2026", pictures2026.marginals(before, after))}
    assert series_of(drawn["sex"])["after"] == [0.0, 100.0]
    common = [label for label in drawn["prefecture"]["classes"] if label != "other"]
    expected = shares(pd.Series(before["prefecture"]), common)
    assert series_of(drawn["prefecture"])["before"][:-1] == pytest.approx(expected)


@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_the_curves_of_2026_lie_on_those_of_scikit_learn(seed: int) -> None:
    confidence, labels = answers(seed)
    is_member, is_rare = labels == 1, np.arange(len(labels)) % 4 < 2
    (drawn,) = plain(
        "pwscup2026", pictures2026.membership_curves(confidence, is_member, is_rare, 0.01), "mia"
    )
    for name, rows in (("all", np.full(len(labels), True)), ("rare", is_rare)):
        fpr, tpr, _ = roc_curve(is_member[rows], confidence[rows])
        curve = by_name(drawn["curves"])[name]
        assert len(curve["x"]) == 41
        for x, y in zip(curve["x"], curve["y"], strict=True):
            upper = tpr[fpr <= x][-1] if (fpr == x).any() else np.interp(x, fpr, tpr)
            assert y == pytest.approx(upper)
    assert by_name(drawn["points"])["rate"]["x"] == [0.01, 0.01]
