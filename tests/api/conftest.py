"""One contest with two teams, a hidden contest beside it, and everybody's token."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from contest.models import Attack, Entry, Phase, Round, Team, User
from contest.records.audit import extend_all_chains
from contest.services.tokens import create_token
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

SCOPES = ["read", "submit", "organise"]


class Caller:
    """Calls the API as one person; without a secret, as a visitor."""

    def __init__(self, secret: str | None = None) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **query: object):
        return self.client.get(f"/api/v1/{path}", query, headers=self.headers)

    def status(self, path: str) -> int:
        """The status of reading something; a file is read to its end, which closes it."""
        response = self.get(path)
        if response.streaming:
            list(response.streaming_content)
        return response.status_code

    def post(self, path: str, data: object = None, **options: object):
        return self.client.post(f"/api/v1/{path}", data, headers=self.headers, **options)

    def send(self, path: str, data: object = None):
        return self.post(path, data or {}, content_type="application/json")

    def delete(self, path: str):
        return self.client.delete(f"/api/v1/{path}", headers=self.headers)


@dataclass
class World:
    """Tanuki and Kitsune play in `demo`, which Oni runs; Tengu runs `secret`, where nobody else looks."""

    round: Round
    secret: Round
    tanuki: Team
    kitsune: Team
    entry: Entry
    draft: Entry
    callers: dict[str, Caller]


@pytest.fixture(autouse=True)
def no_throttle(settings) -> None:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    cache.clear()


def phases() -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    now, day = timezone.now(), datetime.timedelta(days=1)
    return [
        (Phase.Kind.ANONYMISE, now - day, now + day),
        (Phase.Kind.ATTACK, now - day, now + day),
        (Phase.Kind.RESULTS, now + day, now + 2 * day),
    ]


@pytest.fixture
def world(db: None) -> World:
    people = {name: make_user(name) for name in ("oni", "tengu", "tanuki", "kitsune", "neko")}
    round_ = make_round(make_contest(people["oni"], slug="demo"), phases=phases())
    secret = make_round(make_contest(people["tengu"], slug="secret", is_public=False), phases=phases())
    tanuki = make_team(round_.contest, "Tanuki", people["tanuki"])
    kitsune = make_team(round_.contest, "Kitsune", people["kitsune"])
    entry = make_entry(round_, tanuki, note="our secret plan")
    make_entry(round_, kitsune, entry_files("swap", 2))
    work_off()
    draft = make_entry(round_, tanuki, {"M.csv": b"broken", "T.csv": b"", "P.csv": b""})
    work_off()
    entry.refresh_from_db()
    draft.refresh_from_db()
    # The tests' transaction is never committed, so nobody else does this.
    extend_all_chains()
    callers = {name: Caller(create_token(person, name, SCOPES, 7)) for name, person in people.items()}
    callers["visitor"] = Caller()
    return World(round_, secret, tanuki, kitsune, entry, draft, callers)


def user(name: str) -> User:
    return User.objects.get(name_key=name)


def house_attack(round_: Round) -> Attack:
    return Attack.objects.get(round=round_, kind=Attack.Kind.HOUSE)
