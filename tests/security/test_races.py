"""Sixty-four requests at the same moment on every limit: the limit holds, to the piece."""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.backends import ModelBackend
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse

from contest.models import ApiToken, Attack, Entry, Invitation, Mail, Membership, Round, Team, User
from contest.services import tokens
from contest.services.teams import create_invitation, house_team
from tests.factories import (
    PASSWORD,
    as_zip,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)
from tests.security.world import phases

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

CROWD = 64
HANDS = 16
"""Threads. All wait for one another before the first request; SQLite lets one writer in at a time anyway."""


def at_once(act: Callable[[int], Any], number: int = CROWD) -> list[Any]:
    """Do something many times, in several threads that begin together."""
    gate = threading.Barrier(HANDS)

    def begin() -> None:
        gate.wait(timeout=60)

    def one(index: int) -> Any:
        try:
            return act(index)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(HANDS, initializer=begin) as pool:
        return list(pool.map(one, range(number)))


def logged_in(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {name: morsel.value for name, morsel in client.cookies.items()}


def browser(cookies: dict[str, str]) -> Client:
    client = Client(raise_request_exception=False)
    for name, value in cookies.items():
        client.cookies[name] = value
    return client


@pytest.fixture
def round_() -> Round:
    contest = make_contest(slug="races", max_team_size=3)
    return make_round(contest, phases=phases(), entries_per_day=3, attacks_per_day=2)


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Hasty")


def member(team: Team) -> User:
    return team.memberships.select_related("user").get().user


def test_uploads_a_day(round_: Round, team: Team) -> None:
    cookies, upload = logged_in(member(team)), as_zip(entry_files())
    path = reverse("upload", args=["races", "practice"])

    def act(index: int) -> int:
        file = SimpleUploadedFile("entry.zip", upload)
        return browser(cookies).post(path, {"archive": file}).status_code

    assert Counter(at_once(act)) == {302: 3, 422: CROWD - 3}
    assert sorted(Entry.objects.filter(team=team).values_list("number", flat=True)) == [1, 2, 3]


def rival_target(round_: Round) -> Entry:
    entry = make_entry(round_, make_team(round_.contest), entry_files("swap", 2))
    work_off()
    entry.refresh_from_db()
    return entry


def test_guesses_a_day(round_: Round, team: Team) -> None:
    target = rival_target(round_)
    cookies = logged_in(member(team))
    path = reverse("guesses", args=["races", "practice"])
    content = b"-\n" * (target.n_people or 0)

    def act(index: int) -> int:
        file = SimpleUploadedFile(f"{target.pk}.csv", content)
        return browser(cookies).post(path, {"archive": file}).status_code

    assert Counter(at_once(act)) == {302: 2, 422: CROWD - 2}
    assert Attack.objects.filter(team=team).count() == 2


@pytest.mark.parametrize(("dry_run", "allowed"), [("", 2), ("on", 1)], ids=["programs", "dry runs"])
def test_programs(round_: Round, team: Team, dry_run: str, allowed: int) -> None:
    rival_target(round_)
    house = house_team(round_.contest, "House")
    make_entry(round_, house)
    work_off()
    cookies = logged_in(member(team))
    path = reverse("program", args=["races", "practice"])

    def act(index: int) -> int:
        file = SimpleUploadedFile("reidentify.py", b"print('no')\n")
        return browser(cookies).post(path, {"program": file, "dry_run": dry_run}).status_code

    assert Counter(at_once(act)) == {302: allowed, 422: CROWD - allowed}
    assert Attack.objects.filter(team=team, is_dry_run=bool(dry_run)).count() == allowed


def test_the_size_of_a_team(round_: Round, team: Team) -> None:
    link = create_invitation(team, member(team))
    crowd = [logged_in(make_user()) for _ in range(CROWD)]
    path = reverse("join", args=[link])
    at_once(lambda index: browser(crowd[index]).post(path).status_code)
    assert Membership.objects.filter(team=team).count() == 3


def test_a_person_joins_and_founds_one_team(round_: Round, team: Team) -> None:
    cookies = logged_in(make_user())
    join = reverse("join", args=[create_invitation(team, member(team))])
    found = reverse("team_create", args=["races"])

    def act(index: int) -> int:
        if index % 2:
            return browser(cookies).post(join).status_code
        return browser(cookies).post(found, {"name": f"Mine {index}"}).status_code

    assert set(at_once(act)) <= {302, 422}
    assert Membership.objects.exclude(team=team).count() + Membership.objects.filter(team=team).count() == 2


def test_a_name_belongs_to_one_team_and_to_one_person(round_: Round) -> None:
    crowd = [logged_in(make_user()) for _ in range(CROWD)]
    path = reverse("team_create", args=["races"])
    answers = at_once(lambda index: browser(crowd[index]).post(path, {"name": "The Same"}).status_code)
    assert Counter(answers) == {302: 1, 422: CROWD - 1}
    assert Team.objects.filter(name_key="the same").count() == 1


def test_a_withdrawn_invitation_lets_nobody_in(round_: Round, team: Team) -> None:
    link = create_invitation(team, member(team))
    Invitation.objects.update(revoked_at="2020-01-01T00:00:00Z")
    crowd = [logged_in(make_user()) for _ in range(HANDS)]
    at_once(lambda index: browser(crowd[index]).post(reverse("join", args=[link])).status_code, HANDS)
    assert Membership.objects.filter(team=team).count() == 1


def test_tokens_of_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 5)
    user = make_user()
    cookies = logged_in(user)
    form = {"name": "script", "scopes": ["read"], "days": "30", "team": ""}
    answers = at_once(lambda index: browser(cookies).post(reverse("tokens"), form).status_code)
    assert Counter(answers) == {302: 5, 422: CROWD - 5}
    assert ApiToken.objects.filter(user=user).count() == 5


def test_sign_ups_from_one_address(settings: Any) -> None:
    settings.KNOCKS_AN_HOUR = 5

    def act(index: int) -> int:
        form = {
            "username": f"hasty{index}",
            "email": f"hasty{index}@example.org",
            "password": "a long enough phrase",
        }
        return browser({}).post(reverse("signup"), form).status_code

    assert Counter(at_once(act)) == {302: 5, 422: CROWD - 5}
    assert User.objects.filter(username__startswith="hasty").count() == 5


@pytest.mark.parametrize("same", ["name", "address"])
def test_guesses_of_a_password(settings: Any, monkeypatch: pytest.MonkeyPatch, same: str) -> None:
    settings.LOGIN_FAILURES = 3
    settings.LOGIN_FAILURES_PER_ADDRESS = 64 if same == "name" else 3
    names = [make_user("ken").username] * CROWD if same == "name" else [f"nobody{i}" for i in range(CROWD)]
    tried: list[str] = []
    check = ModelBackend.authenticate

    def counted(self: ModelBackend, request: Any, **credentials: Any) -> Any:
        tried.append(credentials["username"])
        return check(self, request, **credentials)

    monkeypatch.setattr(ModelBackend, "authenticate", counted)

    def act(index: int) -> int:
        form = {"username": names[index], "password": "wrong"}
        return browser({}).post(reverse("login"), form, REMOTE_ADDR=f"2001:db8::{index:x}").status_code

    # The third failure with one name is already answered by the page that says to wait.
    answered = 2 if same == "name" else 3
    assert Counter(at_once(act)) == {200: answered, 429: CROWD - answered}
    assert len(tried) == 3


def test_guesses_from_many_addresses_write_one_letter_and_do_not_keep_the_owner_out(settings: Any) -> None:
    user = make_user("ken")

    def act(index: int) -> int:
        if index == CROWD // 2:
            form = {"username": "ken", "password": PASSWORD}
            return browser({}).post(reverse("login"), form, REMOTE_ADDR="198.51.100.1").status_code
        form = {"username": "ken", "password": "wrong"}
        return browser({}).post(reverse("login"), form, REMOTE_ADDR=f"192.0.2.{index}").status_code

    assert Counter(at_once(act)) == {200: CROWD - 1, 302: 1}
    assert Mail.objects.filter(user=user, kind=Mail.Kind.GUESSED).count() == 1


def test_the_same_file_at_once_is_kept_once_and_whole(round_: Round) -> None:
    from contest.files.storage import ContentStore

    store = ContentStore("entries")
    content = b"the same bytes " * 100_000
    stored = at_once(lambda index: store.put(io.BytesIO(content)))
    assert len(set(stored)) == 1
    assert store.is_intact(stored[0].sha256)
