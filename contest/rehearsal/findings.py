"""What a rehearsal left behind in the rows, and what of it would have been a fault on the day."""

from __future__ import annotations

import datetime
from collections import Counter

from django.db.models import Avg, Count, F, Q, Sum

from contest.board.board_cache import board_of
from contest.board.game_boards import BoardLine, counted_boards
from contest.models import Attack, AttackRun, Contest, Entry, Job, Mail, Phase, Round, Team, TeamOrder
from contest.rehearsal.outcome import Forecast, Load, Outcome, PlayedRound

TOP = 5
"""How many rows of a board are reported."""


def of_plan(contest: Contest) -> list[str]:
    """What can be said before anybody plays."""
    found = []
    if not contest.is_public:
        found.append("The contest is a draft: teams see it, and reminders are sent, once it is public.")
    for round_ in contest.rounds.order_by("position"):
        phases = {phase.kind: phase for phase in round_.phases.all()}
        hiding, seeking = phases.get(Phase.Kind.ANONYMISE), phases.get(Phase.Kind.ATTACK)
        if hiding and seeking and hiding.ends_at < seeking.starts_at - datetime.timedelta(days=7):
            found.append(f"{round_.name}: more than a week lies between hiding and seeking.")
        if Phase.Kind.RESULTS not in phases:
            found.append(f"{round_.name}: no phase shows the results.")
    return found


def collect(outcome: Outcome, contest: Contest, workers: int, program_seconds: float) -> None:
    """Fill in everything that the rows tell at the end."""
    for round_ in contest.rounds.select_related("contest", "dataset", "game").order_by("position"):
        outcome.rounds.append(_played(round_))
        outcome.forecasts.append(_forecast(round_, workers, program_seconds))
    outcome.loads = _loads()
    outcome.letters = Counter(Mail.objects.values_list("kind", flat=True))
    outcome.faults += [*_broken(contest), *_idle(outcome), *_late(outcome)]


def _played(round_: Round) -> PlayedRound:
    entries = Entry.objects.filter(round=round_, team__is_house=False)
    valid = entries.filter(state=Entry.State.VALID)
    teams = Team.objects.filter(contest=round_.contest_id, is_house=False)
    hides = round_.phases.filter(kind=Phase.Kind.ANONYMISE).exists()
    idle = list(teams.exclude(pk__in=valid.values("team")).values_list("name", flat=True)) if hides else []
    return PlayedRound(round_.name, entries.count(), valid.count(), idle, _boards(round_))


def _boards(round_: Round) -> dict[str, list[str]]:
    if round_.game_id is None:
        rows = board_of(round_, True).rows
        return {
            "total": [
                f"{row.rank or '–':>3}  {row.team_name}  {_figure(row.total)} "
                f"(utility {_figure(row.utility)}, safety {_figure(row.safety)})"
                for row in rows[:TOP]
            ]
        }
    organiser = round_.contest.organisers.select_related("user").order_by("pk")[0].user
    boards = counted_boards(organiser, round_, None).boards
    return {board.name: [_line(line) for line in board.lines[:TOP]] for board in boards}


def _line(line: BoardLine) -> str:
    return f"{line.place or '–':>3}  {line.label}  {'  '.join(line.cells)}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _loads() -> list[Load]:
    length = Avg(F("finished_at") - F("started_at"), filter=Q(finished_at__isnull=False))
    rows = (
        Job.objects.order_by()
        .values("kind")
        .annotate(n=Count("pk"), mean=length, failed=Count("pk", filter=Q(state=Job.State.FAILED)))
    )
    loads = []
    for row in rows:
        seconds = row["mean"].total_seconds() if row["mean"] is not None else 0.0
        loads.append(Load(str(Job.Kind(row["kind"]).label), row["n"], seconds, row["failed"]))
    return sorted(loads, key=lambda load: -load.total)


def _forecast(round_: Round, workers: int, program_seconds: float) -> Forecast:
    """The house attacks as they were measured, and as many programs as there are teams."""
    house = AttackRun.objects.filter(attack__round=round_, attack__kind=Attack.Kind.HOUSE)
    attacks = house.aggregate(seconds=Sum("seconds"))["seconds"] or 0.0
    teams = Team.objects.filter(contest=round_.contest_id, is_house=False).count()
    targets = Entry.objects.filter(round=round_, is_official=True).count()
    programs = teams * max(0, targets - 1) * program_seconds
    phase = round_.phases.filter(kind=Phase.Kind.ATTACK).first()
    length = phase.ends_at - phase.starts_at if phase is not None else None
    return Forecast(round_.name, attacks, programs, workers, length)


def _broken(contest: Contest) -> list[str]:
    found = [
        f"A job failed ({Job.Kind(job.kind).label}): {job.reason or 'see its log'}"
        for job in Job.objects.filter(state=Job.State.FAILED).order_by("pk")
    ]
    found += [
        f"{order.round.name}: {order.team.name} got nothing from {order.method}: {order.reason}"
        for order in TeamOrder.objects.filter(state=TeamOrder.State.FAILED).select_related("team", "round")
    ]
    found += [
        f"{round_.name}: the results were not revealed at the end."
        for round_ in contest.rounds.filter(revealed_at=None).order_by("position")
        if round_.phases.filter(kind=Phase.Kind.RESULTS).exists()
    ]
    unsent = Mail.objects.exclude(error="").count()
    return [*found, *([f"{unsent} letters could not be sent."] if unsent else [])]


def _idle(outcome: Outcome) -> list[str]:
    return [
        f"{played.name}: {len(played.idle)} of {outcome.teams} teams ended without a valid entry, among them "
        f"{played.idle[0]}. Are the limits too narrow for the house methods?"
        for played in outcome.rounds
        if played.idle
    ]


def _late(outcome: Outcome) -> list[str]:
    return [
        f"{it.round}: with {it.workers} workers the attacks take {it.needed}, longer than the phase for them "
        f"({it.phase})."
        for it in outcome.forecasts
        if not it.fits
    ]
