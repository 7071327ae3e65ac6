"""People of every kind around two contests: one public, one that only its organiser knows."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from django.conf import settings
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone

from config.oidc import Provider
from contest.models import Attack, Entry, HouseOrder, Identity, Invitation, Phase, Round, Team, User
from contest.records.audit import extend_all_chains
from contest.services.questions import ask_question
from contest.services.team_orders import Asked, request_entry
from contest.services.teams import create_invitation
from contest.services.tokens import create_token
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

ROLES = ("visitor", "owner", "rival", "loner", "organiser", "stranger", "staff")
"""Nobody; a member of the team whose things they are; of another team; of none; who runs the contest; who
runs the hidden contest; staff, who may create contests and nothing else of others'."""
SCOPES = ("read", "submit", "organise")
HOUSE_SEED = 987_654_321_012_345
"""The seed of a house entry, as a bundle named it: it gives the truth of the entry."""

SUBJECT = "who-the-owner-is-elsewhere-71"
"""The owner's identity at a provider."""
ELSEWHERE = {
    "elsewhere": Provider(
        "elsewhere",
        "http://127.0.0.1:1",
        "site",
        "the-secret-of-the-site",
        "Elsewhere",
        "別の場所",
        ("openid",),
    )
}
"""A provider for routes to name. Nobody listens there, so that it answers at once: not at all."""

ORDER_SEED = 876_543_210_123_456
"""The seed of what the house made for the owners, as they named it."""


@dataclass
class People:
    """Who asks: by a browser with a session, or by a token of the API."""

    people: dict[str, User]
    tokens: dict[str, str] = field(default_factory=dict)
    """API secrets: one for every person with all scopes, and of the owner one for every single scope."""
    sessions: dict[str, str] = field(default_factory=dict)
    handlers: dict[bool, ClientHandler] = field(default_factory=dict)

    def browser(self, role: str, *, csrf: bool = False) -> Client:
        client = Client(raise_request_exception=False, enforce_csrf_checks=csrf)
        # Each browser would load all the middleware again.
        client.handler = self.handlers.setdefault(csrf, client.handler)
        if role in self.people:
            if role not in self.sessions:
                client.force_login(self.people[role])
                self.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[role]
        return client

    def headers(self, role: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[role]}"} if role in self.tokens else {}


@dataclass(kw_only=True)
class World(People):
    round: Round
    hidden: Round
    team: Team
    rivals: Team
    entry: Entry
    draft: Entry
    attack: Attack
    dry_run: Attack
    invitation: Invitation
    invitation_secret: str
    names: dict[str, str] = field(default_factory=dict)

    def filled(self, path: str) -> str:
        for word, value in self.names.items():
            path = path.replace(word, value)
        return path


def phases() -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    now, day = timezone.now(), datetime.timedelta(days=1)
    return [
        (Phase.Kind.ANONYMISE, now - day, now + day),
        (Phase.Kind.ATTACK, now - day, now + day),
        (Phase.Kind.RESULTS, now + day, now + 2 * day),
    ]


def make_world(feedback: str = "full") -> World:
    people = {
        role: make_user(f"{role}-person", is_staff=role == "staff") for role in ROLES if role != "visitor"
    }
    contest = make_contest(people["organiser"], slug="open-contest", title="The open contest")
    round_ = make_round(contest, phases=phases())
    Round.objects.filter(pk=round_.pk).update(feedback=feedback)
    round_.refresh_from_db()
    secret = make_contest(
        people["stranger"], slug="hidden-contest", title="The hidden contest", is_public=False
    )
    hidden = make_round(secret, phases=phases())
    team = make_team(contest, "Owners", people["owner"])
    rivals = make_team(contest, "Rivals", people["rival"])
    entry = make_entry(round_, team, note="the note of the owners")
    make_entry(round_, rivals, entry_files("swap", 2))
    work_off()
    draft = make_entry(round_, team, {"M.csv": b"broken", "T.csv": b"", "P.csv": b""})
    work_off()
    dry_run = Attack.objects.create(
        round=round_, team=team, kind="program", name="program", program_sha256="0" * 64, is_dry_run=True
    )
    HouseOrder.objects.create(
        round=round_, method="swap", seed=HOUSE_SEED, requested_at=timezone.now(), state="made"
    )
    request_entry(round_, team, people["owner"], Asked("swap", seed=ORDER_SEED, is_handed_in=False))
    ask_question(contest, team, people["owner"], "the private question of the owners")
    work_off()
    Identity.objects.create(user=people["owner"], issuer=ELSEWHERE["elsewhere"].issuer, subject=SUBJECT)
    secret_link = create_invitation(team, people["owner"])
    tokens = {role: create_token(person, role, SCOPES, 7) for role, person in people.items()}
    tokens |= {scope: create_token(people["owner"], scope, [scope], 7) for scope in SCOPES}
    # The tests' transaction is never committed, so nobody else does this.
    extend_all_chains()
    entry.refresh_from_db()
    draft.refresh_from_db()
    world = World(
        round=round_, hidden=hidden, team=team, rivals=rivals, entry=entry, draft=draft,
        attack=Attack.objects.get(round=round_, kind="house"), dry_run=dry_run,
        invitation=team.invitations.get(), invitation_secret=secret_link, people=people, tokens=tokens,
    )  # fmt: skip
    world.names = {
        "ENTRY": str(entry.pk),
        "DRAFT": str(draft.pk),
        "ATTACK": str(world.attack.pk),
        "DRYRUN": str(dry_run.pk),
        "INVITATION": str(world.invitation.pk),
        "LINK": secret_link,
        "TEAM": str(team.pk),
        "NOTICE": str(people["owner"].notifications.order_by("pk")[0].pk),
        "IDENTITY": str(people["owner"].identities.get().pk),
        "TOKEN": str(people["owner"].api_tokens.order_by("pk")[0].pk),
    }
    return world
