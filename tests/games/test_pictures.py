"""What a game draws is plain data or a located fault; marginals are checked by pandas."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from games.contract.broken import BrokenGame
from games.contract.declaration import Picture
from games.contract.marginals import MOST_VALUES, OTHER, category_bars, number_bars
from games.contract.pictures import LARGEST, MOST_PICTURES, MOST_POINTS, plain_pictures
from games.contract.reading import BadGame, read_declaration
from games.contract.values import Bars, Curves, Heatmap
from games.stage import Stage
from tests.game_rounds import TOYS

TEXT = {"en": "x"}
WORDS = dict.fromkeys(("before", "after", "mark", "other"), TEXT)
DECLARED = (
    Picture("ages", "bars", TEXT, words=WORDS),
    Picture("ties", "heatmap", TEXT, words=WORDS),
    Picture("roc", "curves", TEXT, words=WORDS),
)
BARS = Bars("ages", ("young", "old"), {"before": (1, 2.5), "after": [0, 3]})
HEAT = Heatmap("ties", ("a", "b"), ("c",), {"before": np.array([[1.0], [-0.5]]), "after": ((None,), (0,))})
CURVES = Curves("roc", {"before": (np.array([0, 0, 1]), [0, 0.5, 1])}, {"mark": ([0.1], [0.55])})


def test_drawings_become_plain_data_in_the_declared_order() -> None:
    made = plain_pictures(DECLARED, iter([CURVES, HEAT, BARS]))
    assert made == [
        {
            "name": "ages",
            "part": "",
            "kind": "bars",
            "classes": ["young", "old"],
            "series": [{"name": "before", "values": [1, 2.5]}, {"name": "after", "values": [0, 3]}],
        },
        {
            "name": "ties",
            "part": "",
            "kind": "heatmap",
            "rows": ["a", "b"],
            "columns": ["c"],
            "panels": [
                {"name": "before", "values": [[1.0], [-0.5]]},
                {"name": "after", "values": [[None], [0]]},
            ],
        },
        {
            "name": "roc",
            "part": "",
            "kind": "curves",
            "curves": [{"name": "before", "x": [0, 0, 1], "y": [0, 0.5, 1]}],
            "points": [{"name": "mark", "x": [0.1], "y": [0.55]}],
        },
    ]
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def bars(**changes: Any) -> Bars:
    return BARS._replace(**changes)


def heat(**changes: Any) -> Heatmap:
    return HEAT._replace(**changes)


def curves(x: Any, y: Any) -> Curves:
    return CURVES._replace(curves={"before": (x, y)})


MANY = np.zeros(1_000_000)
HOSTILE: dict[str, tuple[Callable[[], Any], str]] = {
    "not a number": (
        lambda: bars(series={"before": (1, float("nan"))}),
        "nan as series.before[1], expected a finite",
    ),
    "infinity": (lambda: curves([0, 1], [0, np.inf]), "inf as curves.before.y[1], expected a finite"),
    "a huge integer": (
        lambda: bars(series={"before": (1, 10**5000)}),
        "as series.before[1], expected a finite",
    ),
    "beyond the largest": (lambda: bars(series={"before": (1, 2 * LARGEST)}), "series.before[1]"),
    "a flag": (lambda: bars(series={"before": (1, True)}), "True as series.before[1]"),
    "a NumPy flag": (lambda: bars(series={"before": np.array([True, False])}), "True as series.before[0]"),
    "a word": (lambda: bars(series={"before": (1, "2")}), "2 as series.before[1]"),
    "complex numbers": (lambda: bars(series={"before": np.array([1j, 2])}), "as series.before[0]"),
    "below zero": (
        lambda: bars(series={"before": (1, -0.5)}),
        "-0.5 as series.before[1], expected a number from 0",
    ),
    "undefined bars": (lambda: bars(series={"before": (1, None)}), "None as series.before[1]"),
    "too few numbers": (lambda: bars(series={"before": (1,)}), "1 as series.before, expected a list of 2"),
    "a million numbers": (
        lambda: bars(series={"before": MANY}),
        "1000000 as series.before, expected a list of 2",
    ),
    "a million classes": (lambda: bars(classes=MANY), "1000000 as classes, expected a list of 1 to 60"),
    "a million points": (
        lambda: curves(MANY, MANY),
        f"1000000 as curves.before.x, expected a list of 1 to {MOST_POINTS}",
    ),
    "no class": (lambda: bars(classes=()), "0 as classes"),
    "a word for a list": (lambda: bars(classes="ab"), "str as classes"),
    "a scalar array": (lambda: bars(classes=np.array(3)), "ndarray as classes"),
    "an endless list": (lambda: curves(iter(int, 1), [0]), "as curves.before.x"),
    "a class that is no text": (lambda: bars(classes=("a", 1)), "1 as classes[1], expected a text"),
    "a class twice": (lambda: bars(classes=("a", "a")), "a as classes[1], expected a label that is not used"),
    "a long class": (lambda: bars(classes=("a", "b" * 61)), "as classes[1], expected a text of 1 to 60"),
    "a class that turns the text": (lambda: bars(classes=("a", "\u202eb")), "as classes[1], expected a text"),
    "a class with a line break": (lambda: bars(classes=("a", "b\n")), "as classes[1], expected a text"),
    "no series": (lambda: bars(series={}), "0 as series, expected 1 to 2 of them by name"),
    "three series": (lambda: bars(series=dict.fromkeys(("before", "after", "mark"), (1, 2))), "3 as series"),
    "a list of series": (lambda: bars(series=((1, 2),)), "tuple as series"),
    "a name that is not declared": (
        lambda: bars(series={"secret 42": (1, 2)}),
        "expected a name among its declared",
    ),
    "a part that is no text": (lambda: bars(part=7), "7 as part"),
    "a long part": (lambda: bars(part="p" * 61), "as part"),
    "another kind": (lambda: Curves("ages", {}), "Curves as kind, expected the numbers of bars"),
    "a ragged matrix": (
        lambda: heat(panels={"before": ((1.0,), (1.0, 2.0))}),
        "2 as panels.before[1], expected a list of 1",
    ),
    "a flat matrix": (lambda: heat(panels={"before": (1.0, 2.0)}), "float as panels.before[0]"),
    "a matrix too few": (
        lambda: heat(panels={"before": ((1.0,),)}),
        "1 as panels.before, expected a list of 2",
    ),
    "not a number in a matrix": (
        lambda: heat(panels={"before": ((1.0,), (np.nan,))}),
        "nan as panels.before[1][0]",
    ),
    "a huge matrix": (
        lambda: heat(rows=[str(n) for n in range(41)]),
        "41 as rows, expected a list of 1 to 40",
    ),
    "a curve to the left": (
        lambda: curves([0, 1, 0.5], [0, 1, 1]),
        "0.5 as curves.before.x[2], expected numbers that never",
    ),
    "a curve without heights": (
        lambda: CURVES._replace(curves={"before": ([0, 1],)}),
        "tuple as curves.before, expected two",
    ),
    "x and y of two lengths": (lambda: curves([0, 1], [0]), "1 as curves.before.y, expected a list of 2"),
    "too many marks": (lambda: CURVES._replace(points={"mark": (range(21), range(21))}), "as points.mark.x"),
    "a picture that is not declared": (
        lambda: Bars("other", (), {}),
        "draws a picture 'other'; it declares here: ages",
    ),
    "a name that is no text": (lambda: Bars(["ages"], (), {}), "draws a picture"),  # type: ignore[arg-type]
    "something else": (lambda: {"name": "ages"}, "draws a picture 'dict'"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_bad_picture_is_refused_with_its_place(what: str) -> None:
    made, said = HOSTILE[what]
    with pytest.raises(BrokenGame) as caught:
        plain_pictures(DECLARED, [made()])
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300


def test_pictures_are_few_and_each_part_is_drawn_once() -> None:
    with pytest.raises(BrokenGame, match=f"more than {MOST_PICTURES} pictures"):
        plain_pictures(DECLARED, (bars(part=str(number)) for number in iter(int, 1)))
    with pytest.raises(BrokenGame, match="as part, expected"):
        plain_pictures(DECLARED, [bars(part="p"), bars(part="p")])
    both = plain_pictures(DECLARED, [bars(part="p"), bars(part="q")])
    assert [one["part"] for one in both] == ["p", "q"]


GAME = """
name: tiny
version: "1.0"
title: {en: Tiny}
people: {en: people}
files: [{name: g.csv, scope: answer, made: upload, columns: [{name: x}]}]
challenges: [{name: who, title: {en: Who}, question: {en: "Who?"}, answer: [g.csv]}]
pictures:
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{name: a, kind: pie, title: A}", "'bars', 'heatmap', 'curves'"),
        ("{name: a, kind: bars}", "a key 'title'"),
        ("{name: A b, kind: bars, title: A}", "small letters"),
        ("{name: a, kind: bars, title: A, shown: {all: later}}", "'open', 'publish', 'reveal', 'never'"),
        ("{name: a, kind: bars, title: A, challenge: who}", "'answer'"),
        ("{name: a, kind: bars, title: A, of: answer, challenge: whom}", "challenge"),
        ("{name: a, kind: bars, title: A, steps: true}", "'curves'"),
        ("{name: a, kind: bars, title: A}\n  - {name: a, kind: bars, title: B}", "not used before"),
    ],
)
def test_a_bad_declaration_is_refused_with_its_line(line: str, said: str) -> None:
    with pytest.raises(BadGame) as caught:
        read_declaration(f"{GAME}  - {line}\n")
    assert said in str(caught.value)
    assert "game.yaml, line " in str(caught.value)


def test_a_picture_is_for_organisers_unless_the_game_says_otherwise() -> None:
    (picture,) = read_declaration(GAME + "  - {name: a, kind: bars, title: A}\n").pictures
    assert picture.shown.is_secret
    assert picture.of == "entry"


def test_marginals_are_the_shares_of_the_values() -> None:
    rng = np.random.default_rng(5)
    before, after = (
        rng.choice(list("abcdef"), 300, p=p) for p in ([0.5, 0.2, 0.1, 0.1, 0.1, 0], [1 / 6] * 6)
    )
    made = category_bars("ages", "", before.tolist(), after.tolist())
    for name, column in (("before", before), ("after", after)):
        shares = 100 * pd.Series(column).value_counts(normalize=True).reindex(list(made.classes)).fillna(0)
        assert made.series[name] == pytest.approx(shares.tolist())
    assert made.classes == tuple("abcdef")


def test_the_rarest_of_many_categories_share_a_bar() -> None:
    before = [f"v{n:03d}" for n in range(100) for _ in range(n + 1)]
    made = category_bars("ages", "", before, before[:10])
    assert len(made.classes) == MOST_VALUES
    assert made.classes[-1] == OTHER
    assert sum(made.series["before"]) == pytest.approx(100)
    assert made.series["before"][-1] == pytest.approx(100 * sum(range(1, 78)) / len(before))
    plain_pictures(DECLARED, [made])


def test_numbers_are_put_into_classes_of_equal_width() -> None:
    rng = np.random.default_rng(6)
    before, after = rng.normal(100, 15, 400), rng.normal(110, 10, 300)
    before[:5] = np.nan
    made = number_bars("ages", "SBP", before, after)
    cut = pd.cut(
        pd.Series(after), np.linspace(np.nanmin([*before, *after]), np.nanmax([*before, *after]), 13),
        include_lowest=True, right=True,
    )  # fmt: skip
    shares = 100 * cut.value_counts(normalize=True, sort=False)
    assert made.series["after"] == pytest.approx(shares.tolist())
    assert sum(made.series["before"]) == pytest.approx(100)
    plain_pictures(DECLARED, [made])


@pytest.mark.parametrize("column", [[1.0] * 9, list(range(30)), np.linspace(1, 1 + 1e-9, 40), [0.1, 5e14]])
def test_any_numbers_can_be_drawn(column: Any) -> None:
    plain_pictures(DECLARED, [number_bars("ages", "", column, column)])


def test_a_rehearsal_draws_the_pictures_of_entries_and_answers() -> None:
    stage = Stage(TOYS["pool"])
    drawn = [[one["name"] for one in plain] for _, plain in stage.pictures()]
    assert drawn.count(["spread", "distances"]) == 2
    assert drawn.count(["roc"]) == len(stage.played.cells) > 0
    cell = stage.played.cells[0]
    (roc,) = stage.played.answer_pictures(cell)
    (curve,) = roc["curves"]
    assert np.trapezoid(curve["y"], curve["x"]) == pytest.approx(cell.result.numbers["auc"])
