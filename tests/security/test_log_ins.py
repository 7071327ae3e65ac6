"""Guessing passwords: a rival who fails on purpose keeps nobody out, and the owner hears of it.

Ken's account is guessed at; Mai shares an address with the one who guesses.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from django.core import mail as outbox
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from contest.client_address import client_network
from contest.models import Knock, Mail, User
from contest.services.tokens import create_token
from tests.factories import PASSWORD, make_user, work_off

pytestmark = pytest.mark.django_db


def log_in(address: str, name: str = "ken", password: str = "wrong", **extra: Any) -> int:
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post(reverse("login"), form, **extra).status_code


@pytest.fixture
def ken() -> User:
    return make_user("ken", language="ja", email_confirmed_at=timezone.now())


def test_wrong_passwords_from_a_rival_keep_the_owner_out_from_nowhere_else(ken: User) -> None:
    answers = [log_in("192.0.2.66") for _ in range(12)]
    assert answers == [200] * 9 + [429] * 3, "the one who guesses must wait"
    assert log_in("192.0.2.66", password=PASSWORD) == 429
    assert log_in("192.0.2.1", password=PASSWORD) == 302, "the owner need not wait"


def test_somebody_at_the_same_address_still_logs_in(ken: User) -> None:
    make_user("mai")
    for _ in range(12):
        log_in("192.0.2.66")
    assert log_in("192.0.2.66", "mai", PASSWORD) == 302


def test_an_address_that_tries_many_names_must_wait(settings: Any) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 5
    make_user("mai")
    answers = [log_in("192.0.2.66", f"nobody{number}") for number in range(7)]
    assert answers == [200] * 5 + [429] * 2
    assert log_in("192.0.2.66", "mai", PASSWORD) == 429
    assert log_in("192.0.2.67", "mai", PASSWORD) == 302


def test_logging_in_to_an_own_account_wipes_out_no_failures_with_other_names(settings: Any) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 5
    make_user("mai")
    for number in range(4):
        log_in("192.0.2.66", f"nobody{number}")
    assert log_in("192.0.2.66", "mai", PASSWORD) == 302
    assert [log_in("192.0.2.66", "nobody9") for _ in range(2)] == [200, 429]


def test_a_guesser_with_a_network_of_ipv6_addresses_is_one_guesser(ken: User) -> None:
    answers = [log_in(f"2001:db8:0:1::{number:x}") for number in range(1, 13)]
    assert answers == [200] * 9 + [429] * 3
    assert log_in("2001:db8:0:2::1", password=PASSWORD) == 302


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::"),
        ("not an address", "::"),
        ("", "::"),
    ],
)
def test_what_counts_as_one_address(address: str, network: str) -> None:
    assert client_network(RequestFactory().get("/", REMOTE_ADDR=address)) == network


def test_guessing_from_many_addresses_gets_each_less_and_the_owner_is_let_in_at_once(
    ken: User, settings: Any
) -> None:
    settings.LOGIN_FAILURES_PER_NAME = 20
    home = "198.51.100.1"
    assert log_in(home, password=PASSWORD) == 302
    for number in range(20):
        log_in(f"192.0.2.{number}")
    assert [log_in("203.0.113.1") for _ in range(3)] == [200, 429, 429], "two tries instead of ten"
    assert log_in("203.0.113.2", password=PASSWORD) == 302, "a right password works from anywhere"
    mistyped = [log_in(home) for _ in range(5)]
    assert mistyped == [200] * 5, "where the owner logged in before, nothing is narrowed"


def letters() -> list[Mail]:
    return list(Mail.objects.filter(kind=Mail.Kind.GUESSED))


def test_the_owner_hears_once_a_day_in_the_own_language_that_somebody_guesses(ken: User) -> None:
    for number in range(40):
        log_in(f"192.0.2.{number}")
    assert len(letters()) == 1
    work_off()
    letter = outbox.outbox[-1]
    assert letter.to == ["ken@example.org"]
    assert re.search("[ぁ-ん]", letter.subject) and re.search("[ぁ-ん]", str(letter.body))
    assert "192.0.2" not in str(letter.body), "addresses of others are nobody's business"
    yesterday = timezone.now() - datetime.timedelta(hours=25)
    Knock.objects.update(at=yesterday)
    for number in range(40):
        log_in(f"192.0.3.{number}")
    assert len(letters()) == 2


def test_a_few_mistakes_and_names_that_nobody_has_send_no_letter(ken: User) -> None:
    for number in range(5):
        log_in("192.0.2.1")
        log_in(f"192.0.2.{number}", "nobody")
    for number in range(40):
        log_in(f"192.0.2.{number}", "nobody")
    assert letters() == []


def test_nobody_is_written_to_at_an_address_that_was_never_confirmed(settings: Any) -> None:
    settings.MUST_CONFIRM_EMAIL = True
    make_user("ken")
    for number in range(40):
        log_in(f"192.0.2.{number}")
    assert letters() == []


def test_unknown_tokens_are_counted_by_address_and_a_known_one_always_works(ken: User, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "unknown-token": "5/min"}
    secret = create_token(ken, "script", ["read"], 7)
    path = "/api/v1/contests/"

    def call(address: str, token: str) -> int:
        headers = {"authorization": f"Bearer {token}"}
        return Client(REMOTE_ADDR=address).get(path, headers=headers).status_code

    answers = [call(f"2001:db8:7::{number:x}", f"kkb_{number}") for number in range(1, 9)]
    assert answers == [401] * 5 + [429] * 3
    assert call("2001:db8:7::99", secret) == 200, "whoever shares the address is not shut out"
    assert call("192.0.2.1", "kkb_wrong") == 401
