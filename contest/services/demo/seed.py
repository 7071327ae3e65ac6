"""Makes the demo contest: generated data, an organiser, the teams, and house entries on the normal path."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from contest.models import Contest, Phase, Round, User
from contest.models.round import Feedback
from contest.services.contests import announce, create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.house import request_house_entry
from contest.services.teams import create_team
from games.formats.demo import STORY

PASSWORD = "hide-and-seek"  # noqa: S105  # a demo on this machine only; production never seeds it
ORGANISER = "oni"
TEAMS = STORY.teams


def seed_demo() -> bool:
    """Make the demo contest once; an installation that has it keeps what is there."""
    if Contest.objects.filter(slug=STORY.slug).exists():
        return False
    data = STORY.data()
    with transaction.atomic():
        organiser = person(ORGANISER, is_staff=True)
        contest = create_contest(
            organiser,
            slug=STORY.slug,
            title=STORY.title,
            summary=STORY.summary,
            description=STORY.description,
            time_zone=STORY.time_zone,
            is_public=True,
        )
        round_ = _round(contest, organiser, data)
        announce(contest, organiser, *STORY.greeting)
        for name, team_name in TEAMS.items():
            create_team(contest, person(name), team_name)
        for step in STORY.house:
            request_house_entry(round_, organiser, step.method, dict(step.parameters), seed=1)
    return True


def person(name: str, **fields: bool) -> User:
    """Somebody who plays in a demo."""
    found = User.objects.filter(name_key=name).first()
    return found or User.objects.create_user(
        name, f"{name}@example.org", PASSWORD, email_confirmed_at=timezone.now(), **fields
    )


def _round(contest: Contest, organiser: User, data: Any) -> Round:
    now = timezone.now().replace(microsecond=0)
    day = datetime.timedelta(days=1)
    end = now + 365 * day
    return create_round(
        contest,
        organiser,
        slug=STORY.round_slug,
        name=STORY.round_name,
        dataset=register_dataset(STORY.data_name, data, format=STORY.format, user=organiser),
        limits=STORY.limits,
        ranking=STORY.ranking,
        feedback=Feedback.FULL,
        attacks_in_total=None,
        all_targets=False,
        attacks=list(STORY.attacks),
        phases=[
            (Phase.Kind.ANONYMISE, now - day, end),
            (Phase.Kind.ATTACK, now - day, end),
            (Phase.Kind.RESULTS, end, end + 30 * day),
        ],
        entries_per_day=20,
        entries_in_total=500,
        seed=STORY.seed,
        seeds_known=True,
    )


def log_ins() -> str:
    names = ", ".join(TEAMS)
    return f"Log in as a team: {names}; as the organiser: {ORGANISER}; password for all: {PASSWORD}\n"
