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
from contest.play.table import Table
from contest.services.bundles import create_from_bundle, export_bundle
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
