"""Rounds whose boards stand still, for tests: three teams, whose order is another one since then."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from contest.models import Contest, Entry, Phase, Round, Team, User
from contest.services.board_versions import bump_board
from contest.services.phase_clock import run_clock
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

HOUR = datetime.timedelta(hours=1)
NAMES = ("Tanuki", "Kitsune", "Tengu")
BEFORE = {"Tanuki": 1, "Kitsune": 4, "Tengu": 8}
"""How many of twelve people attacks had found when the board stopped: fewer are better."""
SINCE = {"Tanuki": 11, "Kitsune": 9, "Tengu": 0}
"""And afterwards: the last team is the first one."""


@dataclass
class Frozen:
    """A round, and who looks at it."""

    round: Round
    organiser: User
    teams: dict[str, Team]
    members: dict[str, User]

    @property
    def contest(self) -> Contest:
        return self.round.contest

    @property
    def address(self) -> str:
        return self.round.get_absolute_url()

    def judge(self, found: dict[str, int]) -> None:
        """Let attacks have found so many people, as their judge writes it."""
        for name, hits in found.items():
            entries = Entry.objects.filter(round=self.round, team=self.teams[name], is_official=True)
            entries.update(numbers={"hits": hits}, risk=hits / 12, strongest_attack=f"attack-{hits}")
        bump_board(self.round.pk, is_seen=False)

    def tick(self) -> list[str]:
        done = [step.what for step in run_clock() if step.round == self.round.pk]
        self.round.refresh_from_db()
        return done


def make_frozen(**fields: Any) -> Frozen:
    """A round in which hiding is open and shows everything at once, and whose board stands still."""
    organiser = make_user("oni")
    contest = make_contest(organiser, slug="cup", title="The cup", may_be_embedded=True)
    now = timezone.now()
    fields.setdefault("board_frozen_at", now - HOUR)
    fields.setdefault(
        "phases",
        [
            (Phase.Kind.ANONYMISE, now - 9 * HOUR, now + HOUR),
            (Phase.Kind.ATTACK, now - 9 * HOUR, now + HOUR),
            (Phase.Kind.RESULTS, now + HOUR, now + 9 * HOUR),
        ],
    )
    round_ = make_round(contest, slug="final", name="Final", **fields)
    members = {name: make_user(name.lower()) for name in NAMES}
    teams = {name: make_team(contest, name, members[name]) for name in NAMES}
    for number, name in enumerate(NAMES):
        make_entry(round_, teams[name], entry_files("shuffle", number + 1))
    work_off()
    frozen = Frozen(round_, organiser, teams, members)
    frozen.judge(BEFORE)
    frozen.tick()
    return frozen


def let_results_begin(frozen: Frozen) -> None:
    """Let everything before the results be over, and the clock do what follows."""
    now = timezone.now()
    played = Phase.objects.filter(round=frozen.round).exclude(kind=Phase.Kind.RESULTS)
    played.update(ends_at=now - HOUR / 2)
    results = Phase.objects.filter(round=frozen.round, kind=Phase.Kind.RESULTS)
    results.update(starts_at=now - HOUR / 2)
    work_off()
    frozen.tick()
