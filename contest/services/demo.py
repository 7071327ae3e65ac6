"""The demo contest: generated data, an organiser, three teams, and house entries on the normal path."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from anonymizers.registry import ANONYMIZERS, run_anonymizer
from attacks.registry import ATTACKS
from attacks.sandbox import TEMPLATE_PROGRAM, examine
from contest import vault
from contest.models import Contest, Phase, Round, Team, User
from contest.services.contests import announce, create_contest, create_round
from contest.services.datasets import register_dataset
from contest.services.entries import submit_entry
from contest.services.house import request_house_entry
from contest.services.offence import submit_program
from contest.services.teams import create_team
from contest.storage import submitted
from datasets.folder import write_release
from datasets.generate import generate
from datasets.tables import Dataset
from scoring.rules import Limit

SLUG = "demo"
PASSWORD = "hide-and-seek"  # noqa: S105  # a demo on this machine only; production never seeds it
ORGANISER = "oni"
TEAMS = {"tanuki": "Tanuki", "kitsune": "Kitsune", "neko": "Neko"}
PLAYED = {"tanuki": "swap", "kitsune": "noise"}
"""Two teams have an entry already; the third is for whoever tries the demo."""
SEEKER = "kitsune"
"""This team has sent the template program as its re-identifier."""
SEED = 2016
LIMITS = (
    Limit("ut-jaccard", "<=", 0.7),
    Limit("subset", "<=", 50_000.0),
    Limit("cmae", "<=", 1.0),
    Limit("rfm", "<=", 0.4),
)
"""Those of 2016 for the first two; the others wide enough for the house methods on these generated data."""

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
        organiser = _person(ORGANISER, is_staff=True)
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
            team = create_team(contest, _person(name), team_name)
            if name in PLAYED:
                _hand_in(round_, team.pk, PLAYED[name], data)
        for method in ANONYMIZERS:
            request_house_entry(round_, organiser, method.name)
        if examine(settings.SANDBOX).ok:
            _send_program(round_, contest.teams.get(name=TEAMS[SEEKER]))
    return True


def _person(name: str, **fields: bool) -> User:
    found = User.objects.filter(name_key=name).first()
    return found or User.objects.create_user(
        name, f"{name}@example.org", PASSWORD, email_confirmed_at=timezone.now(), **fields
    )


def _round(contest: Contest, organiser: User, data: Dataset) -> Round:
    now = timezone.now().replace(microsecond=0)
    day = datetime.timedelta(days=1)
    end = now + 365 * day
    return create_round(
        contest,
        organiser,
        slug="practice",
        name="Practice",
        dataset=register_dataset("Generated shop, 400 customers", data, user=organiser),
        limits=LIMITS,
        attacks=[attack.name for attack in ATTACKS],
        phases=[
            (Phase.Kind.ANONYMISE, now - day, end),
            (Phase.Kind.ATTACK, now - day, end),
            (Phase.Kind.RESULTS, end, end + 30 * day),
        ],
        entries_per_day=20,
        entries_in_total=500,
        seed=SEED,
    )


def _hand_in(round_: Round, team_id: int, method: str, data: Dataset) -> None:
    """Hand in an entry for a demo team through the service that the upload page calls."""
    team = round_.contest.teams.get(pk=team_id)
    made = run_anonymizer(method, data, {}, SEED + team_id, {})
    with tempfile.TemporaryDirectory() as folder:
        write_release(Path(folder), made.release)
        opened = {name: (Path(folder) / name).open("rb") for name in ("M.csv", "T.csv", "P.csv")}
        try:
            upload = vault.keep_parts(opened, settings.UPLOAD_MAX_BYTES)
        finally:
            for file in opened.values():
                file.close()
    member = team.memberships.select_related("user").get().user
    submit_entry(round_, team, member, upload, note=f"made with {method}")


def _send_program(round_: Round, team: Team) -> None:
    member = team.memberships.select_related("user").get().user
    with TEMPLATE_PROGRAM.open("rb") as file:
        program = submitted.put(file)
    submit_program(round_, team, member, program, note="the template")


def log_ins() -> str:
    names = ", ".join(TEAMS)
    return f"Log in as a team: {names}; as the organiser: {ORGANISER}; password for all: {PASSWORD}\n"
