"""The page of an entry of a game: state, problems, measures with their limits, and what attacks achieved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from contest import access
from contest.board.game_boards import text_of, view_for
from contest.board.game_matrix import target_label
from contest.board.official import better_before, counts_instead
from contest.board.queries import MeasureCell
from contest.jobs.queue_estimates import wait_for
from contest.language.declared import readable, title_of
from contest.language.game_words import worded
from contest.language.translation import say_problem
from contest.models import AttackRun, Entry, Job, Round, StoredBoard
from contest.models.round import Feedback
from contest.pages.entry import progress_of, steps_of
from contest.pages.games.data import Download
from contest.pages.games.pictures import NOTHING, Pictured, pictures_of_answer, pictures_of_entry
from contest.pages.games.rules import limit_of
from contest.pages.games.telling import ToldNumber, told_numbers
from contest.pages.problem_summary import problem_context
from contest.play.programs import hides_logs
from contest.play.table import Table
from games.contract.declaration import Challenge, Declaration, Number
from scoring.rules import Limit

MOST_PICTURED = 5
"""Of the attacks in a challenge, the strongest whose pictures the page of an entry shows; each attack has a
page of its own."""


@dataclass(frozen=True)
class MeasureLine:
    """A measure with its value beside the limit; ``share`` is how much of the limit is used, in percent."""

    number: Number
    title: str
    meaning: str
    text: str
    operator: str = ""
    limit: float | None = None
    share: int | None = None
    is_broken: bool = False


@dataclass(frozen=True)
class RunLine:
    """What one attack achieved in one challenge."""

    label: str
    url: str
    run: AttackRun
    numbers: list[ToldNumber]
    is_house: bool
    is_strongest: bool
    pictures: Pictured = NOTHING


@dataclass(frozen=True)
class ChallengeRuns:
    challenge: Challenge
    titles: list[str]
    lines: list[RunLine]


def entry_context(user: access.Viewer, entry: Entry) -> dict[str, Any]:
    round_ = entry.round
    table = Table(round_)
    is_owner, can_organise = access.owns_entry(user, entry), access.is_organiser(user, round_.contest)
    show_details, show_attacks = is_owner or can_organise, access.sees_attacks_on(user, entry)
    runs = _runs(entry) if show_attacks else []
    job = Job.objects.filter(entry=entry).order_by("-id").first()
    unfinished = [run.pk for run in runs if run.state not in AttackRun.FINAL]
    jobs = (
        Job.objects.filter(attack_run__in=unfinished) if entry.is_final else Job.objects.filter(entry=entry)
    )
    problems = [say_problem(problem) for problem in entry.problems] if show_details else []
    return {
        "contest": round_.contest,
        "round": round_,
        "entry": entry,
        "declared": table.declared,
        "label": target_label(entry),
        "steps": steps_of(entry, runs, job, show_attacks),
        "progress": progress_of(entry, runs, job),
        "wait": wait_for(jobs) if unfinished or not entry.is_final else None,
        "is_settled": entry.is_final and not unfinished,
        **problem_context(
            problems, entry.problem_total if show_details else 0, entry.remarks if show_details else ()
        ),
        "program": hider_state(table, entry) if show_details and entry.program_sha256 else None,
        "because": broken_limits(table.declared, entry),
        "measures": measure_lines(table, entry),
        "parts": [(readable_part(table.declared, name), text_of(value, 4)) for name, value in _parts(entry)],
        "utility": text_of(entry.utility, 2),
        "pictures": pictures_of_entry(user, entry),
        "challenges": _by_challenge(user, table, entry, runs),
        "places": places_on_boards(user, entry, can_organise, is_owner),
        "show_attacks": show_attacks,
        "can_see_details": show_details,
        "can_organise": can_organise,
        "is_owner": is_owner,
        "instead": counts_instead(entry) if is_owner else None,
        "better": better_before(entry) if is_owner else None,
        "order": access.order_behind(user, entry),
        "files": [
            Download(one.name, file_url(entry, one.name), one.sha256)
            for one in access.entry_files(user, entry)
        ],
    }


@dataclass(frozen=True)
class HiderState:
    """How far the program is that makes an entry, for its authors."""

    state: str
    text: str
    log: str
    hides_log: bool


def hider_state(table: Table, entry: Entry) -> HiderState:
    if entry.made_sha256:
        state, text = "made", _("It has written the files of an entry.")
    elif entry.is_final:
        state, text = "failed", _("It has made no entry.")
    else:
        state, text = "running", _("It waits or runs.")
    return HiderState(state, text, entry.program_log, hides_logs(table, "open"))


def file_url(entry: Entry, name: str) -> str:
    return reverse("entry_download", args=[entry.round.contest.slug, entry.round.slug, entry.pk, name])


def _runs(entry: Entry) -> list[AttackRun]:
    runs = entry.attack_runs.filter(attack__is_dry_run=False).select_related("attack__team")
    return list(runs.defer("log", "found_rows").order_by("-risk", "pk"))


def _parts(entry: Entry) -> list[tuple[str, float | None]]:
    return list(entry.parts.items())


def readable_part(declared: Declaration, name: str) -> str:
    found = next((number for number in declared.measures if number.name == name), None)
    return title_of(found) if found else readable(name)


def broken_limits(declared: Declaration, entry: Entry) -> list[str]:
    """Why an entry is not useful enough: the titles of measures, or the game's own words."""
    said = []
    for reason in entry.because:
        name = reason["values"]["name"]
        number = next((one for one in declared.measures if one.name == name), None)
        said.append(title_of(number) if number else worded(declared.messages.get(name, {})) or readable(name))
    return said


def measure_lines(table: Table, entry: Entry) -> list[MeasureLine]:
    broken = {reason["values"]["name"] for reason in entry.because}
    lines = []
    for number in table.declared.measures:
        if number.name not in entry.measures:
            continue
        value = entry.measures[number.name]
        bound = limit_of(table, number.name)
        operator, limit = bound or ("", None)
        share = None
        if value is not None and limit is not None and (operator == "≥" or (limit and value >= 0)):
            share = round(100 * _bound(number, operator, limit).share_used(value, _best(number)))
        text = text_of(value, number.decimals)
        is_broken = number.name in broken
        lines.append(
            MeasureLine(
                number, title_of(number), worded(number.meaning), text, operator, limit, share, is_broken
            )
        )
    return lines


def _bound(number: Number, operator: str, limit: float) -> Limit:
    return Limit(number.name, "<=" if operator == "≤" else ">=", limit)


def _best(number: Number) -> float | None:
    """The best value of a measure that is better when higher; None of any other."""
    if number.better != "higher":
        return None
    return math.inf if number.high is None else number.high


def limited_cells(round_: Round, entry: Entry) -> list[MeasureCell]:
    """The measures of an entry that have a limit, as cards of teams show them."""
    return [
        MeasureCell(
            line.number.name,
            line.title,
            entry.measures[line.number.name],
            line.limit,
            operator="<=" if line.operator == "≤" else ">=",
            best=_best(line.number),
        )
        for line in measure_lines(Table(round_), entry)
        if line.share is not None and line.limit is not None
    ]


def _by_challenge(
    user: access.Viewer, table: Table, entry: Entry, runs: list[AttackRun]
) -> list[ChallengeRuns]:
    has_ended = access.results_have_begun(entry.round) or access.is_organiser(user, entry.round.contest)
    titles = {attack.name: title_of(attack) for attack in table.declared.attacks}
    found = []
    for challenge in table.declared.challenges:
        mine = [run for run in runs if run.challenge == challenge.name]
        if not mine:
            continue
        lines = [
            RunLine(
                titles.get(run.attack.name, run.attack.name) if run.attack.team is None else run.attack.label,
                reverse("attack", args=[table.round.contest.slug, table.round.slug, run.attack_id]),
                run,
                told_numbers(challenge.numbers, run.numbers, Feedback.FULL, has_ended=has_ended),
                run.attack.team_id is None,
                run.risk is not None and run.risk == entry.risk,
                _pictures(user, table, run) if place < MOST_PICTURED else NOTHING,
            )
            for place, run in enumerate(mine)
        ]
        found.append(ChallengeRuns(challenge, [title_of(number) for number in challenge.numbers], lines))
    return found


def _pictures(user: access.Viewer, table: Table, run: AttackRun) -> Pictured:
    run.attack.round = table.round
    return pictures_of_answer(user, run.attack, [run]).get(run.pk, NOTHING)


def places_on_boards(
    user: access.Viewer, entry: Entry, can_organise: bool, is_owner: bool
) -> list[tuple[str, int | None]]:
    """The places of an entry's team on the boards that the reader may see."""
    if not entry.is_official or entry.is_brought:
        return []
    view = view_for(user, entry.round)
    found, declared = [], Table(entry.round).declared
    for board in StoredBoard.objects.filter(round=entry.round, view=view).order_by("position"):
        if not can_organise and (board.shown == "organisers" or (board.shown == "own row" and not is_owner)):
            continue
        row = next((row for row in board.rows if row["team"] == entry.team_id), None)
        if row is not None and row["place"] is not None:
            found.append((worded(declared.board_title(board.name)) or readable(board.name), row["place"]))
    return found
