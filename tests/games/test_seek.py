"""What the contests without a hiding phase share: statistics, drawing, signals, generators, boards."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score, roc_curve

from games.contract.values import Cell, Result
from games.seek.attacks import answers
from games.seek.boards import Track, collected
from games.seek.distances import comparable, count_within, gower, nearest
from games.seek.drawing import TooFew, draw_task
from games.seek.signals import Exhibit, density_ratio, exact_matches, gap, ranked
from games.seek.statistics import (
    BY_NAME,
    STATISTICS,
    auc,
    balanced_accuracy,
    tpr_at_most,
    tpr_interpolated,
    tpr_strict,
    weighted_advantage,
)
from games.seek.synthesis import GENERATORS, chain, marginals

PARAMS: dict[str, Any] = {
    "statistic": "balanced-accuracy", "fpr": 0.1, "other-fpr": 0.01, "least-weight": 0.0,
    "rank-decimals": None, "tied-wins": "all",
}  # fmt: skip


def answers_with_ties(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    labels = rng.permutation(np.arange(n) % 2)
    return np.round(rng.random(n), int(rng.integers(1, 4))), labels


@pytest.mark.parametrize("seed", range(20))
def test_the_statistics_are_those_of_scikit_learn(seed: int) -> None:
    scores, labels = answers_with_ties(seed)
    for fpr in (0.01, 0.1, 0.5):
        false, true, _ = roc_curve(labels, scores)
        assert tpr_strict(scores, labels, fpr) == true[false < fpr].max(initial=0)
        false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
        assert tpr_at_most(scores, labels, fpr) == true[false <= fpr].max(initial=0)
        last = np.flatnonzero(false <= fpr)[-1]
        expected = np.interp(fpr, false[last:], true[last:])
        assert tpr_interpolated(scores, labels, fpr) == pytest.approx(expected, abs=1e-12)
    assert auc(scores, labels, 0.1) == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    called = scores > 0.5
    assert balanced_accuracy(scores, labels, 0.1) == pytest.approx(
        balanced_accuracy_score(labels, called), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_weighted_advantage_is_made_of_weighted_recalls(seed: int) -> None:
    scores, labels = answers_with_ties(seed)
    called, weights = scores > 0.5, 2 * np.abs(0.5 - scores)
    true, false = (
        recall_score(labels == label, called, sample_weight=weights, zero_division=0) for label in (1, 0)
    )
    assert weighted_advantage(scores, labels, 0.1) == pytest.approx((true - false + 1) / 2, abs=1e-12)


@pytest.mark.parametrize("constant", [0.0, 0.3, 0.5, 1.0])
def test_a_constant_answer_has_its_declared_value(constant: float) -> None:
    """As the specification of attack-only contests lists them: 0.01, 0, 0, 0.5, 0.5, 0.5 at an FPR of 1 %."""
    labels = np.arange(10) % 2
    found = [one.value(np.full(10, constant), labels, 0.01) for one in STATISTICS]
    assert found == [0.01, 0, 0, 0.5, 0.5, 0.5]
    assert found == [one.constant(0.01) for one in STATISTICS]


def test_what_is_undefined_counts_as_a_constant_answer() -> None:
    scores = np.array([0.2, 0.9])
    for labels, statistic in product((np.ones(2), np.zeros(2)), STATISTICS):
        if statistic.name != "weighted-advantage":
            assert statistic.function(scores, labels, 0.01) is None
            assert statistic.value(scores, labels, 0.01) == statistic.constant(0.01)


def test_only_members_with_any_weight_leave_the_other_rate_at_zero() -> None:
    """The organisers' program has no number here; the rate of a class without weight is ours."""
    scores, labels = np.array([1.0, 0.0, 0.5, 0.5]), np.array([1, 1, 0, 0])
    assert weighted_advantage(scores, labels, 0.1) == 0.75  # (1/2 − 0 + 1) / 2


def test_no_order_of_the_points_changes_a_bit() -> None:
    scores, labels = answers_with_ties(3)
    order = np.random.default_rng(1).permutation(len(scores))
    for one in STATISTICS:
        assert one.function(scores, labels, 0.1) == one.function(scores[order], labels[order], 0.1)


def rows_of(*tables: list[tuple[float, str]]) -> Any:
    columns = [
        {"a": np.array([a for a, _ in rows], dtype=float), "b": np.array([b for _, b in rows], dtype=object)}
        for rows in tables
    ]
    return comparable(columns, ["a", "b"], {"b"})


def test_distances_by_hand() -> None:
    points, rows = rows_of([(0, "x"), (10, "y")], [(0, "x"), (5, "x"), (10, "x")])
    assert gower(points, rows).tolist() == [[0, 0.25, 0.5], [1, 0.75, 0.5]]
    assert nearest(points, rows, 2).tolist() == [[0, 0.25], [0.5, 0.75]]
    assert count_within(points, rows, 0.25).tolist() == [2, 0]


def test_distances_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    points, rows = rows_of(*([(x, "ab"[int(x) % 2]) for x in rng.integers(0, 9, n)] for n in (7, 11)))
    whole = np.sort(gower(points, rows), axis=1)
    monkeypatch.setattr("games.seek.distances.CELLS", 22)
    assert nearest(points, rows, 3).tolist() == whole[:, :3].tolist()


def test_signals_by_hand() -> None:
    asked = [(0, "x"), (10, "y")]
    points, released, people = rows_of(asked, [(0, "x"), (0, "x"), (5, "y")], asked * 4)
    shown = Exhibit(points, np.arange(2), 2, released, people)
    assert exact_matches(shown).tolist() == [2, 0]
    assert gap(shown)[0] == -1  # both neighbours are equal to it
    assert density_ratio(shown).tolist() == pytest.approx([1 / 0.75, 1], abs=1e-5)  # sixth to third neighbour
    assert ranked(np.array([2.0, 2.0])).tolist() == [0.5, 0.5]


def leaky_exhibit(rng: np.random.Generator, n: int = 60) -> tuple[Exhibit, np.ndarray]:
    """Members are in the release as they are, others only near it by chance."""
    labels = rng.permutation(np.arange(n) % 2)
    asked = [(float(x), "x") for x in rng.random(n)]
    others = [(float(x), "x") for x in rng.random(n)]
    released = [row for row, label in zip(asked, labels, strict=True) if label] + others
    points, synthetic, people = rows_of(asked, released, asked + others)
    return Exhibit(points, np.arange(n), n, synthetic, people), labels


@pytest.mark.parametrize("name", ["nearest", "exact", "density-ratio", "gap", "shadow", "nearest-max"])
def test_house_attacks_find_members_that_were_copied(name: str) -> None:
    """An attack that is turned round has an AUC below 0.5."""
    rng = np.random.default_rng(7)
    (first, known), (second, truth) = leaky_exhibit(rng), leaky_exhibit(rng)
    given = answers(name, {"open": first, "task": second}, {"open": known}, rng)
    assert all(0 <= score <= 1 for scores in given.values() for score in scores)
    assert auc(given["task"], truth, 0.1) > 0.6


def test_half_of_the_asked_are_in_and_the_rest_nowhere() -> None:
    units = np.repeat(np.arange(30), np.arange(30) % 4 + 3)
    for counts_all in (True, False):
        drawn = draw_task(
            units, least_rows=5, n_asked=10, n_rows=80, counts_all=counts_all, rng=np.random.default_rng(1)
        )
        rows = {unit: int((units == unit).sum()) for unit in drawn.asked.tolist()}
        assert drawn.truth.sum() == 5 and min(rows.values()) >= 5
        members = [unit for unit, label in zip(drawn.asked.tolist(), drawn.truth, strict=True) if label]
        outside = [unit for unit in rows if unit not in members]
        trained = units[drawn.training].tolist()
        assert all(trained.count(unit) == rows[unit] for unit in members)
        assert not set(trained) & set(outside)
        lost = sum(rows[unit] for unit in outside) if counts_all else 0
        assert len(trained) == len(set(drawn.training.tolist())) == 80 - lost


@pytest.mark.parametrize(
    ("least", "n_rows", "said"), [(9, 20, "0 units have 9 rows"), (3, 500, "other rows")]
)
def test_a_base_table_that_is_too_small_is_named(least: int, n_rows: int, said: str) -> None:
    units = np.repeat(np.arange(20), 4)
    with pytest.raises(TooFew, match=said):
        draw_task(
            units, least_rows=least, n_asked=4, n_rows=n_rows, counts_all=True, rng=np.random.default_rng(1)
        )


def pairs(n: int) -> dict[str, np.ndarray]:
    """Two columns of which the second follows from the first."""
    first = np.random.default_rng(2).integers(0, 5, n)
    return {"a": first, "b": np.array([f"v{x}" for x in first.tolist()], dtype=object)}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_write_values_of_the_public_table_alone(name: str) -> None:
    table = pairs(200)
    made = GENERATORS[name](table, table, 150, 1.0, np.random.default_rng(3))
    again = GENERATORS[name](table, table, 150, 1.0, np.random.default_rng(3))
    for column, cells in made.items():
        assert len(cells) == 150 and set(cells.tolist()) <= set(table[column].tolist())
        assert cells.tolist() == again[column].tolist()


def test_a_chain_keeps_pairs_and_marginals_do_not() -> None:
    """With ε = 10⁶ the noise is far below one count, so that no pair appears that the training set lacks."""
    table = pairs(500)

    def broken(made: Any) -> int:
        return sum(f"v{a}" != b for a, b in zip(made["a"].tolist(), made["b"].tolist(), strict=True))

    assert broken(chain(table, table, 300, 1e6, np.random.default_rng(4))) == 0
    assert broken(marginals(table, table, 300, 1e6, np.random.default_rng(4))) > 100  # 80 % of 300 expected


def cell(attacker: str, task: str, *right: int) -> Cell:
    """An answer to four points, of which the first ``right`` of members and of others are right."""
    labels = np.array([1, 1, 0, 0])
    scores = np.array([1.0, 1.0, 0.0, 0.0])
    wrong = [place for place in range(4) if place not in right]
    scores[wrong] = 1 - scores[wrong]
    return Cell(attacker, task, "member", Result(None, evidence={"scores": scores, "labels": labels}))


TASKS = {"g": ["g1", "g2"], "h": ["h1"]}
CELLS = [
    cell("aki", "g1", 0, 1, 2, 3), cell("aki", "g2", 0, 1), cell("aki", "h1", 0, 2),
    cell("haru", "g1", 0, 1, 2), cell("haru", "g2", 0, 1, 2), cell("haru", "h1", 0, 2),
    cell("natsu", "h1", 0, 1, 2), cell("house", "g1", 0, 1, 2, 3), cell("house", "g2", 0, 1, 2, 3),
    cell("house", "h1", 0, 1, 2, 3), cell("aki", "practice", 0, 1, 2, 3),
]  # fmt: skip


def main_board(rule: str, **changed: Any) -> dict[str, tuple[Any, ...]]:
    params = PARAMS | changed
    track = Track("main", TASKS, collected(iter(CELLS), TASKS), frozenset({"house"}), params)
    board, information, tasks = track.boards(rule)
    assert [one.name for one in (information, tasks)] == ["main-information", "main-tasks"]
    assert all(row.chain is None for row in (*information.rows, *tasks.rows))
    assert [row.key for row in board.rows][-1] == "house" and board.rows[-1].chain is None
    return {row.key: tuple(row.values[name] for name in board.columns) for row in board.rows}


def test_tasks_won_by_hand() -> None:
    """aki has 1, 0.5, 0.5; haru 0.75, 0.75, 0.5; natsu only h1 with 0.75, the rest as a constant answer."""
    rows = main_board("tasks-won")
    assert [rows[team][:2] for team in ("aki", "haru", "natsu")] == [(1, 2 / 3), (1, 2 / 3), (1, 1.75 / 3)]
    assert rows["house"][0] is None
    assert list(rows) == ["aki", "haru", "natsu", "house"]


@pytest.mark.parametrize(("tied", "won"), [("all", [1, 1]), ("shared", [0.5, 0.5]), ("none", [0, 0])])
def test_what_tied_winners_get(tied: str, won: list[float]) -> None:
    tasks = {"g": ["g1"]}
    cells = [cell("aki", "g1", 0, 1, 2), cell("haru", "g1", 0, 1, 3)]
    params = PARAMS | {"tied-wins": tied}
    track = Track("main", tasks, collected(iter(cells), tasks), frozenset(), params)
    assert list(track.wins().values()) == won
    rows = next(iter(track.boards("tasks-won"))).rows
    assert rows[0].chain == rows[1].chain  # they share the place


def test_means_pools_and_the_best_group_by_hand() -> None:
    assert main_board("mean")["haru"] == (2 / 3, 0.75, 0.75, 0.5)
    assert main_board("best-group")["aki"] == (0.75, 0.75, 0.5)  # g: 6 of 8 points, h: 2 of 4
    assert main_board("best-group")["natsu"] == (0.75, None, 0.75)
    assert main_board("pooled")["haru"] == (8 / 12,)
    assert main_board("pooled")["natsu"] == (0.5,)  # it left a group out


def test_scores_may_be_ranked_as_they_are_shown() -> None:
    tasks = {"g": ["g1", "g2", "g3"]}
    cells = [cell("aki", "g1", 0, 1, 2, 3), cell("haru", "g2", 0, 1, 2)]
    places = {}
    for decimals in (None, 0):
        params = PARAMS | {"rank-decimals": decimals}
        track = Track("main", tasks, collected(iter(cells), tasks), frozenset(), params)
        rows = next(iter(track.boards("mean"))).rows
        places[decimals] = [row.chain for row in rows]
    assert places[None] == [(-2 / 3,), (-1.75 / 3,)]
    assert places[0] == [(-1.0,), (-1.0,)]


def test_halves_of_tasks_won_are_not_rounded() -> None:
    tasks = {"g": ["g1"]}
    cells = [cell("aki", "g1", 0, 1, 2), cell("haru", "g1", 0, 1, 3)]
    params = PARAMS | {"rank-decimals": 0, "tied-wins": "shared"}
    track = Track("main", tasks, collected(iter(cells), tasks), frozenset(), params)
    assert next(iter(track.boards("tasks-won"))).rows[0].chain == (-0.5, -1.0)


def test_too_little_weight_counts_as_a_constant_answer() -> None:
    assert main_board("mean", **{"least-weight": 4.0})["aki"][1] == 1
    assert main_board("mean", **{"least-weight": 4.1})["aki"] == (0.5, 0.5, 0.5, 0.5)


def test_every_statistic_has_the_name_under_which_rounds_choose_it() -> None:
    assert [BY_NAME[one.name] for one in STATISTICS] == list(STATISTICS)
    assert {one.risk(1.0) for one in STATISTICS} == {1.0}
    assert {one.risk(one.constant(0.0)) for one in STATISTICS} == {0.0}
