"""A contest rehearsed from its bundle: everything happens as on the day, in order, and faults are named."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from contest.bundle.check import check_bundle
from contest.models import Attack, AttackRun, AuditEvent, Contest, Entry, Phase, Reminder, Round, Team
from contest.rehearsal import Outcome, Plan, as_dict, as_text, rehearse
from contest.rehearsal.fast_clock import END, LATE, REMINDER, START, FastClock
from kakurenbo.main import main
from tests.conftest import ROOT
from tests.contest.test_bundle import SMALL
from tests.factories import make_contest
from tests.game_rounds import TOYS
from tests.services.test_game_bundles import TEXT as GAME
from tests.services.test_game_bundles import beside
from tests.services.test_tracks import TRACKS

pytestmark = [pytest.mark.django_db, pytest.mark.once]

RESULTS = "    results: {from: 2027-09-03T00:00:00Z, until: 2027-12-01T00:00:00Z}\n"
PLAYED = SMALL.replace("  limits:\n", f"{RESULTS}  limits:\n").replace("at-most: 0.7", "at-most: 1")
DRAFT = "The contest is a draft: teams see it, and reminders are sent, once it is public."
DAY = datetime.timedelta(days=1)
PLAN = Plan(teams=3, seed=1, workers=2, program_seconds=0.0)


def nothing(name: str) -> IO[bytes]:
    raise FileNotFoundError(name)


def rehearsed(text: str, plan: Plan = PLAN, open_file: Callable[[str], IO[bytes]] = nothing) -> Outcome:
    checked = check_bundle(text)
    assert checked.bundle is not None, checked.problems
    return rehearse(checked.bundle, open_file, plan, lambda line: None)


def test_a_sound_bundle_is_played_to_its_results_and_nothing_is_wrong() -> None:
    outcome = rehearsed(PLAYED.replace("summary:", "public: true\nsummary:"))
    assert outcome.faults == []
    contest = Contest.objects.get(slug="small")
    round_ = Round.objects.get(contest=contest)
    assert round_.frozen_at and round_.tallied_at and round_.revealed_at
    (played,) = outcome.rounds
    assert played.idle == [] and played.valid >= PLAN.teams
    assert Entry.objects.filter(round=round_, is_official=True, team__is_house=False).count() == PLAN.teams
    judged = AttackRun.objects.filter(attack__round=round_, state=AttackRun.State.DONE)
    assert judged.filter(attack__kind=Attack.Kind.GUESS).exists()
    assert len(played.boards["total"]) == PLAN.teams + 1
    assert any("Team 001" in row for row in played.boards["total"])


def test_the_report_has_the_planned_times_and_the_letters() -> None:
    outcome = rehearsed(PLAYED)
    assert outcome.faults == [DRAFT]
    assert [one.at for one in outcome.happened] == sorted(one.at for one in outcome.happened)
    begins = next(one for one in outcome.happened if one.what == "Final: Anonymise begins")
    assert begins.at == datetime.datetime.fromisoformat("2027-08-01T10:00:00+09:00")
    assert "Sun 2027-08-01 10:00  Final: Anonymise begins" in as_text(outcome)
    # Two reminders before each of two phases, each only to the one team that had handed in nothing.
    assert outcome.letters["reminder"] == Reminder.objects.count() == 4
    late = Team.objects.get(contest__slug="small", name="Team 003")
    assert Entry.objects.filter(team=late, state=Entry.State.VALID).exists()
    told = json.loads(json.dumps(as_dict(outcome)))
    assert told["teams"] == 3 and told["faults"] == [DRAFT]
    assert told["forecasts"][0]["phase"] == 48 * 3600
    assert {job["failed"] for job in told["jobs"]} == {0}
    assert sum(job["n"] for job in told["jobs"] if job["kind"] == "check an entry's files") >= 4


def test_teams_take_turns_through_the_tracks_of_a_contest() -> None:
    checked = check_bundle(PLAYED).bundle
    assert checked is not None
    tracked = dataclasses.replace(checked, settings={**checked.settings, "tracks": TRACKS})
    outcome = rehearse(tracked, nothing, PLAN, lambda line: None)
    assert outcome.faults == [DRAFT]
    assert Team.objects.filter(is_house=False).values("track").distinct().count() == 2


def test_registration_sizes_and_a_frozen_board_are_kept() -> None:
    bundle = check_bundle(PLAYED).bundle
    assert bundle is not None
    first, (round_,) = bundle.starts_at, bundle.rounds
    joining = {
        "registration_opens": first - 2 * DAY,
        "registration_closes": first + DAY,
        "min_team_size": 2,
    }
    frozen = {"board_frozen_at": first + 10 * DAY, "reveal_in_steps": True}
    planned = dataclasses.replace(
        bundle,
        settings={**bundle.settings, **joining},
        rounds=(dataclasses.replace(round_, settings={**round_.settings, **frozen}),),
    )
    outcome = rehearse(planned, nothing, PLAN, lambda line: None)
    assert outcome.faults == [DRAFT]
    assert {team.memberships.count() for team in Team.objects.filter(is_house=False)} == {2}
    played = Round.objects.get(contest__slug="small")
    assert played.revealed_at is not None
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert {"board.stopped", "reveal.started", "reveal.ended"} <= verbs, verbs
    contest = Contest.objects.get(slug="small")
    assert contest.registration == "after"


def test_limits_that_no_method_keeps_are_a_fault() -> None:
    impossible = PLAYED.replace(
        "  - {measure: ut-jaccard, at-most: 1}\n", "  - {measure: ut-jaccard, at-most: -1}\n"
    )
    outcome = rehearsed(impossible)
    (played,) = outcome.rounds
    assert (played.valid, len(played.idle)) == (0, PLAN.teams)
    assert any("3 of 3 teams ended without a valid entry" in fault for fault in outcome.faults)


def test_attacks_that_do_not_fit_into_their_phase_are_a_fault() -> None:
    """Four entries count (three teams, one of the house), so each of three programs runs on three others:
    9 runs of 7 hours are 63 hours, on one worker more than the 48 of the phase, on two 31.5."""
    one = rehearsed(PLAYED, Plan(teams=3, seed=1, workers=1, program_seconds=7 * 3600.0))
    (forecast,) = one.forecasts
    assert forecast.programs == 63 * 3600 and not forecast.fits
    assert any("longer than the phase for them (2 days, 0:00:00)" in fault for fault in one.faults)
    again = PLAYED.replace("slug: small", "slug: again")
    assert rehearsed(again, Plan(teams=3, seed=1, workers=2, program_seconds=7 * 3600.0)).forecasts[0].fits


def test_the_same_seed_gives_the_same_boards() -> None:
    first = rehearsed(PLAYED).rounds
    assert rehearsed(PLAYED.replace("slug: small", "slug: again")).rounds == first


def test_a_round_of_a_game_is_rehearsed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", str(TOYS["skeleton"]))
    text = GAME.replace("  attacks: [nearest]\n", f"{RESULTS}  attacks: [nearest]\n")
    outcome = rehearsed(text.replace("limit-age: 7.0", "limit-age: 120.0"), open_file=beside)
    (played,) = outcome.rounds
    assert played.idle == [] and played.boards
    assert Round.objects.get(contest__slug="lanterns").revealed_at is not None
    assert outcome.faults == [DRAFT]


def test_the_clock_comes_to_each_moment_once_and_in_order() -> None:
    rehearsed(PLAYED)
    contest = Contest.objects.get(slug="small")
    clock = FastClock(contest)
    moments = clock.moments()
    assert [moment.what for moment in moments] == [
        *(START, REMINDER, REMINDER, LATE, END),
        *(START, REMINDER, REMINDER, LATE, END),
        *(START, END),
    ]
    hiding = Phase.objects.get(round__contest=contest, kind=Phase.Kind.ANONYMISE)
    length = hiding.ends_at - hiding.starts_at
    clock.turn_to(moments[0].at)
    hiding.refresh_from_db()
    assert hiding.ends_at - hiding.starts_at == length
    assert not Reminder.objects.exclude(ends_at=F("phase__ends_at")).exists()


def test_an_installation_with_contests_is_not_played_in() -> None:
    make_contest()
    with pytest.raises(CommandError, match="This installation has contests"):
        call_command("contest_rehearse", "pwscup2016")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--teams", "0"], "The '--teams' option must be from 1 to 200. Got 0 instead."),
        (["--workers", "0"], "The '--workers' option must be from 1 to 10000. Got 0 instead."),
        (
            ["--program-seconds", "-1"],
            "The '--program-seconds' option must be from 0 to 86400. Got -1 instead.",
        ),
        (["--seed", "-5"], "The '--seed' option must be from 0 to 1000000. Got -5 instead."),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["contest", "rehearse", "pwscup2016", *words]) == 2
    assert says in capsys.readouterr().err


def test_the_command_leaves_the_site_alone(tmp_path: Path) -> None:
    """In a process of its own: the site's database, which its environment names, is not even made."""
    bundle = tmp_path / "small.yaml"
    bundle.write_text(PLAYED)
    site = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "kakurenbo",
        "contest",
        "rehearse",
        str(bundle),
        "--teams",
        "2",
        "--json",
    ]
    environment = {**os.environ, "KAKURENBO_VAR": str(site), "TMPDIR": str(tmp_path)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["faults"] == [DRAFT]
    assert not site.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["small.yaml"]
