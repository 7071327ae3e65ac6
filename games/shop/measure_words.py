"""What the detail of a measure says to a team, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.shop.words import Figure, Said, Sentence, Share

Detail = Mapping[str, Any]

MOVED = Sentence(
    "On average %(share)s of what a customer bought is different now. Customers whose items are unchanged: "
    "%(n)s."
)
WOMEN = Sentence(
    "The worst group is women in %(country)s: a mean price of %(before)s became %(after)s.",
)
MEN = Sentence(
    "The worst group is men in %(country)s: a mean price of %(before)s became %(after)s.",
)
MORE = Sentence(
    "The worst: %(n)s customer who spends that much more, on average, from %(first)s to %(last)s.",
    "The worst: %(n)s customers who spend that much more, on average, from %(first)s to %(last)s.",
)
LESS = Sentence(
    "The worst: %(n)s customer who spends that much less, on average, from %(first)s to %(last)s.",
    "The worst: %(n)s customers who spend that much less, on average, from %(first)s to %(last)s.",
)
CELL = Sentence(
    "The cell that moved most: recency %(r)s, frequency %(f)s, money %(m)s, from %(before)s of the customers "
    "to %(after)s."
)


def measure_words(name: str, value: float | None, detail: Detail) -> Said | None:
    """A sentence about the value of a measure and its detail; None where there is nothing to say.

    >>> found = measure_words("rfm", 0.2, {"worst_cells": []})
    >>> found is None
    True
    """
    says = SAYS.get(name)
    return says(value, detail) if says else None


def _moved(value: float | None, detail: Detail) -> Said:
    return MOVED(share=Share(value), n=detail["unchanged_customers"])


def _worst_cluster(value: float | None, detail: Detail) -> Said | None:
    for worst in detail.get("worst_clusters", [])[:1]:
        sentence = WOMEN if worst["gender"] == "f" else MEN
        before, after = Figure(worst["original"]), Figure(worst["released"])
        return sentence(country=worst["country"], before=before, after=after)
    return None


def _worst_subset(value: float | None, detail: Detail) -> Said | None:
    window, n = detail.get("window"), detail["set_size"]
    if not window:
        return None
    sentence = MORE if detail["direction"] == "more" else LESS
    return sentence(n, n=n, first=window["from"], last=window["to"])


def _worst_cell(value: float | None, detail: Detail) -> Said | None:
    for worst in detail.get("worst_cells", [])[:1]:
        return CELL(
            r=worst["recency"],
            f=worst["frequency"],
            m=worst["money"],
            before=Share(worst["original"]),
            after=Share(worst["released"]),
        )
    return None


SAYS: Mapping[str, Callable[[float | None, Detail], Said | None]] = {
    "ut-jaccard": _moved,
    "cmae": _worst_cluster,
    "subset": _worst_subset,
    "rfm": _worst_cell,
}
