"""The season after its play: an archive that verifies, and a board that argues for taking part."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.utils.translation import override
from pytest_django.plugin import DjangoDbBlocker

from contest.board import queries
from contest.files.season_archives import season_archive
from contest.models import AttackRun, Award, Contest, Entry, Job, Round
from contest.pages.story import story_of
from contest.records import audit
from contest.services.demo.play import _made
from contest.work.season_demo import play_season
from games.formats.demo import SEASON, Hide
from tests.contest.test_story import parts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    # All of them wait for one play, which takes a minute of one core and much longer on a busy machine.
    pytest.mark.timeout(3600),
]


@pytest.fixture(scope="module")
def season(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Contest]:
    """The contest when everything is played and revealed: real jobs, done in this process."""
    with django_db_blocker.unblock(), transaction.atomic():
        contest, is_new = play_season(SEASON, lambda text: None)
        assert is_new
        # The chain grows when a transaction ends, and this one does not before the tests do.
        audit.extend_chain(contest.pk)
        yield contest
        transaction.set_rollback(True)


def test_everything_was_judged_and_every_entry_is_valid(season: Contest) -> None:
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.VALID}
    assert set(AttackRun.objects.values_list("state", flat=True)) == {AttackRun.State.DONE}
    assert all(round_.revealed_at is not None for round_ in season.rounds.all())


@pytest.mark.parametrize("slug", [declared.slug for declared in SEASON.rounds])
def test_the_board_argues_for_taking_part(season: Contest, slug: str) -> None:
    rows = queries.board(Round.objects.get(contest=season, slug=slug), None, show_attacks=True)
    assert not rows[0].is_house, "a team is first"
    assert rows[-1].entry_id == Entry.objects.get(round__slug=slug, method="identity").pk
    assert all(row.total > 10 for row in rows if not row.is_house and row.total is not None)
    safeties = [row.safety for row in rows if row.safety is not None]
    assert max(safeties) - min(safeties) >= 50
    assert sum(safety == 0 for safety in safeties) == 1


def test_the_final_is_won_by_another_team_than_the_season(season: Contest) -> None:
    final = queries.board(Round.objects.get(contest=season, slug="final"), None, show_attacks=True)
    hider = Award.objects.get(contest=season, kind=Award.Kind.HIDER)
    assert final[0].team_id != hider.team_id
    assert {award.kind for award in Award.objects.filter(contest=season)} == set(Award.Kind.values)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_all_twelve_steps_are_told_and_agree_with_their_pages(season: Contest, language: str) -> None:
    with override(language):
        steps = story_of(season)
    assert len(steps) == len(SEASON.chapters) == 12
    for step in steps:
        bar, page = parts(Client(), step.url, language)
        assert step.words in bar
        for figure in step.figures:
            assert figure in page, (step.title, figure)


def test_the_files_follow_from_the_seeds(season: Contest) -> None:
    """What a team made in the play is what anybody makes from the same data and seed."""
    for declared in SEASON.rounds:
        round_ = Round.objects.select_related("dataset").get(contest=season, slug=declared.slug)
        place, move = next(
            (place, move) for place, move in enumerate(declared.moves) if isinstance(move, Hide)
        )
        entry = Entry.objects.get(round=round_, team__name=SEASON.teams[move.team], number=1)
        assert _made(round_, move, declared.seed + place).sha256 == entry.upload_sha256


def test_the_command_keeps_what_is_there_and_its_archive_verifies(
    season: Contest, settings: Any, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    said = StringIO()
    call_command("season_demo", stdout=said)
    assert said.getvalue().startswith("season is there already.")
    assert "/contests/season/story/" in said.getvalue()
    archive = season_archive(season.slug)
    with zipfile.ZipFile(archive) as file:
        file.extract("verify.py", tmp_path)
    done = subprocess.run(
        [sys.executable, "verify.py", str(archive)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    before = archive.stat().st_mtime_ns
    call_command("season_demo", stdout=StringIO())
    assert archive.stat().st_mtime_ns == before
    assert Contest.objects.filter(slug=season.slug).count() == 1


def test_production_never_has_a_season(settings: Any) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production never creates one"):
        call_command("season_demo", stdout=StringIO())
