"""A demo of any game: a small world, teams that hide with its methods and seek with its attacks, a board."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable

from django.utils import timezone

from contest.files import vault
from contest.files.storage import submitted
from contest.models import Contest, Job, Phase, Round, Seat, Team
from contest.models.round import BuildState, Feedback
from contest.play.house import hide_with, seek_with
from contest.play.packages import declaration_of, installed_package
from contest.play.table import Table
from contest.services import demo
from contest.services.answers import submit_answer
from contest.services.attacks import targets_of
from contest.services.contests import create_contest
from contest.services.entries import submit_entry
from contest.services.game_rounds import create_game_round, waits_for_publication
from contest.services.house import ARCHIVE_BYTES
from contest.services.phase_clock import run_clock
from contest.services.phases import close_phase, open_phase
from contest.services.teams import create_team
from contest.work.handlers import work_off
from datasets.zip_writer import zipped
from games.contract.declaration import Declaration, in_language
from games.loading import find_folder
from games.rehearsal import generator
from games.round_folder import read_files
from games.stage import SOURCES

DAY = datetime.timedelta(days=1)


def play_game_demo(name: str, report: Callable[[str], None]) -> Contest:
    """Make a contest of an installed game and play it to its board, in this process."""
    declared = declaration_of(installed_package(name))
    slug = f"demo-{declared.name}"[:50]
    found = Contest.objects.filter(slug=slug).first()
    if found is not None:
        report(f"{slug} is there already.")
        return found
    contest, round_ = _make(declared, slug)
    report(f"The data of {declared.name} are being made.")
    work_off()
    round_.refresh_from_db()
    if round_.build_state != BuildState.READY:
        raise RuntimeError(f"The data could not be made: {round_.build_log or round_.build_reason}")
    if declared.phases != "seek":
        _hide(round_, declared, report)
    work_off()
    is_season = round_.feedback != Feedback.FULL
    if is_season:
        # Something is shown only once entries are handed over: the demo is a season that is over.
        _pass_on(round_, Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
    _seek(round_, declared, report)
    work_off()
    if is_season:
        _pass_on(round_, Phase.Kind.ATTACK, Phase.Kind.RESULTS)
    return contest


def _pass_on(round_: Round, ending: Phase.Kind, beginning: Phase.Kind) -> None:
    """End one phase, begin another, and do what follows."""
    organiser = demo.person(demo.ORGANISER)
    for kind, act in ((ending, close_phase), (beginning, open_phase)):
        act(Phase.objects.select_related("round__contest").get(round=round_, kind=kind), organiser, "Demo.")
    while run_clock() or Job.objects.filter(state=Job.State.QUEUED).exists():
        work_off()
    round_.refresh_from_db()


def _make(declared: Declaration, slug: str) -> tuple[Contest, Round]:
    organiser = demo.person(demo.ORGANISER, is_staff=True)
    contest = create_contest(
        organiser,
        slug=slug,
        title=in_language(declared.title, "en"),
        summary="A small world of this game, with sample entries.",
        time_zone="Asia/Tokyo",
        is_public=True,
    )
    for name, team in demo.TEAMS.items():
        create_team(contest, demo.person(name), team)
    is_open = not waits_for_publication(declared)
    now = timezone.now().replace(microsecond=0)
    end = now + 365 * DAY
    seeking = now - DAY if is_open else end
    ended = end if is_open else end + 30 * DAY
    phases = [(Phase.Kind.ATTACK, seeking, ended)]
    if declared.phases != "seek":
        phases.insert(0, (Phase.Kind.ANONYMISE, now - DAY, end))
    round_ = create_game_round(
        contest,
        organiser,
        installed_package(declared.name),
        slug="practice",
        name="Practice",
        phases=[*phases, (Phase.Kind.RESULTS, ended, ended + 30 * DAY)],
        params=declared.rehearsal,
        sources={name: io.BytesIO(content) for name, content in _sources(declared).items()},
        samples=True,
        feedback=Feedback.FULL if is_open else Feedback.NONE,
        attacks_in_total=None,
        all_targets=False,
        entries_per_day=20,
        entries_in_total=500,
    )
    return contest, round_


def _sources(declared: Declaration) -> dict[str, bytes]:
    return read_files(find_folder(declared.name) / SOURCES)


def _hide(round_: Round, declared: Declaration, report: Callable[[str], None]) -> None:
    table = Table(round_)
    for number, (team, seat) in enumerate(_seated(round_)):
        method = declared.methods[-1 - number % len(declared.methods)]
        params = {setting.name: setting.default for setting in method.parameters}
        made = hide_with(table, seat, method.name, params, generator("demo", team.name))
        parts = {name: io.BytesIO(content) for name, content in made.items()}
        upload = vault.keep_parts(parts, sum(map(len, made.values())) + ARCHIVE_BYTES)
        member = team.memberships.select_related("user").get().user
        submit_entry(round_, team, member, upload, note=method.name, slot=declared.slots[0])
        report(f"{team} hides with {method.name}.")


def _seek(round_: Round, declared: Declaration, report: Callable[[str], None]) -> None:
    table = Table(round_)
    for number, (team, seat) in enumerate(_seated(round_)):
        entries = targets_of(round_, team)
        if not entries or not declared.attacks:
            continue
        attack = declared.attacks[number % len(declared.attacks)].name
        made = seek_with(table, seat, entries, attack, generator("demo", team.name))
        stored = submitted.put(io.BytesIO(zipped(made)))
        submit_answer(round_, team, team.memberships.select_related("user").get().user, stored, note=attack)
        report(f"{team} seeks with {attack}.")


def _seated(round_: Round) -> list[tuple[Team, Seat]]:
    seats = Seat.objects.filter(round=round_, team__is_house=False).select_related("team").order_by("number")
    return [(seat.team, seat) for seat in seats if seat.team is not None]
