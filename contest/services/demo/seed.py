"""Makes the demo contest: generated data, an organiser, the teams, and house entries on the normal path."""

from __future__ import annotations

import datetime

from django.db import transaction
from django.utils import timezone

from attacks.registry import ATTACKS
from contest.models import Contest, Phase, Round, User
from contest.models.round import Feedback
from contest.services.contests import announce, create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.demo.script import HOUSE, TEAMS
from contest.services.house import request_house_entry
from contest.services.teams import create_team
from datasets.generate import generate
from datasets.tables import PurchaseData
from scoring.rules import Limit

SLUG, ROUND = "demo", "practice"
PASSWORD = "hide-and-seek"  # noqa: S105  # a demo on this machine only; production never seeds it
ORGANISER = "oni"
SEED = 2016
RANKING = "2026"
"""The weaker side counts: useful data that hides nobody earns nothing, and the middle of the map wins."""
LIMITS = (
    Limit("ut-jaccard", "<=", 0.95),
    Limit("subset", "<=", 50_000.0),
    Limit("cmae", "<=", 1.5),
    Limit("rfm", "<=", 1.0),
)
"""Wide, so that everything from unchanged data to almost nothing left is a legal entry; subset as in 2016."""

DESCRIPTION = """\
A shop publishes a year of purchases of 400 people. **Hide them**: hand in tables that are still useful, but
in which nobody finds who is who. Every entry is attacked at once by the house attacks.

1. Download the data and read the rules.
2. Make M′, T′ and P, for example with `kakurenbo anonymize`.
3. Upload them and watch your place on the board.
"""


def seed_demo() -> bool:
    """Make the demo contest once; an installation that has it keeps what is there."""
    if Contest.objects.filter(slug=SLUG).exists():
        return False
    data = generate(400, seed=SEED)
    with transaction.atomic():
        organiser = person(ORGANISER, is_staff=True)
        contest = create_contest(
            organiser,
            slug=SLUG,
            title="Hide and seek in the shop",
            summary="A practice contest on generated purchases of 400 people. Upload whenever you like.",
            description=DESCRIPTION,
            time_zone="Asia/Tokyo",
            is_public=True,
        )
        round_ = _round(contest, organiser, data)
        announce(contest, organiser, "Welcome", "The practice round is open. Read the rules, then upload.")
        for name, team_name in TEAMS.items():
            create_team(contest, person(name), team_name)
        for step in HOUSE:
            request_house_entry(round_, organiser, step.method, dict(step.parameters), seed=1)
    return True


def person(name: str, **fields: bool) -> User:
    """Somebody who plays in a demo."""
    found = User.objects.filter(name_key=name).first()
    return found or User.objects.create_user(
        name, f"{name}@example.org", PASSWORD, email_confirmed_at=timezone.now(), **fields
    )


def _round(contest: Contest, organiser: User, data: PurchaseData) -> Round:
    now = timezone.now().replace(microsecond=0)
    day = datetime.timedelta(days=1)
    end = now + 365 * day
    return create_round(
        contest,
        organiser,
        slug=ROUND,
        name="Practice",
        dataset=register_dataset("Generated shop, 400 customers", data, user=organiser),
        limits=LIMITS,
        ranking=RANKING,
        feedback=Feedback.FULL,
        attacks_in_total=None,
        all_targets=False,
        attacks=[attack.name for attack in ATTACKS],
        phases=[
            (Phase.Kind.ANONYMISE, now - day, end),
            (Phase.Kind.ATTACK, now - day, end),
            (Phase.Kind.RESULTS, end, end + 30 * day),
        ],
        entries_per_day=20,
        entries_in_total=500,
        seed=SEED,
        seeds_known=True,
    )


def log_ins() -> str:
    names = ", ".join(TEAMS)
    return f"Log in as a team: {names}; as the organiser: {ORGANISER}; password for all: {PASSWORD}\n"
