"""A limit on a measure that is better when higher: at least, everywhere, and counted towards utility."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from contest.board import queries
from contest.bundle import writing
from contest.forms.organise import LimitsForm
from contest.kit.build import open_stored_kit
from contest.models import Entry, Rescore, Round, User
from contest.services.tokens import create_token
from games.shop.data.tables import PurchaseData
from games.shop.limit_settings import WrongWay, checked_limits
from games.shop.limits import judged, limit_parameters, limits_of
from games.shop.measures import registry
from games.shop.measures.registry import measure as find_measure
from kakurenbo.main import main
from scoring.measure import Measure, Measurement
from scoring.rules import Limit
from tests.conftest import ROOT
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


def kept_rows(original: PurchaseData, released: PurchaseData, truth: Any) -> Measurement:
    """Rows of T′ per row of T, at most 1. Range 0 to 1, higher is better."""
    return Measurement(min(1.0, released.transactions.n_rows / original.transactions.n_rows))


KEPT = Measure(
    name="kept-rows",
    title="Rows kept",
    meaning="Share of the rows that are still there.",
    function=kept_rows,
    low=0.0,
    high=1.0,
    better="higher",
    reference="A measure for tests",
    version=1,
    uses_truth=False,
)


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure of the contest of 2016 that is better when higher."""
    monkeypatch.setattr(registry, "MEASURES", (*registry.MEASURES, KEPT))
    monkeypatch.setitem(registry.BY_FORMAT, "2016", registry.MEASURES)


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def round_(oni: User) -> Round:
    return make_round(make_contest(oni), limits=(Limit("kept-rows", ">=", 0.5), Limit("rfm", "<=", 100.0)))


@pytest.fixture
def entry(round_: Round) -> Entry:
    """An entry that has kept all rows, as shuffling does."""
    made = make_entry(round_, make_team(round_.contest, "Tanuki"))
    work_off()
    made.refresh_from_db()
    return made


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(client: Client, url: str, language: str = "en") -> str:
    answer = client.get(url, headers={"accept-language": language})
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode().replace("&nbsp;", " "))


@pytest.mark.parametrize(
    ("value", "utility"),
    [(1.0, 100), (0.75, 50), (0.5, 0), (0.49, 0)],
    ids=["best", "between", "at", "below"],
)
def test_utility_counts_the_way_from_the_limit_to_the_best(value: float, utility: float) -> None:
    verdict = judged({"kept-rows": Measurement(value)}, [Limit("kept-rows", ">=", 0.5)])
    assert verdict.score == pytest.approx(utility) and verdict.valid == (value >= 0.5)


def test_without_a_best_value_utility_counts_the_ratio_to_the_limit() -> None:
    limit = Limit("rows", ">=", 100)
    assert [limit.share_left(value, math.inf) for value in (99, 100, 200, 400)] == [0, 0, 0.5, 0.75]


def test_a_limit_from_below_on_what_is_better_when_lower_counts_as_before() -> None:
    """Version 0.1 gave it all or nothing, and results of that time stay as they are."""
    limit = Limit("subset", ">=", 10)
    assert judged({"subset": Measurement(11)}, [limit]).score == 100
    assert judged({"subset": Measurement(9)}, [limit]).score == 0


def test_everybody_who_judges_asks_the_measures_for_their_direction() -> None:
    """`evaluate` alone does not know it, so it has one caller."""
    asking = [
        path.relative_to(ROOT).as_posix()
        for folder in ("contest", "kakurenbo", "games")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"from scoring\.rules import .*\bevaluate\b", path.read_text(encoding="utf-8"))
        and re.search(r"(?<![\w.])evaluate\(", path.read_text(encoding="utf-8"))
    ]
    assert asking == ["games/shop/limits.py"]


def test_a_limit_without_an_operator_goes_the_way_of_its_measure() -> None:
    given = [{"measure": "kept-rows", "limit": 0.5}, {"measure": "rfm", "limit": 1}]
    assert checked_limits(given, "2016") == (Limit("kept-rows", ">=", 0.5), Limit("rfm", "<=", 1.0))


def test_a_limit_from_above_on_it_is_refused() -> None:
    with pytest.raises(WrongWay, match="got 'kept-rows' with at most, expected at least"):
        checked_limits([{"measure": "kept-rows", "operator": "<=", "limit": 0.5}], "2016")


def test_a_game_offers_only_the_lower_bound() -> None:
    names = [setting.name for setting in limit_parameters([KEPT, find_measure("rfm")], ())]
    assert names == ["least-kept-rows", "limit-rfm", "least-rfm"]
    assert limits_of({"limit-kept-rows": 0.3, "least-kept-rows": 0.5}, [KEPT]) == (
        Limit("kept-rows", ">=", 0.5),
    )


def test_an_entry_is_judged_and_counted_by_it(entry: Entry) -> None:
    assert entry.state == Entry.State.VALID and entry.measures["kept-rows"] == 1
    left = 1 - entry.measures["rfm"] / 100
    assert entry.utility == pytest.approx(100 * (1 + left) / 2)


def test_an_entry_below_it_is_refused_and_says_why(round_: Round) -> None:
    Round.objects.filter(pk=round_.pk).update(
        limits=[{"measure": "kept-rows", "operator": ">=", "limit": 1.5}]
    )
    team = make_team(round_.contest, "Kitsune")
    make_entry(Round.objects.get(pk=round_.pk), team)
    work_off()
    found = Entry.objects.get()
    assert found.state == Entry.State.INVALID
    captain = team.memberships.get().user
    page = text_of(signed_in(captain), found.get_absolute_url())
    assert "≥ 1.5" in page and "below the limit" in page and "over the limit" not in page
    assert "≤ 1.5" not in page
    japanese = text_of(signed_in(captain), found.get_absolute_url(), "ja")
    assert "制限を下回る" in japanese and "制限超過" not in japanese


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_show_it_as_at_least(entry: Entry, oni: User, language: str) -> None:
    slug, round_ = entry.round.contest.slug, entry.round
    organiser = signed_in(oni)
    member = signed_in(entry.team.memberships.get().user)
    pages = {
        "rules": (member, reverse("rules", args=[slug, round_.slug])),
        "entry": (member, entry.get_absolute_url()),
        "board": (member, round_.get_absolute_url()),
        "team": (member, reverse("team", args=[slug, entry.team_id])),
        "limits": (organiser, reverse("organise_limits", args=[slug, round_.slug])),
        "rescores": (organiser, reverse("organise_rescores", args=[slug])),
    }
    for name, (client, url) in pages.items():
        page = text_of(client, url, language)
        assert "≥" in page, name
        assert "≤ 0.5" not in page and "&lt;= 0.5" not in page, name


def test_cells_and_pictures_know_what_is_used_of_it(entry: Entry) -> None:
    cell, other = queries.measure_cells(entry.round, entry)
    assert (cell.sign, cell.ok, cell.share, cell.better) == ("≥", True, 0, "higher")
    assert (other.sign, other.better) == ("≤", "lower")
    worse = dataclasses.replace(cell, value=0.4)
    assert not worse.ok and worse.share == 100
    assert queries.binding([other, worse]) == worse


def test_how_utility_was_computed_names_the_way_upwards(entry: Entry) -> None:
    page = text_of(
        signed_in(entry.team.memberships.get().user),
        reverse("how", args=[entry.round.contest.slug, entry.round.slug, entry.pk, "utility"]),
    )
    assert "(kept-rows − 0.5) / (1 − 0.5)" in page


def test_the_preview_of_other_limits_judges_upwards(entry: Entry, oni: User) -> None:
    url = reverse("organise_limits", args=[entry.round.contest.slug, entry.round.slug])
    answer = signed_in(oni).post(
        url, {"limit_kept-rows": "1.01", "limit_rfm": "", "reason": "rows should stay", "measure": ""}
    )
    assert answer.status_code == 302
    rescore = Rescore.objects.get()
    assert rescore.limits == [{"measure": "kept-rows", "operator": ">=", "limit": 1.01}]
    assert rescore.preview[0]["after"]["state"] == "invalid"


def test_the_form_takes_the_way_of_the_measure_and_refuses_the_other(oni: User) -> None:
    round_ = make_round(make_contest(oni), limits=())
    given = {"measure": "kept-rows", "limit": "0.5", "reason": "r"}
    form = LimitsForm(round_, given)
    assert form.is_valid() and form.limits() == [Limit("kept-rows", ">=", 0.5)]
    form = LimitsForm(round_, {**given, "operator": "<="})
    assert not form.is_valid() and "at least" in form.errors["operator"][0]


def test_the_api_takes_the_way_of_the_measure_and_refuses_the_other(entry: Entry, oni: User) -> None:
    url = f"/api/v1/contests/{entry.round.contest.slug}/rounds/{entry.round.slug}/rescores/"
    headers = {"authorization": f"Bearer {create_token(oni, 'test', ['organise'], 1)}"}
    for given, status in (({"operator": "<="}, 422), ({}, 201)):
        order = {"limits": [{"measure": "kept-rows", "limit": 0.7, **given}], "reason": "r"}
        answer = Client().post(url, json.dumps(order), content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content
        if status == 422:
            assert "kept-rows is better when higher" in answer.content.decode()
    assert Rescore.objects.get().limits == [{"measure": "kept-rows", "operator": ">=", "limit": 0.7}]


def test_kit_and_command_line_score_as_the_server_does(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_stored_kit(entry.round) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        archive.extractall(tmp_path)
    (kit,) = tmp_path.iterdir()
    assert "| ≥ 0.5" in (kit / "RULES.md").read_text(encoding="utf-8")
    assert "| ≥ 0.5" in (kit / "RULES.ja.md").read_text(encoding="utf-8")
    mine = tmp_path / "mine"
    mine.mkdir()
    for name, content in entry_files().items():
        (mine / name).write_bytes(content)
    assert main(["kit", "score", str(mine), "--kit", str(kit), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["utility"] == entry.utility and said["limits"]["kept-rows"] == ">= 0.5"
    limits = tmp_path / "limits.json"
    limits.write_text(json.dumps({"kept-rows": 0.5, "rfm": 100}), encoding="utf-8")
    words = ["score", "--original", str(kit / "data"), "--entry", str(mine), "--limits", str(limits)]
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["utility_score"] == entry.utility
    assert said["limits"][0] == {"measure": "kept-rows", "operator": ">=", "limit": 0.5}


def test_bundles_write_at_least() -> None:
    assert writing._limit(Limit("kept-rows", ">=", 0.5)) == {"measure": "kept-rows", "at-least": 0.5}
