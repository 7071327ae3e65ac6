"""A contest with every setting at its least or its most: its export passes its own check and comes back."""

from __future__ import annotations

import copy
import dataclasses
import datetime
from typing import IO, Any

import pytest
import yaml

from contest.bundle.check import check_bundle
from contest.bundle.declared import ROUND
from contest.bundle.specification import Bundle
from contest.bundle.writing import bundle_text
from contest.declarations.contest import CONTEST
from contest.declarations.phase import FIRST, LAST
from contest.models import Contest, Phase, Round, User
from contest.services.bundles import create_from_bundle, export_bundle
from contest.services.settings import change_contest, change_round
from datasets.setting import LARGEST, Setting
from games.shop.data.rules import RULES
from games.shop.limit_settings import measure_setting
from tests.contest.test_declared_settings import document
from tests.factories import make_user

pytestmark = pytest.mark.django_db
ZONES = {"least": "Pacific/Kiritimati", "most": "Etc/GMT+12"}
"""The first and the last zone in which a day begins."""


def nothing(name: str) -> IO[bytes]:
    raise FileNotFoundError(name)


def extreme(setting: Setting, end: str) -> Any:
    if setting.kind == "flag":
        return end == "most"
    if setting.kind == "choice":
        return setting.values[0 if end == "least" else -1]
    if setting.kind == "text":
        shortest = "" if setting.may_be_blank else "a"
        return shortest if end == "least" else "あ" * setting.length
    if setting.kind == "moment":
        return FIRST if end == "least" else LAST
    if setting.kind == "lines":
        lines = (f"{'t' * 29}{sign} | {sign * 40} | {'あ' * 39}{sign}" for sign in "abcdefghijkl")
        return "" if end == "least" else "\n".join(lines)
    if setting.kind == "slug":
        return "-" if end == "least" else "Z" * 50
    if setting.kind == "zone":
        return ZONES[end]
    if setting.is_optional and end == "least":
        return None
    if setting.kind == "moment":
        return setting.checked(setting.least if end == "least" else setting.most)
    return setting.checked(setting.bounds[0 if end == "least" else 1])


def bundle_of(text: str) -> Bundle:
    checked = check_bundle(text)
    assert checked.problems == ()
    assert checked.bundle is not None
    return checked.bundle


def make_extreme(format_name: str, end: str, user: User) -> Contest:
    """A contest that was made from a bundle and then changed by its organisers as far as they may."""
    contest = create_from_bundle(bundle_of(yaml.safe_dump(document(format_name))), user, nothing)
    round_ = contest.rounds.get()
    Phase.objects.filter(round=round_).exclude(kind="anonymise").delete()
    Phase.objects.filter(round=round_).update(starts_at=FIRST, ends_at=LAST)
    rules = {rule.name: extreme(rule, end) for rule in RULES if rule.name in round_.dataset.spec.rules}
    given = {setting.name: extreme(setting, end) for setting in ROUND} | {"file_rules": rules}
    change_round(round_, user, round_.settings_version, given, "as far as it goes")
    bound = -LARGEST if end == "least" else LARGEST
    limits = [
        {"measure": name, "operator": "<=" if place % 2 else ">=", "limit": bound}
        for place, name in enumerate(measure_setting(format_name).values)
    ]
    Round.objects.filter(pk=round_.pk).update(limits=limits, seed_named=True)
    ends = {setting.name: extreme(setting, end) for setting in CONTEST}
    change_contest(contest, user, contest.settings_version, ends, "as far as it goes")
    return Contest.objects.get(pk=contest.pk)


@pytest.mark.parametrize("end", ["least", "most"])
@pytest.mark.parametrize("format_name", ["2016", "2017", "2018"])
def test_an_export_passes_its_check_and_comes_back_the_same(format_name: str, end: str) -> None:
    user = make_user()
    contest = make_extreme(format_name, end, user)
    exported = bundle_text(export_bundle(contest).bundle)
    checked = bundle_of(exported)
    again = create_from_bundle(checked, user, nothing, slug="again", known_seeds=True)
    second = export_bundle(Contest.objects.get(pk=again.pk)).bundle
    assert bundle_text(dataclasses.replace(second, slug=contest.slug)).encode() == exported.encode()


def test_two_data_sets_of_one_long_name_are_exported_as_two() -> None:
    """A name that is made unique stays within what a bundle takes."""
    content = document()
    (source,) = content["data"].values()
    content["data"] = {"x" * 120: source, "y" * 120: {**source, "generate": {"customers": 13, "seed": 1}}}
    first = content["rounds"][0] | {"data": "x" * 120}
    content["rounds"] = [first, copy.deepcopy(first) | {"slug": "second", "data": "y" * 120}]
    contest = create_from_bundle(bundle_of(yaml.safe_dump(content)), make_user(), nothing)
    for round_ in contest.rounds.select_related("dataset"):
        round_.dataset.name = "x" * 120
        round_.dataset.save()
    exported = bundle_of(bundle_text(export_bundle(contest).bundle))
    assert len({data.name for data in exported.data}) == 2


def test_times_at_the_edges_of_the_calendar_keep_their_zone() -> None:
    content = document()
    times = {"from": "2000-01-01T14:00:00+14:00", "until": "2999-12-31T23:59:59Z"}
    content["rounds"][0]["phases"] = {"anonymise": times}
    (phase,) = bundle_of(yaml.safe_dump(content)).rounds[0].phases
    assert phase.starts_at == datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    written = bundle_text(bundle_of(yaml.safe_dump(content)))
    assert bundle_of(written).rounds[0].phases == (phase,)
