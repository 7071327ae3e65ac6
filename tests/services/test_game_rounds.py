"""Rounds that are played by a game: its data, entries, house attacks, answers of teams, stored boards."""

from __future__ import annotations

import io
import os

import pytest

from contest.files.storage import submitted
from contest.models import Attack, AttackRun, Entry, Round, Sealed, Seat, StoredBoard, Team
from contest.models.round import BuildState
from contest.models.sealed import SEED
from contest.play.packages import installed_package
from contest.play.table import Table
from contest.services.attacks import add_house_attack
from contest.services.hiders import keep_program, submit_hider
from contest.services.house import request_house_entry
from contest.services.team_attacks import submit_program
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.factories import make_entry, make_team, work_off
from tests.game_rounds import (
    TOYS,
    answer,
    attack_files,
    game_contest,
    make_game_round,
    method_files,
    sources_of,
)

sandbox = sandbox_fixture
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def played(name: str, *, uploaded: bool = False) -> tuple[Round, list[Team]]:
    """Two teams hide with the game's first and last method, one of them seeks, and so does the house."""
    contest, package = game_contest(TOYS[name], uploaded=uploaded)
    teams = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS[name]))
    assert round_.build_state == BuildState.READY, (round_.build_reason, round_.build_log)
    declared = Table(round_).declared
    methods, slot = [method.name for method in declared.methods], declared.slots[0]
    for team, method in zip(teams, (methods[0], methods[-1]), strict=True):
        make_entry(round_, team, method_files(round_, team, method), slot=slot)
    work_off()
    for attack in attacks_of(round_):
        add_house_attack(round_, attack)
    work_off()
    answer(round_, teams[1], attack_files(round_, teams[1], attacks_of(round_)[0]))
    work_off()
    round_.refresh_from_db()
    return round_, teams


def attacks_of(round_: Round) -> list[str]:
    return [attack.name for attack in Table(round_).declared.attacks]


def boards_of(round_: Round) -> dict[str, list[tuple[str, int | None, dict[str, float | None]]]]:
    stored = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL).order_by("position")
    return {board.name: [(row["key"], row["place"], row["values"]) for row in board.rows] for board in stored}


@pytest.mark.parametrize("name", TOYS)
def test_a_round_of_a_game_is_played_from_its_data_to_its_boards(name: str) -> None:
    round_, teams = played(name)
    entries = list(Entry.objects.filter(round=round_, team__in=teams).order_by("pk"))
    assert [entry.state for entry in entries] == [Entry.State.VALID] * 2, [
        entry.problems for entry in entries
    ]
    assert all(entry.published and entry.measures for entry in entries)
    runs = AttackRun.objects.filter(attack__round=round_)
    assert runs.exists()
    assert not runs.exclude(state=AttackRun.State.DONE).exists()
    sent = Attack.objects.get(round=round_, kind=Attack.Kind.GUESS)
    assert sent.state == Attack.State.JUDGED, sent.problems
    assert not sent.runs.filter(entry__team=teams[1]).exists(), "nobody is asked about the own entry"
    boards = boards_of(round_)
    assert {"Aki", "Haru"} <= {key for key, _, _ in boards["main"]}
    assert max(run.risk or 0 for run in runs) > 0


@pytest.mark.parametrize("name", ["pair", "skeleton"])
def test_secrets_are_in_the_vault_and_public_files_are_not(name: str) -> None:
    round_, teams = played(name)
    declared = Table(round_).declared
    for row in Sealed.objects.filter(round=round_).exclude(name=SEED):
        file = declared.file(row.name, row.scope)  # type: ignore[arg-type]
        assert file is not None
        assert file.shown.all != "open"
    for published in round_.dataset.files:
        file = declared.file(published, "round")
        assert file is not None
        assert file.shown.all == "open"
    seats = Seat.objects.filter(round=round_)
    assert set(seats.filter(team__isnull=False).values_list("team", flat=True)) == {t.pk for t in teams}
    assert seats.filter(is_spare=True).count() == declared.seats.spare


def test_a_refused_answer_says_where_and_costs_nothing() -> None:
    round_, teams = played("pair")
    files = attack_files(round_, teams[0], "by-age")
    files["mia.csv"] = files["mia.csv"].replace(b"\n1", b"\nx", 1).replace(b"\n0", b"\nx", 1)
    bad = answer(round_, teams[0], files)
    work_off()
    bad.refresh_from_db()
    assert bad.state == Attack.State.INVALID
    assert not bad.costs_attempt
    assert bad.problems[0]["file"] == "mia.csv"
    assert bad.problems[0]["line"] == 2
    assert not bad.runs.exists()


def test_the_house_plays_on_a_spare_seat() -> None:
    contest, package = game_contest(TOYS["skeleton"])
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    request_house_entry(round_, None, "noise", {"width": 30.0})
    work_off()
    entry = Entry.objects.get(round=round_)
    assert entry.state == Entry.State.VALID, entry.problems
    assert entry.team.is_house
    assert boards_of(round_)["main"] == [(entry.team.name, None, boards_of(round_)["main"][0][2])]


@pytest.mark.once
def test_an_installed_game_and_an_uploaded_one_give_the_same_numbers(sandbox: str) -> None:
    found = []
    for uploaded in (False, True):
        round_, _ = played("skeleton", uploaded=uploaded)
        kinds = AttackRun.objects.filter(attack__round=round_, attack__kind="house").order_by("pk")
        found.append((boards_of(round_).keys(), kinds.count()))
        Round.objects.filter(pk=round_.pk).update(slug=f"was-{round_.pk}")
    assert found[0] == found[1]


def test_a_team_that_registers_later_gets_a_seat() -> None:
    contest, package = game_contest(TOYS["pool"])
    round_ = make_game_round(contest, package, sources_of(TOYS["pool"]))
    late = make_team(contest, "Natsu")
    work_off()
    seat = Seat.objects.get(round=round_, team=late)
    assert Sealed.objects.filter(seat=seat).exists()


def test_the_row_of_an_installed_game_is_made_once() -> None:
    assert installed_package("pair").pk == installed_package("pair").pk


PROGRAM = b"""
import json, sys
from pathlib import Path

round_, mine, target, out = map(Path, sys.argv[1:])
key = json.loads((target / "target.json").read_text())["key"]
assert (mine / "mine.csv").is_file() and not (mine / "members.csv").exists()
assert not (round_ / "people.csv").exists()
rows = (target / "candidates.csv").read_text().splitlines()[1:]
released = set((target / "release.csv").read_text().splitlines()[1:])
(out / f"{key}.csv").write_text("".join(f"{int(row in released)}\\n" for row in rows))
print("looked at", len(rows))
"""


def test_a_program_of_a_team_answers_about_every_target(sandbox: str) -> None:
    contest, package = game_contest(TOYS["skeleton"])
    teams = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    make_entry(round_, teams[0], method_files(round_, teams[0], "unchanged"))
    work_off()
    stored = submitted.put(io.BytesIO(PROGRAM))
    attack = submit_program(round_, teams[1], teams[1].memberships.get().user, stored)
    work_off()
    (run,) = attack.runs.all()
    assert (run.state, run.reason) == (AttackRun.State.DONE, "")
    assert run.risk == 1.0, "the data were handed back unchanged, so every member is found"
    assert "looked at" in run.log


def test_a_program_that_writes_something_else_is_refused(sandbox: str) -> None:
    contest, package = game_contest(TOYS["skeleton"])
    teams = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    make_entry(round_, teams[0], method_files(round_, teams[0], "unchanged"))
    work_off()
    stored = submitted.put(io.BytesIO(b"import sys; open(sys.argv[4] + '/x.csv', 'w').write('1')"))
    attack = submit_program(round_, teams[1], teams[1].memberships.get().user, stored)
    work_off()
    (run,) = attack.runs.all()
    assert run.state == AttackRun.State.REFUSED
    assert run.reason["code"] == "unreadable-guess"


HIDER = b"""
import json, sys
from pathlib import Path

round_, mine, task, out = map(Path, sys.argv[1:])
assert json.loads((task / "task.json").read_text())["parameters"]["limit-age"] == 5
assert not (mine / "members.csv").exists()
(out / "release.csv").write_bytes((mine / "mine.csv").read_bytes())
"""


def hidden_by(program: bytes) -> Entry:
    contest, package = game_contest(TOYS["skeleton"])
    team = make_team(contest, "Aki")
    round_ = make_game_round(contest, package, sources_of(TOYS["skeleton"]))
    stored = keep_program(io.BytesIO(program))
    entry = submit_hider(round_, team, team.memberships.get().user, stored)
    work_off()
    entry.refresh_from_db()
    return entry


def test_a_hider_makes_an_entry_that_goes_the_way_of_any_upload(sandbox: str) -> None:
    entry = hidden_by(HIDER)
    assert entry.state == Entry.State.VALID, entry.problems
    assert entry.measures == {"age": 0.0, "spent": 0.0}, "the data were handed on as they are"
    assert entry.is_official


def test_a_hider_that_makes_nothing_is_refused_and_costs_nothing(sandbox: str) -> None:
    entry = hidden_by(b"raise SystemExit(3)")
    assert entry.state == Entry.State.INVALID
    assert not entry.costs_attempt
    assert entry.problems[0]["file"] == "anonymize.py"
