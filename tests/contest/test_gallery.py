"""The methods gallery: every method has words, a reference and an example that the code computed."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contest.gallery.examples import METHODS, compute, kept
from contest.gallery.pages import example_of
from contest.views.methods import GALLERY

QUICK = {
    "2016": ("identity", "shuffle", "round", "delete"),
    "2017": ("year-pseudonyms",),
    "2018": ("numbers-only", "intervals", "starred-rows"),
}
"""Methods and, below, attacks that take no time to speak of; `manage.py gallery` computes all."""
QUICK_ATTACKS = (
    "re-itemset",
    "re-master",
    "re-totals",
    "re-rfm",
    "re-dates",
    "s1",
    "s2",
    "re-cells",
    "re-counts",
)
PLAYED = [(kind, item.name) for kind in ("measures", "attacks", "anonymizers") for item in GALLERY[kind]]


@pytest.mark.parametrize("format_name", QUICK)
def test_the_kept_numbers_are_what_the_code_computes(format_name: str) -> None:
    again = compute(format_name, QUICK[format_name], QUICK_ATTACKS)
    assert again["customers"] == kept()[format_name]["customers"]
    for name, found in again["methods"].items():
        known = kept()[format_name]["methods"][name]
        assert found["measures"] == pytest.approx(known["measures"], rel=1e-9)
        assert found["found"] == {attack: known["found"][attack] for attack in found["found"]}


def test_the_kept_numbers_are_of_all_methods_and_attacks_of_today() -> None:
    for format_name, methods in METHODS.items():
        assert set(kept()[format_name]["methods"]) == {method.name for method in methods}, "manage.py gallery"
    for kind, name in PLAYED:
        assert example_of(kind, name) is not None


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "name"), PLAYED)
def test_a_page_has_words_an_example_and_a_source(client: Client, kind: str, name: str) -> None:
    item = next(item for item in GALLERY[kind] if item.name == name)
    page = client.get(reverse("method", args=[kind, name])).content.decode()
    assert len(item.documentation) > 80 and item.reference
    assert 'id="example"' in page and f"picture-example-{name}" in page


@pytest.mark.django_db
def test_the_small_example_is_computed_now(client: Client) -> None:
    """A kept 1 of 2 items, B both: (0.5 + 0)/2, by hand."""
    page = client.get(reverse("method", args=["measures", "ut-jaccard"])).content.decode()
    assert "<strong>0.250</strong>" in page and "cake" in page
