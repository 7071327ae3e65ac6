"""The methods gallery: every method has words, a reference and an example that the code computed."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from contest.pages.worked_examples import example_of
from contest.views.methods import GALLERY
from games.shop.gallery.examples import METHODS, complete, compute, kept

TIMED = {"kmm"}
"""k-MM stops by the clock, so on a busy machine it may find something else."""
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


@pytest.mark.parametrize("format_name", METHODS)
def test_the_kept_numbers_are_what_the_code_computes(format_name: str) -> None:
    """Else: `manage.py gallery`, which computes them all."""
    quick = {method.name for method in METHODS[format_name]} - TIMED
    again = compute(format_name, tuple(quick), QUICK_ATTACKS)
    assert again["customers"] == kept()[format_name]["customers"]
    for name, found in again["methods"].items():
        known = kept()[format_name]["methods"][name]
        if "refused" in found:
            assert found == known
            continue
        assert found["measures"] == pytest.approx(known["measures"], rel=1e-9)
        assert found["found"] == {attack: known["found"][attack] for attack in found["found"]}


def test_what_is_missing_is_computed_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = kept()
    without = json.loads(json.dumps(stored))
    del without["2017"]["methods"]["month-days"]
    for found in without["2017"]["methods"].values():
        del found["measures"]["e1"], found["found"]["s1"]
    monkeypatch.setattr("games.shop.gallery.examples.kept", lambda: without)
    assert complete("2017") == stored["2017"]
    asked: list[str] = []
    monkeypatch.setattr("games.shop.gallery.examples.kept", lambda: stored)
    assert complete("2016", say=asked.append) == stored["2016"] and asked == []


def test_the_kept_numbers_are_of_all_methods_and_attacks_of_today() -> None:
    for format_name, methods in METHODS.items():
        assert set(kept()[format_name]["methods"]) == {method.name for method in methods}, "manage.py gallery"
    for kind, name in PLAYED:
        assert example_of(kind, name) is not None


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("kind", "name"), PLAYED)
def test_a_page_has_words_an_example_and_a_source(
    client: Client, kind: str, name: str, language: str
) -> None:
    item = next(item for item in GALLERY[kind] if item.name == name)
    answer = client.get(reverse("method", args=[kind, name]), headers={"Accept-Language": language})
    page = answer.content.decode()
    assert len(item.documentation) > 80 and item.reference
    assert 'id="example"' in page and f"picture-example-{name}" in page


@pytest.mark.django_db
def test_the_small_example_is_computed_now(client: Client) -> None:
    """A kept 1 of 2 items, B both: (0.5 + 0)/2, by hand."""
    page = client.get(reverse("method", args=["measures", "ut-jaccard"])).content.decode()
    assert "<strong>0.250</strong>" in page and "cake" in page


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("kind", "name"), [("measures", "cmae"), ("attacks", "s1"), ("anonymizers", "round")]
)
def test_a_method_that_was_never_computed_has_a_page(
    client: Client, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, language: str
) -> None:
    """So does a new one, until somebody runs `manage.py gallery`."""
    without = json.loads(json.dumps(kept()))
    for shop in without.values():
        shop["methods"].pop(name, None)
        for found in shop["methods"].values():
            for part in ("measures", "found"):
                found.get(part, {}).pop(name, None)
    monkeypatch.setattr("games.shop.gallery.worked.kept", lambda: without)
    page = client.get(reverse("method", args=[kind, name]), headers={"Accept-Language": language})
    assert page.status_code == 200
    assert f"picture-example-{name}" not in page.content.decode()
