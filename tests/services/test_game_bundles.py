"""Contests of games as bundles: made from one, written back, refused with a line where something is wrong."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pytest

from contest.bundle.check import check_bundle
from contest.bundle.writing import bundle_text
from contest.models import Entry, Round
from contest.models.round import BuildState
from contest.play.packages import installed_package, presets_of
from contest.play.table import Table
from contest.services.bundles import create_from_bundle, export_bundle
from datasets.zip_writer import zipped
from games.contract.presets import attempts_of
from games.formats.presets import preset_text
from games.round_folder import read_files
from tests.factories import make_user, work_off
from tests.game_rounds import TOYS, sources_of

pytestmark = pytest.mark.django_db
PEOPLE = sources_of(TOYS["skeleton"])["people.csv"]
TEXT = f"""\
kakurenbo: 2
slug: lanterns
title: Lanterns
summary: A contest for tests.
time-zone: Asia/Tokyo
rounds:
- slug: final
  name: Final
  game:
    name: skeleton
    rule: standard
    parameters: {{limit-age: 7.0}}
    files:
      people.csv: {{name: visitors.csv, sha256: {hashlib.sha256(PEOPLE).hexdigest()}}}
  phases:
    anonymise: {{from: 2027-08-01T10:00:00+09:00, until: 2027-08-31T17:00:00+09:00}}
    attack: {{from: 2027-09-01T00:00:00Z, until: 2027-09-03T00:00:00Z}}
  attacks: [nearest]
  baselines:
  - {{method: noise, parameters: {{width: 30.0}}}}
  feedback: none
"""


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def beside(name: str) -> io.BytesIO:
    if name != "visitors.csv":
        raise FileNotFoundError(name)
    return io.BytesIO(PEOPLE)


def test_a_contest_of_a_game_is_made_from_a_bundle_and_written_back() -> None:
    checked = check_bundle(TEXT, open_file=beside)
    assert checked.problems == ()
    assert checked.bundle is not None
    contest = create_from_bundle(checked.bundle, make_user(), beside)
    work_off()
    round_ = Round.objects.get(contest=contest)
    assert round_.build_state == BuildState.READY
    assert round_.params["limit-age"] == 7.0
    entry = Entry.objects.get(round=round_)
    assert (entry.team.is_house, entry.state) == (True, Entry.State.VALID)
    text = bundle_text(export_bundle(contest).bundle)
    assert "limit-age: 7.0" in text
    assert "limit-spent" not in text, "what is as the game has it is not written"
    assert "visitors.csv" not in text, "what organisers bring is secret"
    again = check_bundle(text)
    assert again.problems == ()
    assert again.bundle is not None
    assert bundle_text(again.bundle) == text


@pytest.mark.parametrize(
    ("old", "new", "key", "code"),
    [
        ("name: skeleton", "name: skeletton", "rounds[0].game.name", "unknown-game"),
        ("rule: standard", "rule: best", "rounds[0].game.rule", "unknown-rule"),
        ("limit-age: 7.0", "limit-age: 700", "rounds[0].game.parameters.limit-age", "bad-value"),
        ("limit-age: 7.0", "limit-ages: 7", "rounds[0].game.parameters.limit-ages", "unknown-parameter"),
        ("people.csv: {", "persons.csv: {", "rounds[0].game.files.persons.csv", "unknown-file"),
        ("attacks: [nearest]", "attacks: [farthest]", "rounds[0].attacks[0]", "unknown-attack"),
        ("method: noise", "method: noises", "rounds[0].baselines[0].method", "unknown-method"),
        ("width: 30.0", "width: -1", "rounds[0].baselines[0].parameters.width", "bad-value"),
        ("  feedback: none", "  ranking: '2016'", "rounds[0].ranking", "not-with-a-game"),
        ("name: visitors.csv", "name: guests.csv", "rounds[0].game.files.people.csv", "missing-file"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(old: str, new: str, key: str, code: str) -> None:
    assert old in TEXT
    found = check_bundle(TEXT.replace(old, new, 1), open_file=beside).problems
    assert [(problem.key, problem.code) for problem in found] == [(key, code)]
    assert found[0].line is not None


def test_a_bundle_beside_a_game_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    sha256 = hashlib.sha256(PEOPLE).hexdigest()
    text = TEXT.replace("    name: skeleton\n", f"    zip: {{name: visitors.csv, sha256: {sha256}}}\n")
    found = check_bundle(text, open_file=beside).problems
    assert [(problem.key, problem.code) for problem in found] == [("rounds[0].game.zip", "bad-game")]


def test_with_samples_the_house_plays_all_that_the_game_offers() -> None:
    """Beside what the round lists; the demo of a game, the page and the bundle ask for it in one way."""
    text = TEXT.replace("    rule: standard\n", "    rule: standard\n    samples: true\n")
    checked = check_bundle(text, open_file=beside)
    assert checked.problems == ()
    assert checked.bundle is not None
    assert "samples: true" in bundle_text(checked.bundle)
    contest = create_from_bundle(checked.bundle, make_user(), beside)
    work_off()
    round_ = Round.objects.get(contest=contest)
    declared = Table(round_).declared
    orders = list(round_.house_orders.order_by("pk").values_list("method", "parameters__width"))
    assert orders[0] == ("noise", 30.0), "what the round lists stays as it lists it"
    assert sorted(method for method, _ in orders) == sorted(method.name for method in declared.methods)
    assert {attack.name for attack in round_.attacks.all()} == {attack.name for attack in declared.attacks}
    assert Entry.objects.filter(round=round_, team__is_house=True).count() == len(declared.methods)
    found = check_bundle(text.replace("samples: true", "samples: some"), open_file=beside).problems
    assert [problem.key for problem in found] == ["rounds[0].game.samples"]


SNAKE = f"""{TEXT.split("rounds:")[0]}rounds:
- slug: final
  name: Final
  game: {{name: snake}}
  preset: snake1
  phases:
    attack: {{from: 2027-09-01T00:00:00Z, until: 2027-09-03T00:00:00Z}}
"""


def test_a_bundle_names_a_preset_and_may_say_otherwise_itself() -> None:
    (preset,) = presets_of(installed_package("snake"))
    checked = check_bundle(SNAKE)
    assert checked.problems == ()
    assert checked.bundle is not None
    (spec,) = checked.bundle.rounds
    assert spec.game is not None
    assert (spec.game.rule, spec.game.parameters) == (preset.rule, preset.parameters)
    assert attempts_of(preset).items() <= spec.settings.items()
    own = SNAKE.replace("{name: snake}", "{name: snake, parameters: {statistic: auc}}")
    again = check_bundle(own)
    assert again.bundle is not None and again.bundle.rounds[0].game is not None
    assert again.bundle.rounds[0].game.parameters == {**preset.parameters, "statistic": "auc"}
    assert "preset" not in bundle_text(checked.bundle), "it is written as what it says"


def test_a_preset_of_a_zipped_game_is_taken_from_the_zip() -> None:
    files = {
        name: content for name, content in read_files(TOYS["skeleton"]).items() if "__pycache__" not in name
    }
    files["game.yaml"] += b"\npresets: [presets/strict.yaml]\n"
    files["presets/strict.yaml"] = b"attempts: {day: 2, all: 9}\nparameters: {limit-age: 3, limit-spent: 4}\n"
    content = zipped(files)
    source = f"zip: {{name: own.zip, sha256: {hashlib.sha256(content).hexdigest()}}}"
    text = TEXT.replace("    name: skeleton", f"    {source}").replace(
        "  phases:", "  preset: strict\n  phases:"
    )

    def here(name: str) -> io.BytesIO:
        return io.BytesIO(content) if name == "own.zip" else beside(name)

    checked = check_bundle(text, open_file=here)
    assert checked.problems == ()
    assert checked.bundle is not None
    (spec,) = checked.bundle.rounds
    assert spec.game is not None
    assert spec.game.parameters == {"limit-age": 7.0, "limit-spent": 4}
    assert (spec.settings["attacks_per_day"], spec.settings["attacks_in_total"]) == (2, 9)
    (wrong,) = check_bundle(text.replace("preset: strict", "preset: strickt"), open_file=here).problems
    assert (wrong.key, wrong.code) == ("rounds[0].preset", "unknown-preset")
    assert "strict" in str(wrong.expected)


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    (problem,) = check_bundle(SNAKE.replace("snake1", "gentle")).problems
    assert (problem.key, problem.code) == ("rounds[0].preset", "unknown-preset")
    assert str(problem.expected) == "one of snake1"
    assert problem.line is not None


def test_a_round_without_a_game_has_no_preset() -> None:
    text = preset_text("pwscup2016").replace("  data:", "  preset: strict\n  data:", 1)
    found = check_bundle(text).problems
    assert [problem.code for problem in found] == ["only-with-a-game"]
