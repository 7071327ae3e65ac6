"""Contests whose rounds are played by games: their clock, hashes, archive, import and recount."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from contest.archive.games import absent_games
from contest.archive.importing import import_archive
from contest.errors import Refused
from contest.jobs.queue import enqueue_once
from contest.models import (
    Attack,
    AttackRun,
    Commitment,
    Contest,
    Dataset,
    Entry,
    GamePackage,
    Job,
    Phase,
    Round,
    Sealed,
    Seat,
    StoredBoard,
)
from contest.play.table import Table
from contest.records import audit
from contest.services.attacks import add_house_attack
from contest.services.commitments import verify_commitment
from contest.services.phase_clock import run_clock
from contest.services.rounds import remove_round
from contest.work.verification import recount
from tests.archives import archived, members
from tests.archives import play as play_shop
from tests.contest.test_archive import first_row
from tests.factories import as_zip, make_entry, make_team, make_user, work_off
from tests.game_rounds import (
    DAY,
    TOYS,
    answer,
    attack_files,
    game_contest,
    make_game_round,
    method_files,
    sources_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def play(name: str = "pair", *, uploaded: bool = False) -> Contest:
    """Two teams hide, both seek, the house seeks; the clock goes on to the results."""
    contest, package = game_contest(TOYS[name], uploaded=uploaded)
    teams = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS[name]))
    slot = round_slot(round_)
    for team in teams:
        make_entry(round_, team, method_files(round_, team), slot=slot)
    work_off()
    first = attacks_of(round_)[0]
    add_house_attack(round_, first)
    work_off()
    for team in teams:
        answer(round_, team, attack_files(round_, team, first))
    work_off()
    advance(timezone.now() + 1.5 * DAY)
    return contest


def advance(now: datetime.datetime) -> list[str]:
    """Let clock and workers take turns until nothing moves; returns what the clock did."""
    done: list[str] = []
    while steps := run_clock(now):
        done += [step.what for step in steps]
        work_off()
    return done


def round_slot(round_: Round) -> str:
    return Table(round_).declared.slots[0]


def attacks_of(round_: Round) -> list[str]:
    return [attack.name for attack in Table(round_).declared.attacks]


def written(content: bytes, path: Path) -> Path:
    path.write_bytes(content)
    return path


def make_room(contest: Contest) -> None:
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")


@pytest.mark.parametrize("name", ["pair", "pool"])
def test_a_contest_of_a_game_comes_back_from_its_archive_to_the_last_byte(name: str, tmp_path: Path) -> None:
    contest = play(name)
    assert contest.rounds.get().revealed_at is not None
    first = archived(contest)
    make_room(contest)
    imported = import_archive(written(first, tmp_path / "a.zip"), make_user())
    assert archived(imported) == first
    assert audit.verify_chain(imported.pk)[1] == ""
    found = recount(imported)
    assert found.differences == []
    assert not found.skipped
    assert found.compared["measure"] and found.compared["risk"] and found.compared["place"]
    assert absent_games(imported) == []
    (here,) = GamePackage.objects.filter(rounds__contest=imported)
    assert here.pk == contest.rounds.get().game_id, "an installed game has one row"
    keys = [Entry.objects.filter(round__contest=one).order_by("pk") for one in (contest, imported)]
    assert [entry.key for entry in keys[0]] == [entry.key for entry in keys[1]]
    row = StoredBoard.objects.filter(round__contest=imported, view="final")[0].rows[0]
    assert Entry.objects.get(pk=row["entry"]).round.contest == imported


def test_a_recount_finds_every_number_that_was_changed() -> None:
    contest = play()
    run = AttackRun.objects.filter(entry__round__contest=contest, state="done").earliest("pk")
    board = StoredBoard.objects.get(round__contest=contest, view="final", name="main")
    AttackRun.objects.filter(pk=run.pk).update(baseline=0.125, numbers={**run.numbers, "extra": 1.0})
    board.rows[0]["place"] = 7
    board.save()
    said = "\n".join(recount(contest).differences)
    assert "baseline" in said
    assert "extra" in said
    assert "place is" in said
    assert "final board" in said, "the commitment holds the board as it was"


def test_where_the_game_is_not_installed_the_contest_is_there_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = play()
    first = archived(contest)
    make_room(contest)
    GamePackage.objects.filter(rounds__contest=contest).update(name="older-pair")
    monkeypatch.setenv("KAKURENBO_GAMES", "")
    imported = import_archive(written(first, tmp_path / "a.zip"), make_user())
    (sentence,) = absent_games(imported)
    assert "pair" in sentence and "not installed" in sentence
    found = recount(imported)
    assert found.differences == []
    assert any("cannot be played here" in why for why in found.skipped)
    with pytest.raises(Refused, match="not installed here"):
        archived(imported)
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    assert archived(imported) == first


def test_an_uploaded_game_travels_in_the_archive_and_must_be_the_one_of_its_zip(tmp_path: Path) -> None:
    contest, package = game_contest(TOYS["pair"], uploaded=True)
    first = archived(contest)
    make_room(contest)
    imported = import_archive(written(first, tmp_path / "a.zip"), make_user())
    brought = GamePackage.objects.get(contest=imported)
    assert (brought.sha256, brought.declaration) == (package.sha256, package.declaration)
    assert archived(imported) == first
    for wrong in ({"sha256": "../../escape"}, {"declaration": "name: other"}, {"version": "9"}):
        files = members(first)
        first_row("gamepackage", **wrong)(files)
        with pytest.raises(Refused, match="its zip holds another game"):
            import_archive(written(as_zip(files), tmp_path / "bad.zip"), make_user(), slug="bad")
    assert not Contest.objects.filter(slug="bad").exists()


def test_names_that_lead_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    contest = play()
    first = archived(contest)
    row = json.loads(members(first)["rows/entry.jsonl"].splitlines()[0])
    published = {f"../{name}": sha256 for name, sha256 in row["published"].items()}
    spoils: list[tuple[Any, str]] = [
        (first_row("entry", key="../x"), "expected the name of a target"),
        (first_row("entry", published=published), "expected the name of a file"),
        (first_row("sealed", name="a/../b"), "expected the name of a file"),
    ]
    for spoil, said in spoils:
        files = members(first)
        spoil(files)
        with pytest.raises(Refused, match=said):
            import_archive(written(as_zip(files), tmp_path / "bad.zip"), make_user(), slug="bad")


def test_archives_without_the_tables_of_games_are_those_of_earlier_versions(tmp_path: Path) -> None:
    files = members(archived(play_shop()))
    assert all(files.pop(f"rows/{name}.jsonl") == b"" for name in ("gamepackage", "seat", "storedboard"))
    manifest = json.loads(files["manifest.json"])
    for name in ("gamepackage", "seat", "storedboard"):
        manifest["tables"].remove(name)
        manifest["files"].pop(f"rows/{name}.jsonl")
        for part in ("references", "file_columns", "file_maps"):
            manifest[part].pop(name, None)
    for part in manifest["references"].values():
        for column in [column for column, table in part.items() if table in ("gamepackage", "seat")]:
            del part[column]
    files["manifest.json"] = json.dumps(manifest).encode()
    imported = import_archive(written(as_zip(files), tmp_path / "old.zip"), make_user(), slug="older")
    assert list(recount(imported).sentences())[-1] == "all the same"


def test_the_hashes_of_a_round_hold_what_the_game_made() -> None:
    contest = play()
    round_ = contest.rounds.get()
    facts = {one.what: json.loads(one.payload)["facts"] for one in Commitment.objects.filter(round=round_)}
    seed = Sealed.objects.get(round=round_, name=".seed")
    assert facts["seed"] == [{"seed": round_.seed, "sealed": {".seed": seed.sha256}}]
    frozen = Entry.objects.filter(round=round_, frozen_at__isnull=False).order_by("pk")
    assert [row["target"] for row in facts["entries"]] == [entry.key for entry in frozen]
    assert [row["published"] for row in facts["entries"]] == [entry.published for entry in frozen]
    final = StoredBoard.objects.filter(round=round_, view="final").order_by("position")
    assert [row["board"] for row in facts["board"]] == [board.name for board in final]
    for one in Commitment.objects.filter(round=round_):
        assert verify_commitment(one).ok, verify_commitment(one).differences


def phases(*kinds: Phase.Kind) -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    """Phases that are open now, and the results after them."""
    now = timezone.now()
    open_now = [(kind, now - DAY, now + DAY) for kind in kinds]
    return [*open_now, (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY)]


def test_a_round_that_starts_with_the_attack_freezes_is_tallied_and_revealed(tmp_path: Path) -> None:
    """The organisers bring all targets, as in SNAKE (../shared/spec/games/attack-only.md)."""
    contest, round_ = attack_only()
    brought = Entry.objects.filter(round=round_)
    assert brought.exists()
    assert all(entry.is_brought and entry.is_official for entry in brought)
    team = contest.teams.get(name="Aki")
    assert advance(timezone.now())[-2:] == ["commit", "freeze"]
    assert not brought.filter(frozen_at=None).exists()
    answer(round_, team, attack_files(round_, team, attacks_of(round_)[0]))
    # The answer waits: nothing is counted, however late it is.
    assert "tally" not in [step.what for step in run_clock(timezone.now() + 1.5 * DAY)]
    work_off()
    done = advance(timezone.now() + 1.5 * DAY)
    assert (done[0], done[-1]) == ("tally", "reveal")
    round_.refresh_from_db()
    final = StoredBoard.objects.filter(round=round_, view="final")
    committed = Commitment.objects.get(round=round_, what="board")
    assert [row["board"] for row in json.loads(committed.payload)["facts"]] == [one.name for one in final]
    assert recount(contest).differences == []
    first = archived(contest)
    make_room(contest)
    assert archived(import_archive(written(first, tmp_path / "a.zip"), make_user())) == first


def attack_only() -> tuple[Contest, Round]:
    contest, package = game_contest(TOYS["pool"])
    make_team(contest, "Aki")
    round_ = make_game_round(
        contest, package, sources_of(TOYS["pool"]), phases=phases(Phase.Kind.ATTACK), feedback="none"
    )
    return contest, round_


def test_a_build_that_died_half_way_begins_again_and_makes_the_same_bytes() -> None:
    contest, package = game_contest(TOYS["pair"])
    make_team(contest, "Aki")
    round_ = make_game_round(contest, package, sources_of(TOYS["pair"]))
    made = files_of(round_)
    # As if the worker had died just before the end of the job.
    Round.objects.filter(pk=round_.pk).update(build_state="waiting")
    Job.objects.filter(round=round_).delete()
    late = make_team(contest, "Natsu")
    Job.objects.filter(round=round_).delete()
    enqueue_once(Job.Kind.BUILD, round_.pk)
    work_off()
    round_.refresh_from_db()
    assert round_.build_state == "ready", (round_.build_reason, round_.build_log)
    again = files_of(round_)
    assert {name: sha256 for name, sha256 in again.items() if name in made} == made
    seat = Seat.objects.get(round=round_, team=late)
    assert Sealed.objects.filter(seat=seat).exists() or not Table(round_).declared.files_of("seat")
    assert Commitment.objects.filter(round=round_, what="files").count() <= 1 + Seat.objects.count()


def files_of(round_: Round) -> dict[tuple[str, int | None, str], str]:
    """Every file of a round and its seats."""
    sealed = Sealed.objects.filter(round=round_).exclude(scope="entry")
    found = {(row.scope, row.seat.number if row.seat else None, row.name): row.sha256 for row in sealed}
    files = Round.objects.get(pk=round_.pk).dataset.files
    return found | {("public", None, name): sha256 for name, sha256 in files.items()}


def test_a_tally_that_died_is_counted_again_with_the_same_rows() -> None:
    contest = play()
    round_ = contest.rounds.get()
    before = list(StoredBoard.objects.filter(round=round_).values_list("view", "name", "rows"))
    enqueue_once(Job.Kind.TALLY, round_.pk)
    enqueue_once(Job.Kind.TALLY, round_.pk)
    assert Job.objects.filter(round=round_, kind=Job.Kind.TALLY, state="queued").count() == 1
    work_off()
    assert list(StoredBoard.objects.filter(round=round_).values_list("view", "name", "rows")) == before


def test_a_round_that_has_not_begun_goes_with_all_that_its_game_made() -> None:
    contest, package = game_contest(TOYS["pool"])
    make_team(contest, "Aki")
    user = contest.organisers.select_related("user").get().user
    later = timezone.now() + DAY
    times = [(Phase.Kind.ATTACK, later, later + DAY), (Phase.Kind.RESULTS, later + DAY, later + 2 * DAY)]
    make_game_round(contest, package, sources_of(TOYS["pool"]))
    round_ = make_game_round(contest, package, sources_of(TOYS["pool"]), phases=times, slug="later")
    add_house_attack(round_, attacks_of(round_)[0])
    work_off()
    remove_round(round_, user, round_.settings_version, "not needed")
    for model in (Sealed, Seat, StoredBoard, Entry, Commitment, Attack):
        assert not model.objects.filter(round=round_.pk).exists(), model
    assert not Dataset.objects.filter(pk=round_.dataset_id).exists()


def test_files_that_a_game_commits_to_are_hashed_at_once_and_opened_with_the_results() -> None:
    contest, package = game_contest(TOYS["pair"])
    make_team(contest, "Aki")
    round_ = make_game_round(contest, package, sources_of(TOYS["pair"]))
    declared = [file for file in Table(round_).declared.files if file.committed]
    assert declared, "the toy game commits to files"
    kept = Commitment.objects.filter(round=round_, what="files")
    facts = [row for one in kept for row in json.loads(one.payload)["facts"]]
    assert {row["name"] for row in facts} <= {name for file in declared for name in file.names()}
    for row in facts:
        own = Sealed.objects.filter(round=round_, scope=row["scope"], name=row["name"])
        assert row["sha256"] in own.values_list("sha256", flat=True)
    assert not kept.exclude(revealed_at=None).exists()
    with pytest.raises(Refused, match="not revealed"):
        verify_commitment(kept[0])
    advance(timezone.now() + 1.5 * DAY)
    assert all(verify_commitment(one).ok for one in kept.all())
    Sealed.objects.filter(round=round_, name=facts[0]["name"]).update(sha256="0" * 64)
    assert not verify_commitment(kept.all()[0]).ok


def test_of_a_team_that_says_no_neither_files_nor_evidence_are_in_the_archive(tmp_path: Path) -> None:
    contest = play()
    silent = contest.teams.get(name="Haru")
    type(silent).objects.filter(pk=silent.pk).update(in_archive=False)
    first = archived(contest)
    manifest = json.loads(members(first)["manifest.json"])
    sent = Attack.objects.get(round__contest=contest, team=silent)
    entry = Entry.objects.get(round__contest=contest, team=silent)
    about = AttackRun.objects.filter(entry=entry).exclude(evidence_sha256="")
    hashes = {sent.upload_sha256, entry.upload_sha256, *entry.published.values()}
    # Evidence about two entries may be equal to the byte; then it is in the archive for the other one's sake.
    others = AttackRun.objects.filter(attack__round__contest=contest).exclude(entry=entry)
    evidence = set(about.values_list("evidence_sha256", flat=True))
    assert hashes | (evidence - set(others.values_list("evidence_sha256", flat=True))) <= set(
        manifest["withheld"]
    )
    make_room(contest)
    imported = import_archive(written(first, tmp_path / "a.zip"), make_user())
    assert recount(imported).differences == []
