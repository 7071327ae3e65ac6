"""The words beside charts and measures: one is one, and thousands have a comma."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from contest.board.queries import MeasureCell
from contest.charts.scatter import Spot, risk_map
from contest.language.said import in_words
from contest.pages.format_pictures import entry_charts
from games.formats.texts import measure_words


def moved(n: int) -> str:
    """The summary of an RFM picture in which so many customers change their cell."""
    rest = [0] * 123
    (chart,) = entry_charts({"rfm": {"before": [n, 0, *rest], "after": [0, n, *rest]}})
    return chart.summary


def test_one_customer_is_one_and_many_have_a_comma() -> None:
    assert "1 customer must change the cell" in moved(1)
    assert "2,288 customers must change their cell" in moved(2288)
    jaccard = {"jaccard": {"edges": [0.0, 0.1, 1.0], "counts": [2288, 1], "vanished": 0}}
    (chart,) = entry_charts(jaccard)
    assert chart.summary.startswith("Of 2,289 customers 2,288 kept")
    one = risk_map("map", "Map", [Spot("Neko", 1, 90)], x_label="x", higher_is_better=True)
    assert one.summary.startswith("1 entry, safety upwards.")
    with translation.override("ja"):
        assert "2,288 人の顧客" in moved(2288)


@pytest.mark.parametrize(
    ("size", "words"), [(1, "1 customer who spends"), (2288, "2,288 customers who spend")]
)
def test_the_worst_customers_are_counted(size: int, words: str) -> None:
    detail: dict[str, Any] = {"set_size": size, "direction": "more", "window": {"from": "a", "to": "b"}}
    said = measure_words("subset", 1.0, detail)
    assert said is not None and words in in_words(said)
    score = {"cell": MeasureCell("subset", "Subset", 1.0, 2.0), "detail": detail, "said": said}
    assert words in render_to_string("contest/_scores.html", {"scores": [score]})


def test_the_size_of_a_data_set_is_counted() -> None:
    size = {"fact": {"customers": 1, "purchases": 2288, "items": 1}}
    text = " ".join(render_to_string("contest/_size.html", {"dataset": size}).split())
    assert text == "1 customer · 2,288 purchases · 1 item"


@pytest.mark.parametrize(
    ("measure", "value", "detail", "words"),
    [
        ("ut-jaccard", 0.25, {"unchanged_customers": 1200}, "Customers whose items are unchanged: 1,200."),
        (
            "cmae",
            1.0,
            {"worst_clusters": [{"gender": "f", "country": "Japan", "original": 2.5, "released": 12.3456}]},
            "The worst group is women in Japan: a mean price of 2.500 became 12.35.",
        ),
        (
            "rfm",
            0.2,
            {"worst_cells": [{"recency": 1, "frequency": 2, "money": 5, "original": 0.5, "released": 0.004}]},
            "recency 1, frequency 2, money 5, from 50.0\N{NO-BREAK SPACE}% of the customers to 0.40",
        ),
    ],
)
def test_the_detail_of_a_measure_is_said_in_both_languages(
    measure: str, value: float, detail: dict[str, Any], words: str
) -> None:
    said = measure_words(measure, value, detail)
    assert said is not None and words in in_words(said)
    with translation.override("ja"):
        assert "customer" not in in_words(said) and "worst" not in in_words(said)


def test_a_measure_without_a_worst_part_says_nothing() -> None:
    assert measure_words("cmae", 0.0, {"worst_clusters": []}) is None
    assert measure_words("subset", 0.0, {"set_size": 0, "window": None}) is None
    assert measure_words("e1", 0.5, {"anything": 1}) is None
