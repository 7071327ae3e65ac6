"""The demo after all its jobs: a board that shows what the game is about."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django.plugin import DjangoDbBlocker

from attacks.sandbox import examine
from contest.board import queries
from contest.models import Attack, AttackRun, Entry, Job, Round, Standing, Team, User
from contest.services.demo import play_on, seed_demo
from tests.conftest import ROOT
from tests.documents import blocks, section
from tests.factories import as_zip, work_off

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    # All of them wait for one play, which takes a minute of one core and much longer on a busy machine.
    pytest.mark.timeout(3600),
]


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Round]:
    """The demo's round when everything is played and judged: real jobs, done in this process."""
    with django_db_blocker.unblock(), transaction.atomic():
        assert seed_demo()
        while play_on():
            work_off(2000)
        yield Round.objects.get()
        transaction.set_rollback(True)


def official(round_: Round, **which: bool) -> list[Entry]:
    return list(Entry.objects.filter(round=round_, is_official=True, **which).select_related("team", "round"))


def total(entry: Entry) -> float:
    found = queries.total_of(entry)
    assert found is not None, f"{entry} has no total"
    return found


def sides(entry: Entry) -> tuple[float, float]:
    """Utility and safety, both from 0 to 100."""
    safety = queries.result_of(entry, show_attacks=True).safety
    assert entry.utility is not None and safety is not None
    return entry.utility, safety


def dominated(point: tuple[float, float], by: tuple[float, float]) -> bool:
    return point != by and by[0] >= point[0] and by[1] >= point[1]


def test_everything_was_judged_and_every_entry_is_valid(played: Round) -> None:
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.VALID}
    assert set(AttackRun.objects.values_list("state", flat=True)) == {AttackRun.State.DONE}


def test_unchanged_data_are_the_last_of_the_house(played: Round) -> None:
    house = sorted(official(played, team__is_house=True), key=total)
    board = [row for row in queries.board(played, None, show_attacks=True) if row.is_house]
    assert [row.rank for row in board] == [None] * len(house)
    assert board[-1].entry_id == house[0].pk
    assert house[0].method == "identity"
    assert sides(house[0]) == (100.0, 0.0)
    assert total(house[1]) > total(house[0]) + 5


def test_the_board_spreads_along_the_frontier(played: Round) -> None:
    points = [sides(entry) for entry in official(played)]
    best = [point for point in points if not any(dominated(point, by) for by in points)]
    assert len(set(best)) >= 8, sorted(points)
    safeties = [safety for _, safety in points]
    assert max(safeties) - min(safeties) >= 60
    assert sum(safety == 0 for safety in safeties) == 1


def test_the_histories_of_the_three_teams_cross(played: Round) -> None:
    """Each team has been ahead of each other one, in the order in which the results came in."""
    ahead = set()
    for standing in Standing.objects.filter(round=played):
        ranks = {place["team"]: place["rank"] for place in standing.places if place["rank"] is not None}
        ahead |= {(one, other) for one, other in permutations(ranks, 2) if ranks[one] < ranks[other]}
    teams = {team.pk for team in Team.objects.filter(entries__round=played, is_house=False)}
    assert len(teams) == 3
    assert set(permutations(teams, 2)) <= ahead


def test_the_teams_get_better(played: Round) -> None:
    for team in Team.objects.filter(entries__round=played, is_house=False).distinct():
        totals = [total(entry) for entry in team.entries.order_by("number")]
        assert len(totals) >= 3
        assert totals == sorted(totals), team.name
    best = max(official(played), key=total)
    assert not best.team.is_house


def test_the_teams_seek_each_other(played: Round, settings: Any) -> None:
    """With guess files everywhere, with programs where they can run; no guess was made from a truth."""
    kinds = {
        Attack.Kind.GUESS,
        *([Attack.Kind.PROGRAM] if examine(settings.SANDBOX, accept_uncounted=True).ok else []),
    }
    attacks = Attack.objects.filter(round=played, team__isnull=False)
    assert set(attacks.values_list("kind", flat=True)) == kinds
    seekers = set(attacks.values_list("team__name", flat=True))
    assert {"Tanuki", "Kitsune"} <= seekers
    for name in seekers:
        hit = AttackRun.objects.filter(attack__team__name=name, risk__gt=0, entry__team__is_house=False)
        assert hit.exclude(entry__team__name=name).exists(), name


def test_a_play_that_is_over_is_not_played_again(played: Round) -> None:
    before = (Entry.objects.count(), Attack.objects.count(), Standing.objects.count())
    handler = signal.getsignal(signal.SIGTERM)
    try:
        call_command("play_demo")
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert not seed_demo()
    assert (Entry.objects.count(), Attack.objects.count(), Standing.objects.count()) == before


def test_where_programs_cannot_run_none_is_sent(played: Round, settings: Any) -> None:
    # A dry run is no move, so that the programs are the moves that are left.
    Attack.objects.filter(kind=Attack.Kind.PROGRAM).update(is_dry_run=True)
    settings.SANDBOX = "none"
    assert not play_on()
    assert not Attack.objects.filter(kind=Attack.Kind.PROGRAM, is_dry_run=False).exists()


def recipe() -> list[list[str]]:
    """The commands that the README gives to a new team, word by word."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = blocks(section(text, "## Five minutes as a team"))
    return [shlex.split(line) for line in block.content.splitlines()]


def followed(command: list[str], folder: Path) -> str:
    """Run a command of the README in a folder that holds the kit; `.venv` is the environment of this test."""
    environment = Path(sys.executable).parent
    program = environment / command[0].removeprefix(".venv/bin/")
    assert command[0].startswith(".venv/bin/") and program.exists(), command
    done = subprocess.run(
        [str(program), *command[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_recipe_of_the_readme_ends_in_a_small_win(played: Round, tmp_path: Path) -> None:
    client = Client()
    client.force_login(User.objects.get(name_key="usagi"))
    kit = client.get(reverse("kit", args=["demo", "practice"]))
    (tmp_path / "demo-practice-kit.zip").write_bytes(b"".join(kit))
    said = {" ".join(command[1:3]): followed(command, tmp_path) for command in recipe()}
    assert said["kit score"].startswith("valid")
    assert "re-itemset" in said["kit attack"]

    files = {name: (tmp_path / "entry" / name).read_bytes() for name in ("M.csv", "T.csv", "P.csv")}
    upload = SimpleUploadedFile("entry.zip", as_zip(files), "application/zip")
    answer = client.post(reverse("upload", args=["demo", "practice"]), {"archive": upload})
    assert answer.status_code == 302
    work_off()

    entry = Entry.objects.get(team__name="Usagi")
    assert entry.state == Entry.State.VALID, entry.because
    assert f"{entry.utility!r}" in said["kit score"]
    behind = {other.team.name for other in official(played) if total(other) < total(entry)}
    assert {"Tanuki", "Kitsune", "House · identity"} <= behind
