"""Log-ins with a real OpenID Connect provider in a process of its own, and what an account does with them.

The provider is django-oauth-toolkit (tests/oidc_provider); where its part does not matter, the forger stands
for it. People: Hana and Mai.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client
from django.urls import reverse

from contest.errors import Refused
from contest.models import AuditEvent, Identity, User
from contest.outside import oidc
from contest.services import identities
from contest.services.tokens import create_token
from tests.factories import PASSWORD, make_user
from tests.oidc_provider import running
from tests.oidc_provider.forger import Forger, begin, forging, log_in
from tests.oidc_provider.running import RealProvider, real_provider

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def campus_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealProvider]:
    with real_provider(Path(tmp_path_factory.mktemp("campus")), "http://testserver") as provider:
        yield provider


@pytest.fixture
def campus(campus_process: RealProvider, settings: Any) -> RealProvider:
    oidc.forget_everything()
    settings.OIDC_PROVIDERS = campus_process.settings
    return campus_process


@pytest.fixture
def forger(settings: Any) -> Iterator[Forger]:
    oidc.forget_everything()
    with forging() as found:
        settings.OIDC_PROVIDERS = {"forge": found.provider}
        yield found


def hidden_fields(page: str) -> dict[str, str]:
    inputs = re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", page)
    found = [(re.search(r'name="([^"]*)"', it), re.search(r'value="([^"]*)"', it)) for it in inputs]
    return {name[1]: value[1] if value else "" for name, value in found if name}


def at_campus(url: str, name: str = "hana", *, agrees: bool = True) -> str:
    """What somebody does at the provider, in a browser of their own; where it sends them afterwards."""
    with requests.Session() as visit:
        form = visit.get(url, timeout=30)
        given = {**hidden_fields(form.text), "username": name, "password": running.PASSWORD}
        consent = visit.post(form.url, given, headers={"Referer": form.url}, timeout=30)
        answer = {**hidden_fields(consent.text), **({"allow": "Authorize"} if agrees else {})}
        headers = {"Referer": consent.url}
        left = visit.post(consent.url, answer, headers=headers, allow_redirects=False, timeout=30)
    return left.headers["Location"]


def arrive(client: Client, location: str) -> Any:
    parts = urlsplit(location)
    assert f"{parts.scheme}://{parts.netloc}" == "http://testserver"
    return client.get(f"{parts.path}?{parts.query}")


def test_a_first_log_in_asks_for_a_name_and_the_next_does_not(campus: RealProvider, client: Client) -> None:
    page = client.get(reverse("login") + "?next=/tokens/").content.decode()
    assert "Continue with The Campus" in page
    answer = arrive(client, at_campus(begin(client, "campus", next="/tokens/")["url"]))
    assert answer["Location"] == reverse("oidc_signup")
    page = client.get(reverse("oidc_signup")).content.decode()
    assert 'value="hana"' in page and 'value="hana@example.org"' in page
    answer = client.post(reverse("oidc_signup"), {"username": "Hana H", "email": "hana@example.org"})
    assert answer["Location"] == "/tokens/"
    hana = User.objects.get()
    assert hana.username == "Hana H" and not hana.has_usable_password()
    assert hana.email_confirmed_at is None, "an address is confirmed by its e-mail alone"
    identity = hana.identities.get()
    assert identity.issuer == f"{campus.url}/o" and identity.subject
    verbs = AuditEvent.objects.order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["user.signed_up", "user.linked_identity"]
    told = AuditEvent.objects.get(verb="user.linked_identity")
    assert told.after == {"issuer": identity.issuer}, "not which person there"

    second = Client()
    answer = arrive(second, at_campus(begin(second, "campus", next="/account/")["url"]))
    assert answer["Location"] == "/account/"
    page = second.get("/account/").content.decode()
    assert "The Campus" in page and "You have no password here" in page
    assert User.objects.count() == 1


def test_who_does_not_agree_there_is_told_so(campus: RealProvider, client: Client) -> None:
    answer = arrive(client, at_campus(begin(client, "campus")["url"], agrees=False))
    assert answer.status_code == 400
    assert "you did not agree" in answer.content.decode()
    assert not User.objects.exists()


def test_a_name_that_the_policy_refuses_is_not_suggested(campus: RealProvider, client: Client) -> None:
    """The provider calls the person "House"; the beginning of the address is taken instead."""
    arrive(client, at_campus(begin(client, "campus")["url"], "House"))
    page = client.get(reverse("oidc_signup")).content.decode()
    assert 'value="oni"' in page
    form = {"username": "House", "email": "oni@example.org"}
    answer = client.post(reverse("oidc_signup"), form)
    assert answer.status_code == 422 and "those of the house" in answer.content.decode()


def test_the_provider_may_change_its_key_between_two_log_ins(campus: RealProvider, client: Client) -> None:
    arrive(client, at_campus(begin(client, "campus")["url"]))
    assert client.get(reverse("oidc_signup")).status_code == 200
    campus.stop()
    campus.start()
    other = Client()
    assert arrive(other, at_campus(begin(other, "campus")["url"]))["Location"] == reverse("oidc_signup")


def test_a_code_works_once_at_the_provider(campus: RealProvider) -> None:
    """Its answer to the second use is put into words; nobody is logged in."""
    first, second = Client(), Client()
    location = at_campus(begin(first, "campus")["url"])
    code = re.search("code=([^&]+)", location)[1]
    assert arrive(first, location).status_code == 302
    state = begin(second, "campus")["state"]
    answer = second.get(reverse("oidc_back", args=["campus"]), {"code": code, "state": state})
    assert answer.status_code == 400
    assert "did not confirm the log-in" in answer.content.decode()


def test_a_provider_that_is_down_is_named(campus: RealProvider, client: Client) -> None:
    campus.stop()
    try:
        answer = client.post(reverse("oidc_begin", args=["campus"]))
    finally:
        campus.start()
    assert answer.status_code == 502
    assert "The Campus does not answer now" in answer.content.decode()


def linked(forger: Forger, name: str = "hana", **fields: Any) -> User:
    user = make_user(name, **fields)
    Identity.objects.create(user=user, issuer=forger.url, subject="person-1")
    return user


def without_password(user: User) -> User:
    user.set_unusable_password()
    user.save()
    return user


def test_an_identity_is_linked_by_the_password_and_logs_in_from_then_on(
    forger: Forger, client: Client
) -> None:
    hana = make_user("hana")
    client.force_login(hana)
    assert "Link The Forge" in client.get(reverse("account")).content.decode()
    path = reverse("identity_link", args=["forge"])
    assert client.get(path).status_code == 200
    assert client.post(path, {"current": "wrong"}).status_code == 422
    answer = log_in_by(client, forger, path)
    assert answer["Location"] == reverse("account")
    page = client.get(reverse("account")).content.decode()
    assert "From now on you can log in with The Forge" in page and "person-1" in page
    other = Client()
    assert log_in(other, forger)["Location"] == "/"
    assert "hana" in other.get(reverse("account")).content.decode()
    assert AuditEvent.objects.filter(verb="user.linked_identity", actor=hana).count() == 1


def log_in_by(client: Client, forger: Forger, path: str) -> Any:
    sent = begin(client, path=path, current=PASSWORD)
    forger.token = forger.sign(forger.claims(sent["nonce"]))
    return client.get(reverse("oidc_back", args=["forge"]), {"code": "x", "state": sent["state"]})


def test_an_identity_belongs_to_one_account(forger: Forger, client: Client) -> None:
    linked(forger)
    client.force_login(make_user("mai"))
    path = reverse("identity_link", args=["forge"])
    answer = log_in_by(client, forger, path)
    assert answer.status_code == 400 and "linked to another account" in answer.content.decode()
    assert Identity.objects.get().user.username == "hana"


def test_linking_the_same_identity_again_changes_nothing(forger: Forger, client: Client) -> None:
    client.force_login(linked(forger))
    assert log_in_by(client, forger, reverse("identity_link", args=["forge"]))["Location"] == "/account/"
    assert Identity.objects.count() == 1
    assert not AuditEvent.objects.filter(verb="user.linked_identity").exists()


def test_an_account_has_a_limited_number_of_identities(forger: Forger) -> None:
    hana = make_user("hana")
    for number in range(identities.MAX_IDENTITIES):
        identities.link_identity(hana, forger.url, f"person-{number}")
    with pytest.raises(Refused, match="20 identities already"):
        identities.link_identity(hana, forger.url, "one more")


def test_unlinking_needs_the_password_and_logs_out_other_browsers(forger: Forger, client: Client) -> None:
    hana = linked(forger)
    client.force_login(hana)
    other = Client()
    log_in(other, forger)
    path = reverse("identity_unlink", args=[Identity.objects.get().pk])
    assert client.get(path).status_code == 200
    assert client.post(path, {"current": "wrong"}).status_code == 422
    assert Identity.objects.exists()
    assert client.post(path, {"current": PASSWORD})["Location"] == reverse("account")
    assert not Identity.objects.exists()
    assert client.get(reverse("account")).status_code == 200
    assert other.get(reverse("account")).status_code == 302
    assert AuditEvent.objects.filter(verb="user.unlinked_identity", actor=hana).count() == 1
    assert log_in(Client(), forger)["Location"] == reverse("oidc_signup")


def test_nobody_unlinks_the_identity_of_another(forger: Forger, client: Client) -> None:
    linked(forger)
    client.force_login(make_user("mai"))
    path = reverse("identity_unlink", args=[Identity.objects.get().pk])
    assert client.get(path).status_code == client.post(path, {"current": PASSWORD}).status_code == 404
    assert "person-1" not in client.get(reverse("account")).content.decode()


def test_the_last_way_in_stays(forger: Forger, client: Client) -> None:
    """Of two identities one may go, unless the other's provider is no longer asked."""
    hana = without_password(linked(forger))
    log_in(client, forger)
    path = reverse("identity_unlink", args=[hana.identities.get().pk])
    Identity.objects.create(user=hana, issuer="https://gone.example.org", subject="x")
    answer = client.post(path)
    assert answer.status_code == 422 and "only way into your account" in answer.content.decode()
    assert "no longer offered" in client.get(reverse("account")).content.decode()
    identities.link_identity(hana, forger.url, "person-2")
    assert client.post(path).status_code == 302
    assert hana.identities.count() == 2


def test_who_has_no_password_proves_it_by_a_fresh_log_in(forger: Forger, client: Client) -> None:
    """A browser that was left open can neither delete the account nor change its address."""
    hana = without_password(linked(forger))
    client.force_login(hana)
    delete, email = reverse("account_delete"), reverse("account_email")
    answer = client.post(delete)
    assert answer.status_code == 422
    assert "Log in again with The Forge" in answer.content.decode()
    assert client.post(email, {"email-email": "new@example.org"}).status_code == 422
    assert client.post(reverse("account_password"), {"password-password": PASSWORD}).status_code == 422
    assert log_in(client, forger, following=delete)["Location"] == delete
    assert client.post(email, {"email-email": "new@example.org"}).status_code == 302
    assert client.post(delete).status_code == 302
    assert not Identity.objects.exists()
    hana.refresh_from_db()
    assert hana.deleted_at is not None
    assert log_in(Client(), forger)["Location"] == reverse("oidc_signup"), "as if never seen"


def test_a_fresh_log_in_grows_old(forger: Forger, client: Client) -> None:
    without_password(linked(forger))
    log_in(client, forger)
    session = client.session
    session["oidc_fresh"] = {**session["oidc_fresh"], "at": session["oidc_fresh"]["at"] - 3600}
    session.save()
    assert client.post(reverse("account_delete")).status_code == 422


def test_an_account_without_a_password_has_tokens_and_may_set_one(forger: Forger, client: Client) -> None:
    hana = without_password(linked(forger))
    secret = create_token(hana, "laptop", ["read"], 7)
    headers = {"authorization": f"Bearer {secret}"}
    assert Client().get("/api/v1/me/", headers=headers).status_code == 200
    form = {"username": "hana", "password": ""}
    assert Client().post(reverse("login"), form).status_code == 200
    log_in(client, forger)
    assert client.post(reverse("account_password"), {"password-password": PASSWORD}).status_code == 302
    assert Client().post(reverse("login"), {**form, "password": PASSWORD}).status_code == 302


def test_logging_out_here_is_local(forger: Forger, client: Client) -> None:
    linked(forger)
    log_in(client, forger)
    asked = list(forger.asked)
    assert client.post(reverse("logout"))["Location"] == "/"
    assert client.get(reverse("account")).status_code == 302
    assert forger.asked == asked


def test_somebody_logged_in_is_not_sent_to_a_second_account(forger: Forger, client: Client) -> None:
    client.force_login(make_user("mai"))
    answer = log_in(client, forger)
    assert answer.status_code == 400
    assert "not linked to your account" in answer.content.decode()
    assert client.get(reverse("oidc_signup"))["Location"] == "/"


def test_buttons_and_pages_speak_japanese(forger: Forger, client: Client) -> None:
    japanese = {"Accept-Language": "ja"}
    assert "鍛冶屋 で続ける" in client.get(reverse("login"), headers=japanese).content.decode()
    log_in(client, forger)
    assert (
        "鍛冶屋 からの初めてのログイン"
        in client.get(reverse("oidc_signup"), headers=japanese).content.decode()
    )
