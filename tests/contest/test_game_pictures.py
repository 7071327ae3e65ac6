"""The pictures of a game: who sees which when, on pages and in the API, and what a broken one spoils.

Who may see what is written here by hand, from the declaration of the toy `pool`: `spread` is its team's at
once and everybody's at the reveal, `distances` is the organisers' alone, and `roc` is told with the results,
because the number that it shows is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from sklearn.metrics import roc_auc_score

from contest.archive.importing import import_archive
from contest.models import Attack, AttackRun, Contest, Entry, Illustration, Team
from contest.play.evidence import evidence_of
from contest.play.packages import _installed_declaration, _installed_game
from contest.services.tokens import create_token
from contest.work.verification import recount
from tests.archives import archived, members
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.contest.test_game_pages import World, played_world, set_phase
from tests.factories import make_entry, make_team, make_user, work_off
from tests.game_rounds import (
    TOYS,
    answer,
    attack_files,
    game_contest,
    make_game_round,
    method_files,
    sources_of,
)
from tests.services.test_game_archive import play

sandbox = sandbox_fixture
pytestmark = pytest.mark.django_db

SPREAD, DISTANCES, ROC = "Values before and after", "Distances between quartiles", "ROC"
TITLES = {"spread": SPREAD, "distances": DISTANCES, "roc": ROC}
ENTRY = {
    ("attack", "aki"): {"spread"},
    ("results", "aki"): {"spread"},
    ("results", "haru"): set(),
    ("results", "visitor"): set(),
    ("revealed", "aki"): {"spread"},
    ("revealed", "natsu"): {"spread"},
    ("revealed", "visitor"): {"spread"},
    ("anonymise", "organiser"): {"spread", "distances"},
    ("revealed", "organiser"): {"spread", "distances"},
}
"""What is seen of Aki's entry itself; who is not named before the results sees no page."""
ANSWER = {
    ("attack", "haru"): set(),
    ("attack", "organiser"): {"roc"},
    ("results", "haru"): {"roc"},
    ("results", "visitor"): set(),
    ("results", "organiser"): {"roc"},
    ("revealed", "haru"): {"roc"},
    ("revealed", "visitor"): {"roc"},
}
"""What is seen of Haru's answer."""


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def titles_in(html: str) -> set[str]:
    found = set(re.findall(r"<h3>([^<]*)</h3>", html))
    return {name for name, title in TITLES.items() if title in found}


def in_api(world: World, role: str, kind: str, key: int) -> Any:
    """An entry or an attack as the API gives it to somebody."""
    user = world.people[role]
    headers = {}
    if user is not None:
        secret = create_token(user, "pictures", ["read"], 1)
        headers = {"authorization": f"Bearer {secret}"}
    address = reverse(f"api-{kind}", args=[world.round.contest.slug, world.round.slug, key])
    answered = Client(headers=headers).get(address)
    assert answered.status_code == 200, address
    return answered.json()


@pytest.mark.parametrize("feedback", ["none", "full"])
def test_everybody_sees_a_picture_from_its_moment_on(feedback: str) -> None:
    world = played_world("pool", feedback)
    entry = Entry.objects.get(round=world.round, team=world.teams["aki"])
    attack = Attack.objects.get(round=world.round, team=world.teams["haru"])
    for (phase, role), wanted in ENTRY.items():
        set_phase(world, phase)
        client = world.client(role, "en")
        html = client.get(entry.get_absolute_url()).content.decode()
        assert titles_in(html) - {"roc"} == wanted, (phase, role)
        data = in_api(world, role, "entry", entry.pk)
        assert {one["name"] for one in data["pictures"]} == wanted
        # With the results, Haru sees the curve of the own answer on this page, too.
        sees_all = role == "organiser" or phase == "revealed" or (phase, role) == ("results", "haru")
        on_runs = {one["name"] for run in data["attack_runs"] for one in run["pictures"]}
        assert on_runs == ({"roc"} if sees_all else set()) == titles_in(html) & {"roc"}, (phase, role)
    for (phase, role), wanted in ANSWER.items():
        set_phase(world, phase)
        client = world.client(role, "en")
        html = client.get(attack.get_absolute_url()).content.decode()
        assert titles_in(html) == wanted, (phase, role)
        data = in_api(world, role, "attack", attack.pk)
        assert {one["name"] for cell in data["cells"] for one in cell["pictures"]} == wanted
    set_phase(world, "attack")
    if feedback == "none":
        assert world.client("natsu", "en").get(entry.get_absolute_url()).status_code == 404


@pytest.mark.parametrize("feedback", ["none", "bands"])
def test_a_picture_waits_for_the_results_where_numbers_do(
    feedback: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where every number is told at once, the feedback of the round still decides."""
    world = changed_world(monkeypatch, tmp_path, "game.yaml", ", told: tally", "", feedback)
    attack = Attack.objects.get(round=world.round, team=world.teams["haru"])

    def seen() -> set[str]:
        html = world.client("haru", "en").get(attack.get_absolute_url()).content.decode()
        return titles_in(html)

    assert seen() == set()
    type(world.round).objects.filter(pk=world.round.pk).update(feedback="full")
    assert seen() == {"roc"}


def changed_world(
    monkeypatch: pytest.MonkeyPatch, place: Path, file: str, old: str, new: str, feedback: str = "none"
) -> World:
    """A round of a copy of the toy with one thing changed."""
    folder = place / "pool"
    shutil.copytree(TOYS["pool"], folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setenv("KAKURENBO_GAMES", str(folder))
    monkeypatch.setitem(TOYS, "pool", folder)
    _installed_declaration.cache_clear()
    _installed_game.cache_clear()
    return played_world("pool", feedback)


def test_the_page_draws_every_picture_with_its_numbers_as_a_table() -> None:
    world = played_world("pool")
    set_phase(world, "revealed")
    entry = Entry.objects.get(round=world.round, team=world.teams["aki"])
    html = world.client("organiser", "ja").get(entry.get_absolute_url()).content.decode()
    figures = re.findall(r'<figure class="chart".*?</figure>', html, re.DOTALL)
    assert len(figures) >= 3
    for figure in figures:
        (svg,) = re.findall(r"<svg xmlns.*?</svg>", figure, re.DOTALL)
        label = re.search(r'aria-labelledby="([^" ]+) ([^"]+)"', svg)
        assert label and all(f'id="{name}"' in svg for name in label.groups())
        assert re.search(r"<desc[^>]*>[^<]+</desc>", svg)
        assert "<tbody>" in figure and figure.count("<tr>") > 2
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert "加工前後の値" in html and "第 1 四分位点" in html and "差が最も大きいのは" in html
    assert SPREAD not in html


def test_the_stored_curve_has_the_area_of_the_judged_answer() -> None:
    world = played_world("pool")
    run = AttackRun.objects.filter(attack__team=world.teams["haru"], state="done").earliest("pk")
    (curve,) = run.illustration.drawn[0]["curves"]
    evidence = evidence_of(run.evidence_sha256)
    area = roc_auc_score(evidence["labels"], evidence["scores"])
    assert np.trapezoid(curve["y"], curve["x"]) == pytest.approx(area)
    assert run.numbers["auc"] == pytest.approx(area)


def test_labels_are_texts_and_no_markup() -> None:
    world = played_world("pool")
    entry = Entry.objects.get(round=world.round, team=world.teams["aki"])
    drawn = entry.illustration.drawn
    evil = "<script>alert(1)</script>\"'&"
    drawn[0]["classes"][0] = drawn[0]["part"] = drawn[1]["rows"][0] = drawn[1]["columns"][0] = evil
    Illustration.objects.filter(entry=entry).update(drawn=drawn)
    html = world.client("organiser", "en").get(entry.get_absolute_url()).content.decode()
    assert "alert(1)" in html
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;" in html


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("yield number_bars(", "raise ValueError('no ink')\n        yield (", "ValueError: no ink"),
        ("np.abs(before[:, None] - after)", "before[:, None] * np.nan", "panels.distance[0]"),
    ],
)
def test_a_picture_that_fails_spoils_no_number(
    old: str, new: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world = changed_world(monkeypatch, tmp_path, "game.py", old, new)
    entry = Entry.objects.get(round=world.round, team=world.teams["aki"])
    assert (entry.state, list(entry.measures)) == (Entry.State.VALID, ["mean-shift"])
    assert entry.illustration.drawn == []
    pages = {role: world.client(role, "en").get(entry.get_absolute_url()) for role in ("organiser", "aki")}
    told = pages["organiser"].content.decode()
    assert "In pictures: " in told
    assert said in told
    assert said not in pages["aki"].content.decode()
    assert "In pictures" not in pages["aki"].content.decode()
    run = AttackRun.objects.filter(attack__team=world.teams["haru"]).earliest("pk")
    assert (run.state, run.illustration.fault) == ("done", "")


def test_pictures_come_back_from_an_archive_and_are_compared(tmp_path: Path) -> None:
    contest = play("pool")
    first = archived(contest)
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")
    (tmp_path / "a.zip").write_bytes(first)
    imported = import_archive(tmp_path / "a.zip", make_user())
    of_entries = Illustration.objects.filter(entry__round__contest=imported)
    of_runs = Illustration.objects.filter(run__entry__round__contest=imported)
    assert of_entries.count() == 2
    assert of_runs.count() == AttackRun.objects.filter(entry__round__contest=imported, state="done").count()
    before = Illustration.objects.filter(entry__round__contest=contest).order_by("pk")
    assert [one.drawn for one in of_entries.order_by("pk")] == [one.drawn for one in before]
    found = recount(imported)
    assert found.differences == []
    assert found.compared["pictures"] == of_entries.count() + of_runs.count()
    one = of_entries.earliest("pk")
    Illustration.objects.filter(pk=one.pk).update(drawn=one.drawn[1:])
    assert ["pictures is" in said for said in recount(imported).differences] == [True]


def test_of_a_team_that_keeps_its_files_to_itself_no_picture_is_archived() -> None:
    contest = play("pool")
    Team.objects.filter(contest=contest, name="Aki").update(in_archive=False)
    lines = members(archived(contest))["rows/illustration.jsonl"].decode().splitlines()
    drawn = [bool(json.loads(line)["drawn"]) for line in lines]
    own = Illustration.objects.filter(entry__team__name="Aki", entry__round__contest=contest)
    sent = Illustration.objects.filter(run__attack__team__name="Aki", run__entry__round__contest=contest)
    assert drawn.count(False) == own.count() + sent.count() > 1
    assert drawn.count(True) > 1


def test_an_archive_without_pictures_is_imported_all_the_same(tmp_path: Path) -> None:
    contest = play("pool")
    Illustration.objects.all().delete()
    content = archived(contest)
    assert members(content)["rows/illustration.jsonl"] == b""
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")
    (tmp_path / "a.zip").write_bytes(content)
    imported = import_archive(tmp_path / "a.zip", make_user())
    assert recount(imported).differences == []


def test_an_uploaded_game_draws_in_the_sandbox(sandbox: str) -> None:
    """The same as where it is installed."""
    drawn = []
    for uploaded in (False, True):
        contest, package = game_contest(TOYS["pool"], uploaded=uploaded)
        team = make_team(contest, "Aki", make_user(f"aki-{uploaded}"))
        round_ = make_game_round(contest, package, sources_of(TOYS["pool"]), secret_seed="seed")
        entry = make_entry(round_, team, method_files(round_, team, "noise"))
        work_off()
        answer(round_, team, attack_files(round_, team, "nearest"))
        work_off()
        entry.refresh_from_db()
        run = AttackRun.objects.filter(entry__round=round_).earliest("pk")
        assert (entry.state, run.state) == ("valid", "done")
        assert [entry.illustration.fault, run.illustration.fault] == ["", ""]
        drawn.append((entry.illustration.drawn, run.illustration.drawn))
    assert drawn[0] == drawn[1]
    assert [one["kind"] for one in [*drawn[0][0], *drawn[0][1]]] == ["bars", "heatmap", "curves"]
