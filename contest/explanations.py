"""A sentence for every number: what it says about this entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

Detail = Mapping[str, Any]


def explain(measure: str, value: float, detail: Detail | None) -> str:
    """What a measured value means in words; with its detail, also where the loss is."""
    writer = SENTENCES.get(measure)
    return writer(value, detail or {}) if writer else ""


def _ut_jaccard(value: float, detail: Detail) -> str:
    text = _("On average %(share).1f %% of what a person bought, before or after, is on one side only.") % {
        "share": 100 * value
    }
    worst = (detail.get("worst_customers") or [None])[0]
    if worst:
        text += " " + _("Furthest away: customer %(customer)s, %(share).1f %%.") % {
            "customer": worst["customer"],
            "share": 100 * worst["distance"],
        }
    return text


def _cmae(value: float, detail: Detail) -> str:
    text = _("The mean price paid by a group of one gender and country is off by %(value).2f on average.") % {
        "value": value
    }
    worst = (detail.get("worst_clusters") or [None])[0]
    if worst:
        text += " " + _("Most: %(gender)s, %(country)s, from %(before).2f to %(after).2f.") % {
            "gender": worst["gender"],
            "country": worst["country"],
            "before": worst["original"] or 0,
            "after": worst["released"] or 0,
        }
    return text


def _subset(value: float, detail: Detail) -> str:
    text = _(
        "For some ten people and some 30 days, their mean spending is off by %(value).2f; never more."
    ) % {"value": value}
    window = detail.get("window")
    if window:
        text += " " + _("Worst from %(first)s to %(last)s.") % {"first": window["from"], "last": window["to"]}
    return text


def _rfm(value: float, detail: Detail) -> str:
    text = _("The customer segments by recency, frequency and money differ by %(share).1f %%.") % {
        "share": 100 * value
    }
    worst = (detail.get("worst_cells") or [None])[0]
    if worst:
        text += " " + _(
            "Most: R%(recency)s F%(frequency)s M%(money)s, from %(before).1f %% to %(after).1f %% of people."
        ) % {
            "recency": worst["recency"],
            "frequency": worst["frequency"],
            "money": worst["money"],
            "before": 100 * worst["original"],
            "after": 100 * worst["released"],
        }
    return text


SENTENCES: dict[str, Callable[[float, Detail], str]] = {
    "ut-jaccard": _ut_jaccard,
    "cmae": _cmae,
    "subset": _subset,
    "rfm": _rfm,
}
