"""The words beside charts and measures: one is one, and thousands have a comma."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from contest.board.queries import MeasureCell
from contest.charts.rfm import rfm_squares
from contest.charts.scatter import Spot, risk_map
from contest.pages.entry_pictures import entry_pictures


def moved(n: int) -> str:
    """The summary of an RFM picture in which so many customers change their cell."""
    rest = [0] * 123
    return rfm_squares("rfm", "RFM", [n, 0, *rest], [0, n, *rest]).summary


def test_one_customer_is_one_and_many_have_a_comma() -> None:
    assert "1 customer must change the cell" in moved(1)
    assert "2,288 customers must change their cell" in moved(2288)
    jaccard = {"jaccard": {"edges": [0.0, 0.1, 1.0], "counts": [2288, 1], "vanished": 0}}
    (chart,) = entry_pictures(jaccard)
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
    score = {"cell": MeasureCell("subset", "Subset", 1.0, 2.0), "detail": detail}
    assert words in render_to_string("contest/_words.html", {"score": score})


def test_the_size_of_a_data_set_is_counted() -> None:
    size = {"fact": {"customers": 1, "purchases": 2288, "items": 1}}
    text = " ".join(render_to_string("contest/_size.html", {"dataset": size}).split())
    assert text == "1 customer · 2,288 purchases · 1 item"
