"""Presets of games on the pages that make contests and rounds."""

from __future__ import annotations

import io

import pytest
from django.test import Client

from contest.forms.games.rounds import GameRoundForm
from contest.models import GamePackage, Job
from contest.play.packages import declaration_of, installed_package, presets_of
from contest.services.game_packages import upload_game
from datasets.zip_writer import zipped
from games.contract.presets import read_preset
from games.contract.reading import BadGame
from games.round_folder import read_files
from tests.factories import make_contest, make_user
from tests.game_versions import MINI

pytestmark = pytest.mark.django_db
STRICT = """title: {en: Strict, ja: 厳格}
rule: standard
attempts: {day: 2, all: 9}
parameters: {limit-error: 3}
"""


def package_with(preset: str) -> GamePackage:
    """The smallest game with a preset, uploaded to a contest."""
    files = {name: content for name, content in read_files(MINI).items() if "__pycache__" not in name}
    files["game.yaml"] += b"\npresets: [presets/strict.yaml]\n"
    files["presets/strict.yaml"] = preset.encode()
    contest = make_contest()
    organiser = contest.organisers.select_related("user").get().user
    package = upload_game(contest, organiser, io.BytesIO(zipped(files)))
    Job.objects.filter(game=package).delete()
    GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    package.refresh_from_db()
    return package


def test_a_preset_fills_the_form_of_a_new_round() -> None:
    package = package_with(STRICT)
    assert package.contest is not None
    client = Client()
    client.force_login(package.contest.organisers.select_related("user").get().user)
    path = f"/contests/{package.contest.slug}/organise/games/{package.pk}/round/"
    plain = client.get(path)
    assert plain.context["form"]["param-limit-error"].value() == 20
    assert 'href="?preset=strict"' in plain.content.decode()
    chosen = client.get(path, {"preset": "strict"})
    assert chosen.context["form"]["param-limit-error"].value() == 3
    client.cookies["django_language"] = "ja"
    assert "厳格" in client.get(path, {"preset": "strict"}).content.decode()
    assert client.get(path, {"preset": "gentle"}).status_code == 404


def test_a_preset_bounds_the_answers_of_a_team() -> None:
    package = package_with(STRICT)
    (preset,) = presets_of(package)
    declared = declaration_of(package)
    form = GameRoundForm(declared, "UTC", preset=preset)
    data = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    data |= {"round_name": "Final", "round_slug": "final"}
    files = {name: io.BytesIO(b"age\n1\n") for name in form.fields if name.startswith("file")}
    sent = GameRoundForm(declared, "UTC", data, files, preset=preset)
    sent.full_clean()
    assert {name for name in sent.errors if not name.startswith("file")} == set()
    sent.sources = {}
    planned = sent.planned()
    assert (planned.settings["attacks_per_day"], planned.settings["attacks_in_total"]) == (2, 9)
    assert (planned.rule, planned.params) == ("standard", {"limit-error": 3})


def test_a_contest_begins_with_a_preset_of_an_installed_game() -> None:
    package = installed_package("snake")
    (preset,) = presets_of(package)
    client = Client()
    client.force_login(make_user("oni", is_staff=True))
    page = client.get("/new/game/snake/", {"preset": preset.name})
    assert page.status_code == 200
    form = page.context["form"]
    assert form["rule"].value() == preset.rule == "tasks-won"
    assert form["param-statistic"].value() == preset.parameters["statistic"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rule: other\n", "line 1, rule"),
        ("parameters: {limit-error: 999}\n", "parameters.limit-error: got '999'"),
        ("rules: {live: standard}\n", "only these keys"),
        ("attempts: {day: many}\n", "attempts.day"),
    ],
)
def test_a_preset_of_another_shape_is_refused_with_its_place(text: str, said: str) -> None:
    package = package_with(text)
    with pytest.raises(BadGame, match=r"strict\.yaml") as refused:
        read_preset(text, "presets/strict.yaml", declaration_of(package))
    assert said in str(refused.value)
    assert presets_of(package) == []
