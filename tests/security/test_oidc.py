"""Log-ins by an OpenID Connect provider: forged answers, replays, and addresses that belong to others."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail as outbox
from django.test import Client
from django.urls import reverse

from contest.models import Identity, User
from contest.outside import oidc
from tests.factories import PASSWORD, make_user, work_off
from tests.oidc_provider.forger import (
    ACCESS,
    CLIENT,
    CODE,
    SECRET,
    Forger,
    begin,
    come_back,
    forging,
    log_in,
    signed_with_bytes,
    signing_key,
    unsigned,
)
from tests.security.test_identity import last_link, seen

pytestmark = pytest.mark.django_db


@pytest.fixture
def forger(settings: Any) -> Iterator[Forger]:
    oidc.forget_everything()
    with forging() as running:
        settings.OIDC_PROVIDERS = {"forge": running.provider}
        yield running


def is_logged_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def is_refused(answer: Any, client: Client, words: str, status: int = 400) -> None:
    page = answer.content.decode()
    assert answer.status_code == status, page
    assert words in page
    assert not is_logged_in(client)
    assert client.get(reverse("oidc_signup")).status_code == 302, "nobody is waiting for a name"
    assert not User.objects.exists() and not Identity.objects.exists()


Forge = Callable[[Forger, dict[str, Any]], str]
HOUR = 3600
SIGNATURES: dict[str, Forge] = {
    "no signature": lambda forger, claims: unsigned(claims),
    "the public key as a shared secret": lambda forger, claims: signed_with_bytes(
        claims, forger.key.as_pem(private=False), "first"
    ),
    "the client's secret": lambda forger, claims: signed_with_bytes(claims, SECRET.encode(), "first"),
    "the key of somebody else": lambda forger, claims: forger.sign(claims, signing_key("first", "a forger")),
    "a key that nobody knows": lambda forger, claims: forger.sign(claims, signing_key("other")),
    "no token at all": lambda forger, claims: "…",
    "half a token": lambda forger, claims: forger.sign(claims)[:-20],
}
CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "another nonce": ({"nonce": "other"}, "belongs to another log-in"),
    "no nonce": ({"nonce": None}, "belongs to another log-in"),
    "another audience": ({"aud": "other"}, "made for another site"),
    "another audience, and we presented it": ({"aud": "other", "azp": CLIENT}, "made for another site"),
    "no audience": ({"aud": None}, "made for another site"),
    "us among others, presented by another": ({"aud": [CLIENT, "x"], "azp": "x"}, "made for another site"),
    "out of date": ({"exp": int(time.time()) - HOUR}, "out of date"),
    "from the future": ({"iat": int(time.time()) + HOUR, "exp": int(time.time()) + 2 * HOUR}, "clock"),
    "not valid yet": ({"nbf": int(time.time()) + HOUR}, "clock"),
    "never out of date": ({"exp": None}, "out of date"),
    "another issuer": ({"iss": "https://accounts.example.org"}, "did not come from The Forge"),
    "no subject": ({"sub": None}, "cannot be used"),
    "a number as subject": ({"sub": 1}, "cannot be used"),
    "an empty subject": ({"sub": ""}, "cannot be used"),
    "an endless subject": ({"sub": "x" * 300}, "cannot be used"),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_token_is_refused_that_has(name: str, forger: Forger, client: Client) -> None:
    sent = begin(client)
    forger.token = SIGNATURES[name](forger, forger.claims(sent["nonce"]))
    is_refused(come_back(client, code=CODE, state=sent["state"]), client, "not signed by The Forge")


@pytest.mark.parametrize("name", CLAIMS)
def test_a_token_is_refused_that_names(name: str, forger: Forger, client: Client) -> None:
    changes, words = CLAIMS[name]
    is_refused(log_in(client, forger, **changes), client, words)


def test_a_true_token_is_accepted_and_the_code_is_bound_to_this_browser(
    forger: Forger, client: Client
) -> None:
    """The control of the refusals above; also RFC 7636: the verifier is the one behind the challenge."""
    answer = log_in(client, forger, aud=[CLIENT])
    assert (answer.status_code, answer["Location"]) == (302, reverse("oidc_signup"))
    sent = begin(client)
    assert sent["code_challenge_method"] == "S256" and sent["response_type"] == "code"
    assert len({sent["state"], sent["nonce"], sent["code_challenge"]}) == 3
    form = forger.forms[-1]
    assert form["code"] == [CODE] and len(form["code_verifier"][0]) >= 43
    assert form["redirect_uri"] == ["http://testserver/login/with/forge/back/"]


def test_clocks_may_differ_a_little(forger: Forger, client: Client) -> None:
    now = int(time.time())
    assert log_in(client, forger, iat=now + 60, exp=now + 90).status_code == 302
    assert log_in(client, forger, exp=now - 60).status_code == 302


def test_a_state_works_once_in_its_own_browser_and_for_its_own_provider(
    forger: Forger, client: Client, settings: Any
) -> None:
    sent = begin(client)
    forger.token = forger.sign(forger.claims(sent["nonce"]))
    query = {"code": CODE, "state": sent["state"]}
    settings.OIDC_PROVIDERS = {"forge": forger.provider, "second": replace(forger.provider, name="second")}
    words = "not begun in this browser"
    is_refused(come_back(Client(), **query), Client(), words)
    is_refused(come_back(client, "second", **query), client, words)
    is_refused(come_back(client, code=CODE), client, words)
    is_refused(come_back(client, code=CODE, state="made-up"), client, words)
    assert not forger.forms, "no code was spent on any of them"
    assert come_back(client, **query).status_code == 302
    again = come_back(client, **query)
    assert again.status_code == 400 and words in again.content.decode()
    assert len(forger.forms) == 1


def test_a_state_is_used_up_by_a_failure_too(forger: Forger, client: Client) -> None:
    sent = begin(client)
    forger.token = forger.sign(forger.claims("other"))
    query = {"code": CODE, "state": sent["state"]}
    is_refused(come_back(client, **query), client, "belongs to another log-in")
    forger.token = forger.sign(forger.claims(sent["nonce"]))
    is_refused(come_back(client, **query), client, "not begun in this browser")


def test_an_old_attempt_counts_no_more(forger: Forger, client: Client) -> None:
    sent = begin(client)
    session = client.session
    session["oidc_waiting"] = [{**kept, "at": kept["at"] - HOUR} for kept in session["oidc_waiting"]]
    session.save()
    is_refused(come_back(client, code=CODE, state=sent["state"]), client, "took too long")


def test_what_a_provider_says_in_the_address_is_put_into_plain_words(forger: Forger, client: Client) -> None:
    for query, words in (
        ({"error": "access_denied"}, "you did not agree"),
        ({"error": "server_error", "error_description": "<script>"}, "refused the log-in"),
        ({"code": CODE, "iss": "https://other.example.org"}, "did not come from The Forge"),
        ({}, "cannot be used"),
    ):
        answer = come_back(client, state=begin(client)["state"], **query)
        is_refused(answer, client, words)
        assert "<script>" not in answer.content.decode()
    japanese = {"Accept-Language": "ja"}
    path = reverse("oidc_back", args=["forge"])
    page = client.get(path, {"state": "made-up"}, headers=japanese).content.decode()
    assert "このブラウザーで開始" in page


BROKEN = (b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"issuer": 1}', b" " * 400_000)


def test_a_provider_that_answers_nonsense_is_never_our_error(forger: Forger, client: Client) -> None:
    for path in ("/.well-known/openid-configuration", "/keys", "/token"):
        for status, body in [*((200, body) for body in BROKEN), (400, b'{"error": "invalid_grant"}')]:
            oidc.forget_everything()
            forger.answers = {}
            sent = begin(client)
            forger.token = forger.sign(forger.claims(sent["nonce"]))
            oidc.forget_everything()
            forger.answers = {path: (status, body)}
            answer = come_back(client, code=CODE, state=sent["state"])
            assert answer.status_code in (400, 502), (path, status, body[:20])
            assert "The log-in did not work" in answer.content.decode()
    assert not User.objects.exists()


def test_any_code_is_passed_on_as_it_is(forger: Forger, client: Client) -> None:
    for code in ("\x00", "é…", "a b+c&d=e%41", "x" * 5000):
        sent = begin(client)
        forger.token = forger.sign(forger.claims(sent["nonce"]))
        assert come_back(client, code=code, state=sent["state"]).status_code == 302
        assert forger.forms[-1]["code"] == [code]


def test_a_provider_that_is_away_is_named(forger: Forger, client: Client) -> None:
    forger.answers = {"/.well-known/openid-configuration": (503, b"")}
    answer = client.post(reverse("oidc_begin", args=["forge"]))
    is_refused(answer, client, "The Forge does not answer now", status=502)
    forger.answers = {}
    sent = begin(client)
    forger.answers = {"/token": (500, b"Traceback")}
    is_refused(come_back(client, code=CODE, state=sent["state"]), client, "does not answer now", status=502)


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://other.example.org"},
        {"authorization_endpoint": "http://other.example.org/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": None},
    ],
)
def test_nobody_is_sent_elsewhere_than_the_settings_say(
    metadata: dict[str, Any], forger: Forger, client: Client
) -> None:
    forger.metadata = metadata
    answer = client.post(reverse("oidc_begin", args=["forge"]))
    assert answer.status_code == 400
    assert "refresh" not in answer.content.decode()


def test_a_provider_reaches_no_inner_address_through_its_endpoints(
    forger: Forger, client: Client, settings: Any
) -> None:
    """A provider on the open network names hosts of the site's own network."""
    for inner in ("https://10.0.0.1/token", "https://169.254.169.254/latest", "http://127.0.0.1:1/token"):
        sent = begin(client)
        outer = replace(forger.provider, issuer="https://id.example.org")
        settings.OIDC_PROVIDERS = {"forge": outer}
        document = {"issuer": outer.issuer, "token_endpoint": inner}
        url = "https://id.example.org/.well-known/openid-configuration"
        oidc._kept["forge", url] = (time.monotonic() + HOUR, document)
        assert come_back(client, code=CODE, state=sent["state"]).status_code in (400, 502)
        settings.OIDC_PROVIDERS = {"forge": forger.provider}
    assert not forger.forms


def test_new_keys_are_learnt_and_old_ones_forgotten(forger: Forger, client: Client) -> None:
    first = forger.key
    assert log_in(client, forger).status_code == 302
    forger.key = signing_key("second")
    assert log_in(client, forger).status_code == 302, "asked for the keys again"
    forger.key, forger.published = first, [forger.key]
    answer = log_in(client, forger)
    assert answer.status_code == 400 and "not signed by" in answer.content.decode()
    forger.key = forger.published[0]
    forger.asked.clear()
    assert log_in(client, forger).status_code == 302
    assert "/keys" not in forger.asked, "known keys are not asked for"


def test_a_log_in_leads_to_pages_of_this_site_alone(forger: Forger) -> None:
    hana = make_user("hana")
    Identity.objects.create(user=hana, issuer=forger.url, subject="person-1")
    for following, place in (
        ("/tokens/", "/tokens/"),
        ("https://evil.example.org/", "/"),
        ("//evil.example.org/", "/"),
        ("javascript:alert(1)", "/"),
    ):
        answer = log_in(Client(), forger, following=following)
        assert (answer.status_code, answer["Location"]) == (302, place)


def test_a_log_in_changes_the_key_of_the_session(forger: Forger, client: Client) -> None:
    hana = make_user("hana")
    Identity.objects.create(user=hana, issuer=forger.url, subject="person-1")
    sent = begin(client)
    before = client.session.session_key
    forger.token = forger.sign(forger.claims(sent["nonce"]))
    assert come_back(client, code=CODE, state=sent["state"]).status_code == 302
    assert client.session.session_key != before
    assert is_logged_in(client)
    assert hana.log_ins.count() == 1
    assert Identity.objects.get().last_used_at is not None


def test_an_address_takes_nobody_over_and_nobody_learns_that_it_is_known(forger: Forger) -> None:
    """Both see the same pages; the owner of the address gets an e-mail, and keeps account and address."""
    momiji = make_user("momiji")
    looks = []
    for name, email in (("kenichi-1", "hazuki@example.org"), ("kenichi-2", "MOMIJI@example.org")):
        client = Client()
        answers = [
            log_in(client, forger, sub=name, email=email, email_verified=True, preferred_username=name)
        ]
        answers.append(client.get(reverse("oidc_signup")))
        answers.append(client.post(reverse("oidc_signup"), {"username": name, "email": email}))
        answers += [client.get(path) for path in ("/", reverse("account"))]
        looks.append([seen(answer, email, email.lower(), name) for answer in answers])
    for unknown, known in zip(*looks, strict=True):
        assert unknown[:3] == known[:3]
        for one, other in zip(unknown[3].splitlines(), known[3].splitlines(), strict=True):
            assert one == other or "/unlink/" in one
    momiji.refresh_from_db()
    assert momiji.email_key == "momiji@example.org" and not momiji.identities.exists()
    stranger = User.objects.get(username="kenichi-2")
    assert stranger.email_key.startswith("of another") and stranger.email_confirmed_at is None
    work_off()
    assert {letter.to[0] for letter in outbox.outbox} == {"hazuki@example.org", "momiji@example.org"}


def test_who_proves_to_own_the_address_of_an_account_shuts_out_who_made_it(forger: Forger) -> None:
    """Somebody signs up with the address of another, who later asks for a password: they share nothing."""
    thief = Client()
    log_in(thief, forger, sub="thief")
    thief.post(reverse("oidc_signup"), {"username": "hana", "email": "hana@example.org"})
    assert is_logged_in(thief)
    Client().post(reverse("password_reset"), {"email": "hana@example.org"})
    work_off()
    assert Client().post(last_link(), {"password": PASSWORD}).status_code == 302
    assert not is_logged_in(thief)
    assert not Identity.objects.exists()
    assert log_in(thief, forger, sub="thief")["Location"] == reverse("oidc_signup")


def test_a_confirmed_account_keeps_its_identities_when_it_gets_a_password(forger: Forger) -> None:
    client = Client()
    log_in(client, forger)
    client.post(reverse("oidc_signup"), {"username": "hana", "email": "hana@example.org"})
    work_off()
    assert client.post(last_link()).status_code == 302
    Client().post(reverse("password_reset"), {"email": "hana@example.org"})
    work_off()
    assert Client().post(last_link(), {"password": PASSWORD}).status_code == 302
    form = {"username": "hana", "password": PASSWORD}
    assert Client().post(reverse("login"), form).status_code == 302
    assert Identity.objects.get().user.username == "hana"


def test_a_name_obeys_the_policy_whatever_a_provider_suggests(forger: Forger) -> None:
    make_user("hana")
    for suggested, shown in (
        ("hana", 'value="hana2"'), ("House", 'value="person"'), ("аdmin", 'value="person"'),
        ("\u202egnp", 'value="person"'), ("x" * 90, 'value="person"'),
    ):  # fmt: skip
        client = Client()
        log_in(client, forger, preferred_username=suggested, email="person@example.org")
        assert shown in client.get(reverse("oidc_signup")).content.decode(), suggested
        for bad in ("House", "Hana", "аdmin", "\u202egnp", "", "x" * 90):
            form = {"username": bad, "email": "person@example.org"}
            assert client.post(reverse("oidc_signup"), form).status_code == 422, bad
    assert User.objects.count() == 1


def test_one_identity_makes_one_account(forger: Forger) -> None:
    first, second = Client(), Client()
    log_in(first, forger)
    log_in(second, forger)
    path = reverse("oidc_signup")
    assert first.post(path, {"username": "hana", "email": "hana@example.org"}).status_code == 302
    answer = second.post(path, {"username": "mai", "email": "mai@example.org"})
    assert answer.status_code == 422
    assert "linked to another account" in answer.content.decode()
    assert [user.username for user in User.objects.all()] == ["hana"]


def test_the_identity_of_a_closed_account_lets_nobody_in(forger: Forger, client: Client) -> None:
    hana = make_user("hana", is_active=False)
    Identity.objects.create(user=hana, issuer=forger.url, subject="person-1")
    answer = log_in(client, forger)
    assert answer.status_code == 400 and "account is closed" in answer.content.decode()
    assert not is_logged_in(client)


def test_the_same_subject_at_another_issuer_is_somebody_else(forger: Forger, client: Client) -> None:
    Identity.objects.create(user=make_user("hana"), issuer="https://id.example.org", subject="person-1")
    assert log_in(client, forger)["Location"] == reverse("oidc_signup")
    Identity.objects.create(user=make_user("mai"), issuer=forger.url, subject="PERSON-1")
    assert log_in(client, forger)["Location"] == reverse("oidc_signup")


def test_nothing_that_is_logged_lets_its_reader_in(
    forger: Forger, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    sent = begin(client)
    forger.token = forger.sign(forger.claims("other"))
    come_back(client, code=CODE, state=sent["state"])
    forger.answers = {"/token": (400, json.dumps({"error": f"x{CODE}"}).encode())}
    come_back(client, code=CODE, state=begin(client)["state"])
    forger.answers = {}
    log_in(client, forger)
    client.post(reverse("oidc_signup"), {"username": "hana", "email": "hana@example.org"})
    assert "log-in with forge: oidc-nonce" in caplog.text
    secrets = [ACCESS, SECRET, forger.token, sent["state"], sent["nonce"], *forger.forms[0]["code_verifier"]]
    assert not [secret for secret in secrets if secret in caplog.text]
    kept = str([list(model.objects.values()) for model in (User, Identity)])
    assert not [secret for secret in secrets if secret in kept]


def test_too_many_beginnings_from_one_address_have_to_wait(
    forger: Forger, client: Client, settings: Any
) -> None:
    settings.KNOCKS_AN_HOUR = 1
    path = reverse("oidc_begin", args=["forge"])
    assert {client.post(path).status_code for _ in range(10)} == {200}
    assert client.post(path).status_code == 429
    assert client.post(path, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_without_a_provider_there_is_nothing_to_see(client: Client, settings: Any) -> None:
    settings.OIDC_PROVIDERS = {}
    hana = make_user("hana")
    for path in (reverse("oidc_begin", args=["forge"]), reverse("oidc_signup")):
        assert client.post(path).status_code == 404
    assert client.get(reverse("oidc_signup")).status_code == 404
    assert come_back(client, code=CODE, state="x").status_code == 404
    for path in (reverse("login"), reverse("signup")):
        assert "/login/with/" not in client.get(path).content.decode()
    client.force_login(hana)
    assert "identities" not in client.get(reverse("account")).content.decode()
    assert client.get(reverse("identity_link", args=["forge"])).status_code == 404


def test_a_page_elsewhere_cannot_begin_a_log_in_or_a_link(forger: Forger) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("oidc_begin", args=["forge"])).status_code == 403
    strict.force_login(make_user("hana"))
    form = {"current": PASSWORD}
    assert strict.post(reverse("identity_link", args=["forge"]), form).status_code == 403
    assert strict.get(reverse("oidc_begin", args=["forge"])).status_code == 405


def test_a_link_belongs_to_the_person_who_asked_for_it(forger: Forger, client: Client) -> None:
    """Mai logs in within the same browser before Hana comes back from the provider."""
    client.force_login(make_user("hana"))
    path = reverse("identity_link", args=["forge"])
    sent = begin(client, path=path, current=PASSWORD)
    forger.token = forger.sign(forger.claims(sent["nonce"]))
    waiting = client.session["oidc_waiting"]
    client.force_login(make_user("mai"))
    session = client.session
    session["oidc_waiting"] = waiting
    session.save()
    assert come_back(client, code=CODE, state=sent["state"]).status_code == 400
    assert not Identity.objects.exists()


def test_the_provider_gets_no_more_than_it_needs(forger: Forger, client: Client) -> None:
    sent = begin(client)
    names = set(sent) - {"url"}
    assert names == {
        "client_id", "redirect_uri", "scope", "state", "nonce", "response_type", "code_challenge",
        "code_challenge_method",
    }  # fmt: skip
    assert urlsplit(sent["url"]).path == "/authorize"
    assert sent["scope"] == "openid email"
