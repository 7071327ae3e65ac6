"""The law of the strongest attack: on no entry does another house attack find more people, beyond chance.

Two attacks on one entry differ in the people whom only one of them finds. If both were equally good, each of
these d people would be as likely one's as the other's, so the difference in hits would have a standard
deviation of √d. Chance is three of them.
"""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest

from anonymizers.release import CannotProtect
from attacks.evaluate import judge
from games.shop.attacks.re_refit import believed
from games.shop.attacks.registry import ATTACKS, run_attack
from games.shop.data.generate import generate
from games.shop.data.tables import PurchaseData, Release
from games.shop.methods.registry import ANONYMIZERS, run_anonymizer
from tests import chance
from tests.games.shop.attacks.disturbed import ENTRIES, TWICE_FORGED, entry

STRONGEST = "re-refit"
LONG = bool(os.environ.get("KAKURENBO_LONG"))
PEOPLE = 400 if LONG else 60
LIMITS = {"ut-jaccard": 0.7}
DEVIATIONS = 3
NUMBER = {name: number for number, name in enumerate(ENTRIES)}
FEW = {"kmm": {"k": 2, "items": 2}}


@functools.cache
def original() -> PurchaseData:
    return generate(PEOPLE, seed=chance.seed(11))


def found(name: str, release: Release) -> np.ndarray:
    """Which released people an attack finds."""
    hit = np.zeros(PEOPLE, dtype=bool)
    hit[judge(run_attack(name, original(), release.data, 0), release.truth, PEOPLE).hit_rows] = True
    return hit


def assert_strongest(release: Release) -> None:
    ours = found(STRONGEST, release)
    for house in (house for house in ATTACKS if house.name != STRONGEST):
        theirs = found(house.name, release)
        allowed = DEVIATIONS * np.sqrt((ours != theirs).sum())
        assert ours.sum() >= theirs.sum() - allowed, (house.name, int(theirs.sum()), int(ours.sum()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_no_attack_finds_more_in_a_disturbed_or_forged_entry(name: str) -> None:
    assert_strongest(entry(original(), chance.seed(100 + NUMBER[name]), *ENTRIES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", [method.name for method in ANONYMIZERS])
def test_no_attack_finds_more_in_the_entry_of_a_house_method(name: str) -> None:
    try:
        done = run_anonymizer(name, original(), LIMITS, chance.seed(7), FEW.get(name, {}))
    except CannotProtect as refusal:
        pytest.skip(f"{name} cannot protect this shop: {refusal}")
    assert_strongest(done.release)


def test_attributes_that_were_dealt_out_get_no_weight() -> None:
    release = entry(original(), chance.seed(3), *ENTRIES["dealt, 80 % of rows, ±15 days"])
    weights = believed(original(), release.data)
    assert {"items", "counts"} <= weights.keys()
    assert "attributes" not in weights


def test_attributes_decide_where_receipts_were_dealt_out() -> None:
    release = entry(original(), chance.seed(4), *ENTRIES["kept M′, receipts dealt"])
    assert believed(original(), release.data).keys() == {"attributes"}


def test_two_kinds_forged_after_the_same_person_may_mislead() -> None:
    """The limit of the law: whoever shows the attributes and days of one other person is taken for that
    person or found; nobody else is named. Which of the two an entry calls the truth, nothing in it says."""
    release = entry(original(), chance.seed(5), *TWICE_FORGED)
    guess = run_attack(STRONGEST, original(), release.data, 0).rows
    shown = original().master.birthday.texts()[guess] == release.data.master.birthday.texts()
    assert ((guess == release.truth) | shown).mean() >= 0.8
