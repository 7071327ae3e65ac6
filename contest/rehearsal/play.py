"""Invented teams play a contest from its first moment to its last; every entry takes the normal path."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from contest.bundle.check import OpenFile
from contest.bundle.specification import Bundle
from contest.errors import Refused
from contest.models import Contest, Entry, Invitation, Job, Phase, Round, Team, TeamOrder, User
from contest.play.offers import offered_attacks, offered_methods
from contest.rehearsal import fast_clock, findings
from contest.rehearsal.fast_clock import FastClock, Moment
from contest.rehearsal.outcome import Happened, Outcome
from contest.services import demo
from contest.services.bundles import create_from_bundle
from contest.services.phase_clock import run_clock
from contest.services.reveals import end_reveal, move_reveal, start_reveal
from contest.services.standings_history import record_standing
from contest.services.team_orders import Asked, request_answer, request_entry
from contest.services.team_status import approve_team
from contest.services.teams import create_invitation, create_team, join_team
from contest.work.handlers import work_off

TRIES = 5
"""With how many methods a team tries to get a valid entry."""
LATE_SHARE = 10
"""One team in so many hands in only after the reminders."""
Say = Callable[[str], None]
Request = Callable[[Round, Team, User, Asked], TeamOrder]


@dataclass(frozen=True)
class Plan:
    """How many teams play, with which seed their files are drawn; what the forecast counts on."""

    teams: int
    seed: int
    workers: int
    program_seconds: float


def rehearse(bundle: Bundle, open_file: OpenFile, plan: Plan, say: Say) -> Outcome:
    """Play the contest of a bundle. It writes to the database of this process: give it one of its own."""
    begun = time.monotonic()
    contest, organiser = _created(bundle, open_file)
    outcome = Outcome(contest.title, contest.time_zone, plan.teams)
    outcome.faults += findings.of_plan(contest)
    # Drafts are rehearsed as they will be played.
    Contest.objects.filter(pk=contest.pk).update(is_public=True)
    contest.refresh_from_db()
    clock = FastClock(contest)
    clock.turn_to(clock.registers_at)
    teams = _teams(contest, organiser, plan.teams)
    work_off()
    play = _Play(contest, clock, teams, plan, outcome, say)
    for moment in clock.moments():
        play.come_to(moment)
    findings.collect(outcome, contest, plan.workers, plan.program_seconds)
    outcome.seconds = time.monotonic() - begun
    return outcome


def _created(bundle: Bundle, open_file: OpenFile) -> tuple[Contest, User]:
    organiser = demo.person(demo.ORGANISER, is_staff=True)
    return create_from_bundle(bundle, organiser, open_file, known_seeds=True), organiser


def _teams(contest: Contest, organiser: User, n: int) -> list[Team]:
    """Teams in turn of all tracks, where the contest has some, with as many members as they need."""
    tracks = [track.name for track in contest.declared_tracks] or [""]
    with transaction.atomic():
        teams = [
            create_team(
                contest, demo.person(f"player{place:03}"), f"Team {place:03}", tracks[place % len(tracks)]
            )
            for place in range(1, n + 1)
        ]
    for team in teams:
        captain = team.memberships.select_related("user").get().user
        for place in range(2, contest.min_team_size + 1):
            create_invitation(team, captain)
            invitation = Invitation.objects.filter(team=team).latest("pk")
            join_team(invitation, demo.person(f"{captain.username}-{place}"))
        if team.status == Team.Status.PENDING:
            approve_team(team, organiser, "rehearsal")
    return teams


class _Play:
    """The teams, from moment to moment."""

    def __init__(
        self,
        contest: Contest,
        clock: FastClock,
        teams: Sequence[Team],
        plan: Plan,
        outcome: Outcome,
        say: Say,
    ) -> None:
        self.contest, self.clock, self.plan, self.outcome, self.say = contest, clock, plan, outcome, say
        n_late = max(1, len(teams) // LATE_SHARE)
        self.punctual, self.late = list(teams[:-n_late]), list(teams[-n_late:])
        self.places = {team.pk: place for place, team in enumerate(teams)}

    def come_to(self, moment: Moment) -> None:
        self._pass_time(moment)
        phase = Phase.objects.select_related("round__contest", "round__dataset").get(pk=moment.phase_id)
        self._tell(moment, phase)
        acting = {fast_clock.START: self.punctual, fast_clock.LATE: self.late}.get(moment.what, [])
        if phase.kind == Phase.Kind.ANONYMISE:
            self._hide(moment, phase.round, acting)
        elif phase.kind == Phase.Kind.ATTACK:
            self._seek(moment, phase.round, acting)
        elif moment.what == fast_clock.START and phase.kind == Phase.Kind.RESULTS:
            self._reveal(phase.round)

    def _pass_time(self, moment: Moment) -> None:
        """Let the moment be now, and do all that is due and queued."""
        self.clock.turn_to(moment.at)
        while run_clock() or Job.objects.filter(state=Job.State.QUEUED).exists():
            work_off()
            self.clock.turn_to(moment.at)

    def _tell(self, moment: Moment, phase: Phase) -> None:
        name, kind = phase.round.name, phase.get_kind_display()
        words = {
            fast_clock.START: f"{name}: {kind} begins",
            fast_clock.END: f"{name}: {kind} ends",
            fast_clock.REMINDER: f"{name}: reminders before {kind} ends",
        }
        if moment.what in words:
            self.outcome.happened.append(Happened(moment.at, words[moment.what]))
            self.say(words[moment.what])

    def _hide(self, moment: Moment, round_: Round, teams: Sequence[Team]) -> None:
        methods = offered_methods(round_)
        if teams and not methods:
            self.outcome.faults.append(f"{round_.name}: no house method can play a team, so nobody hid.")
            return
        waiting = list(teams)
        for attempt in range(TRIES):
            for team in waiting:
                method = methods[(self.places[team.pk] + attempt) % len(methods)]
                asked = Asked(method.name, seed=self._seed(round_, team, attempt))
                self._ask(request_entry, round_, team, asked)
            self._pass_time(moment)
            valid = Entry.objects.filter(round=round_, state=Entry.State.VALID).values_list("team", flat=True)
            waiting = [team for team in waiting if team.pk not in set(valid)]
        if teams:
            record_standing(round_)
            self.say(f"  {len(teams) - len(waiting)} of {len(teams)} teams have a valid entry")

    def _seek(self, moment: Moment, round_: Round, teams: Sequence[Team]) -> None:
        attacks = offered_attacks(round_)
        for team in teams if attacks else []:
            attack = attacks[self.places[team.pk] % len(attacks)]
            asked = Asked(attack.name, seed=self._seed(round_, team, 0))
            self._ask(request_answer, round_, team, asked)
        self._pass_time(moment)
        if teams and attacks:
            record_standing(round_)
            self.say(f"  {len(teams)} teams sought with {len(attacks)} house attacks")

    def _reveal(self, round_: Round) -> None:
        """What an organiser does on stage, where the results are revealed place by place."""
        if not round_.reveal_in_steps:
            return
        organiser = demo.person(demo.ORGANISER)
        try:
            places = len(start_reveal(round_, organiser).places)
            for seen in range(places):
                move_reveal(round_, organiser, 1, seen)
            end_reveal(round_, organiser)
        except Refused as refusal:
            self.outcome.faults.append(f"{round_.name}: the reveal was refused: {refusal.text}")
        else:
            self.say(f"  {places} places are revealed")

    def _ask(self, request: Request, round_: Round, team: Team, asked: Asked) -> None:
        user = team.memberships.select_related("user").order_by("pk")[0].user
        try:
            request(round_, team, user, asked)
        except Refused as refusal:
            self.outcome.faults.append(f"{round_.name}: {team.name} was refused: {refusal.text}")

    def _seed(self, round_: Round, team: Team, attempt: int) -> int:
        return (self.plan.seed * 1000 + round_.position) * 1000 + self.places[team.pk] * TRIES + attempt
