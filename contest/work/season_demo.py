"""A season from its first phase to its awards, in this process: every entry and guess takes the normal path.

Nothing is back-dated. The organiser opens and closes the phases early and says why, so the public log tells
that the season was played in fast motion.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable

from django.db import transaction
from django.utils import timezone

from contest.board import queries
from contest.board.awards import proposals
from contest.errors import Refused
from contest.models import Award, Contest, Job, Phase, Round, Team, User
from contest.models.round import Feedback
from contest.services import demo
from contest.services.awards import confirm_award, give_award
from contest.services.contests import announce, create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.phases import close_phase, open_phase
from contest.services.standings_history import record_standing
from contest.services.teams import create_team
from contest.work.handlers import work_off
from games.formats.demo import Hide, Move, Season, SeasonRound

DAY = datetime.timedelta(days=1)
SECONDS_BETWEEN = 0.2
WHY = "The season is played in fast motion."
Report = Callable[[str], None]


def play_season(season: Season, report: Report) -> tuple[Contest, bool]:
    """Make the contest of a season and play it to its end; an installation that has it keeps what is there.

    The second value says whether it was made now.
    """
    found = Contest.objects.filter(slug=season.slug).first()
    if found is not None:
        report(f"{season.slug} is there already.")
        return found, False
    contest, organiser = _make(season)
    for round_ in contest.rounds.select_related("contest", "dataset").order_by("position"):
        declared = next(one for one in season.rounds if one.slug == round_.slug)
        _play_round(season, declared, round_, organiser, report)
    _give_awards(season, contest, organiser)
    announce(contest, organiser, *season.greeting)
    return contest, True


def _make(season: Season) -> tuple[Contest, User]:
    """The contest with its teams and with all rounds planned, one after the other."""
    data = {declared.slug: declared.data() for declared in season.rounds}
    with transaction.atomic():
        organiser = demo.person(demo.ORGANISER, is_staff=True)
        contest = create_contest(
            organiser,
            slug=season.slug,
            title=season.title,
            summary=season.summary,
            description=season.description,
            time_zone=season.time_zone,
            is_public=True,
        )
        for name, team in season.teams.items():
            create_team(contest, demo.person(name), team)
        starts_at = timezone.now().replace(microsecond=0) + DAY
        for position, declared in enumerate(season.rounds):
            tables = register_dataset(
                declared.data_name, data[declared.slug], format=season.format, user=organiser
            )
            phases = _planned(declared, starts_at + 60 * position * DAY)
            create_round(
                contest,
                organiser,
                slug=declared.slug,
                name=declared.name,
                position=position,
                weight=declared.weight,
                dataset=tables,
                limits=season.limits,
                ranking=season.ranking,
                attacks=list(season.attacks),
                feedback=Feedback.FULL if declared.at_once else Feedback.NONE,
                attacks_in_total=None,
                all_targets=not declared.at_once,
                phases=phases,
                seed=declared.seed,
                seeds_known=True,
            )
    return contest, organiser


def _planned(
    declared: SeasonRound, starts_at: datetime.datetime
) -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    """Three weeks of hiding, two of seeking, and a year of results; the play moves all of it forward."""
    hidden = starts_at + 21 * DAY
    sought = hidden + 14 * DAY
    seeking = starts_at if declared.at_once else hidden
    return [
        (Phase.Kind.ANONYMISE, starts_at, sought if declared.at_once else hidden),
        (Phase.Kind.ATTACK, seeking, sought),
        (Phase.Kind.RESULTS, sought, sought + 365 * DAY),
    ]


def _play_round(
    season: Season, declared: SeasonRound, round_: Round, organiser: User, report: Report
) -> None:
    hiding = [Phase.Kind.ANONYMISE, *([Phase.Kind.ATTACK] if declared.at_once else [])]
    _turn(round_, organiser, opens=hiding)
    report(f"{declared.name}: the teams hide.")
    for step in declared.house:
        request_house_entry(round_, organiser, step.method, dict(step.parameters), seed=1)
    _judge(round_)
    moves = list(enumerate(declared.moves))
    if not declared.at_once:
        moves.sort(key=lambda move: not isinstance(move[1], Hide))
        first_guess = next(n for n, (_, move) in enumerate(moves) if not isinstance(move, Hide))
        _play(season, declared, round_, moves[:first_guess], report)
        _turn(round_, organiser, closes=[Phase.Kind.ANONYMISE])
        _turn(round_, organiser, opens=[Phase.Kind.ATTACK])
        report(f"{declared.name}: the entries are frozen, the teams seek.")
        moves = moves[first_guess:]
    _play(season, declared, round_, moves, report)
    _turn(round_, organiser, closes=[kind for kind in hiding if declared.at_once] or [Phase.Kind.ATTACK])
    _turn(round_, organiser, opens=[Phase.Kind.RESULTS])
    round_.refresh_from_db()
    if round_.revealed_at is None:
        raise RuntimeError(f"The results of {declared.name} could not be revealed.")
    report(f"{declared.name}: the results are revealed.")


def _play(
    season: Season,
    declared: SeasonRound,
    round_: Round,
    moves: Iterable[tuple[int, Move]],
    report: Report,
) -> None:
    for place, move in moves:
        team = Team.objects.get(contest=round_.contest, name=season.teams[move.team])
        demo.play_move(round_, team, move, declared.seed + place)
        _judge(round_)
        report(f"  {team.name}: {move.note}.")


def _judge(round_: Round) -> None:
    """Do all queued jobs here, wait for those that workers beside have taken, and record the places."""
    while True:
        work_off()
        if not queries.job_counts(round_.contest).get(Job.State.RUNNING):
            break
        time.sleep(SECONDS_BETWEEN)
    record_standing(round_)


def _turn(
    round_: Round, organiser: User, *, opens: Iterable[Phase.Kind] = (), closes: Iterable[Phase.Kind] = ()
) -> None:
    """Open or close phases early, and do what follows from it."""
    for kinds, act in ((closes, close_phase), (opens, open_phase)):
        for kind in kinds:
            phase = Phase.objects.select_related("round__contest").get(round=round_, kind=kind)
            act(phase, organiser, WHY)
    while run_clock() or Job.objects.filter(state=Job.State.QUEUED).exists():
        _judge(round_)


def _give_awards(season: Season, contest: Contest, organiser: User) -> None:
    proposed = proposals(contest)
    for kind in Award.COMPUTED:
        first = proposed.first(kind)
        if first is None:
            raise Refused("results-not-out", f"Nobody has earned the award {kind}.")
        confirm_award(contest, organiser, kind, Team.objects.get(pk=first.team_id))
    for award in season.awards:
        give_award(
            contest,
            organiser,
            Team.objects.get(contest=contest, name=season.teams[award.team]),
            title_en=award.title_en,
            title_ja=award.title_ja,
            text=award.text,
            reason=award.reason,
        )
