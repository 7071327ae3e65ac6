"""The numbers behind an entry's pictures, counted a second time with pandas, and who may see them."""

from __future__ import annotations

import datetime
import io

import numpy as np
import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import Phase, Portrait
from games.shop.data.pwscup2017 import read_sheet
from games.shop.data.tables import Release
from games.shop.methods.registry import run_anonymizer
from games.shop.portrait import portrait
from tests.factories import make_entry, make_round, make_team, make_user, small_data, work_off
from tests.games.shop.data.test_pwscup2017 import ORIGINAL, RELEASED


@pytest.fixture(scope="module")
def release() -> Release:
    return run_anonymizer("swap", small_data(), {}, 3, {"share": 0.5}).release


def sets_of_items(frame: pd.DataFrame) -> dict[str, set[str]]:
    return frame.groupby("customer_id")["item_id"].agg(set).to_dict()


def test_distances_are_those_of_python_sets(release: Release) -> None:
    original = small_data()
    (people, before), (pseudonyms, after) = original.to_frames(), release.data.to_frames()
    one, other = sets_of_items(before), sets_of_items(after)
    distances = []
    for row, truth in enumerate(release.truth):
        a = one.get(people["customer_id"][truth], set())
        b = other.get(pseudonyms["customer_id"][row], set())
        distances.append(1 - len(a & b) / len(a | b) if a | b else 0.0)
    found = portrait(original, release.data, release.truth)["jaccard"]
    assert found["counts"] == np.histogram(distances, bins=10, range=(0, 1))[0].tolist()
    assert sum(found["counts"]) == len(release.truth) and max(distances) > 0


def test_days_are_those_of_the_tables(release: Release) -> None:
    original = small_data()
    found = portrait(original, release.data, release.truth)["days"]
    first = pd.Timestamp(found["first"])
    for data, counts in ((original, found["before"]), (release.data, found["after"])):
        days = pd.to_datetime(data.to_frames()[1]["date"], format="%Y/%m/%d")
        expected = ((days - first).dt.days // found["step"]).value_counts()
        assert {place: n for place, n in enumerate(counts) if n} == expected.to_dict()


def test_cells_are_counted_by_the_quintiles_of_the_original(release: Release) -> None:
    original = small_data()
    found = portrait(original, release.data, release.truth)["rfm"]
    spent = [
        frame.assign(money=frame.unit_price.astype(float) * frame.quantity.astype(float))
        .groupby("customer_id")["money"].sum().round(2)
        for frame in (original.to_frames()[1], release.data.to_frames()[1])
    ]  # fmt: skip
    cuts = np.quantile(spent[0], [0.2, 0.4, 0.6, 0.8])
    for money, counts in zip(spent, (found["before"], found["after"]), strict=True):
        classes = np.searchsorted(cuts, money.to_numpy(), side="left")
        by_money = np.array(counts).reshape(5, 5, 5).sum(axis=(0, 1))
        assert by_money.tolist() == np.bincount(classes, minlength=5).tolist()
        assert sum(counts) == len(money)


@pytest.mark.django_db
def test_pictures_are_for_the_team_and_the_organisers_until_the_results(client: Client) -> None:
    round_ = make_round()
    captain, organiser = make_user(), round_.contest.organisers.select_related("user").get().user
    entry = make_entry(round_, make_team(round_.contest, captain=captain))
    work_off()
    numbers = Portrait.objects.get(entry=entry).numbers
    assert sum(numbers["jaccard"]["counts"]) == 12
    page = entry.get_absolute_url()
    file = reverse("entry_picture", args=[round_.contest.slug, round_.slug, entry.pk, "jaccard", "csv"])
    answers = {}
    for name, user in (("team", captain), ("organiser", organiser), ("rival", make_user()), ("nobody", None)):
        client.logout()
        if user:
            client.force_login(user)
        answers[name] = b"picture-jaccard" in client.get(page).content, client.get(file).status_code
    assert answers == {
        "team": (True, 200), "organiser": (True, 200), "rival": (False, 404), "nobody": (False, 404),
    }  # fmt: skip
    past = timezone.now() - datetime.timedelta(minutes=1)
    Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).update(starts_at=past)
    assert client.get(file).status_code == 200 and b"picture-days" in client.get(page).content


def test_a_sheet_of_2017_by_hand() -> None:
    """Customer 11 keeps bb of aa, bb and 12 keeps cc of aa, cc; one row of 12 is deleted."""
    original, released = (read_sheet(io.BytesIO(text)) for text in (ORIGINAL, RELEASED))
    found = portrait(original, released, None)
    assert found["jaccard"]["counts"] == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0] and found["jaccard"]["vanished"] == 0
    days = found["days"]
    assert days["first"] == "2010/12/1" and days["step"] == 1 and len(days["before"]) == 36
    assert {place for place, n in enumerate(days["before"]) if n} == {0, 1, 4, 35}
    assert {place for place, n in enumerate(days["after"]) if n} == {1, 30, 31} and "rfm" not in found
