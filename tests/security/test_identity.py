"""Who somebody is or was: new passwords, known addresses, organisers who would play, former members."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from django.core import mail as outbox
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.errors import Refused
from contest.models import ApiToken, Delivery, Invitation, Mail, Membership, Organiser, User, Webhook
from contest.outside import webhooks
from contest.services import accounts, teams
from contest.services import settings as contest_settings
from contest.services.tokens import create_token
from tests.factories import PASSWORD, make_contest, make_team, make_user, work_off
from tests.security.crawl import crawl
from tests.security.routes import routes
from tests.security.world import World, make_world

pytestmark = pytest.mark.django_db
NEW = "staple battery horse"


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def call(secret: str, path: str = "/api/v1/me/") -> int:
    return Client().get(path, headers={"authorization": f"Bearer {secret}"}).status_code


def last_link() -> str:
    found = re.search(r"https?://[^/\s]+(/\S+)", str(outbox.outbox[-1].body))
    assert found
    return found[1]


def test_a_reset_of_the_password_revokes_every_token() -> None:
    ken = make_user("ken")
    secrets = [create_token(ken, "one", ["read"], 7), create_token(ken, "two", ["read", "submit"], 7)]
    other = create_token(make_user("mai"), "hers", ["read"], 7)
    assert [call(secret) for secret in (*secrets, other)] == [200, 200, 200]
    Client().post(reverse("password_reset"), {"email": "ken@example.org"})
    work_off()
    assert Client().post(last_link(), {"password": NEW}).status_code == 302
    assert [call(secret) for secret in (*secrets, other)] == [401, 401, 200]


def test_a_change_of_the_password_revokes_every_token_and_says_so() -> None:
    ken = make_user("ken")
    secret = create_token(ken, "one", ["read"], 7)
    client = browser(ken)
    assert "revokes your tokens" in client.get(reverse("account")).content.decode()
    form = {"password-current": PASSWORD, "password-password": NEW}
    page = client.post(reverse("account_password"), form, follow=True).content.decode()
    assert "your tokens are revoked" in page
    assert call(secret) == 401
    assert ApiToken.objects.get().revoked_at is not None
    work_off()
    assert "tokens were revoked" in str(outbox.outbox[-1].body)


def seen(answer: Any, *words: str) -> tuple[Any, ...]:
    """What a visitor can tell answers apart by, without the words that they sent themselves."""
    text = answer.content.decode()
    for word in words:
        text = text.replace(word, "…")
    text = re.sub(r'(csrfmiddlewaretoken" value="|nonce=")[^"]*|sessions/\d+|(\d\d:)+\d\d', "", text)
    kept = {name: answer.headers[name] for name in ("Location", "Vary") if name in answer.headers}
    return answer.status_code, kept, sorted(answer.cookies), text


def test_a_sign_up_tells_nobody_whether_an_address_is_known() -> None:
    make_user("momiji", language="ja")
    looks = []
    for name, email in (("kenichi-1", "hazuki@example.org"), ("kenichi-2", "MOMIJI@example.org")):
        client = Client()
        form = {"username": name, "email": email, "password": PASSWORD}
        words = (email, email.lower(), name)
        first = client.post(reverse("signup"), form)
        pages = [client.get(path) for path in ("/", reverse("account"), reverse("tokens"))]
        again = client.post(reverse("account_confirm_again"), follow=True)
        looks.append([seen(answer, *words) for answer in (first, *pages, again)])
    for unknown, known in zip(*looks, strict=True):
        assert unknown[:3] == known[:3]
        assert unknown[3].splitlines() == known[3].splitlines()
    work_off()
    assert {letter.to[0] for letter in outbox.outbox} == {"hazuki@example.org", "momiji@example.org"}
    told = [letter for letter in outbox.outbox if letter.to == ["momiji@example.org"]]
    assert all(re.search("[ぁ-ん]", letter.subject) for letter in told), "in the owner's language"
    assert not any("/email/confirm/" in str(letter.body) for letter in told), (
        "no link makes it somebody else's"
    )
    assert User.objects.get(email_key="momiji@example.org").username == "momiji"
    Client().post(reverse("password_reset"), {"email": "momiji@example.org"})
    work_off()
    assert "momiji" in str(outbox.outbox[-1].body), "a reset is for the owner"


def test_a_known_address_is_not_flooded_with_letters() -> None:
    make_user("mai")
    for number in range(8):
        accounts.sign_up(f"ken{number}x", "mai@example.org", PASSWORD)
    assert Mail.objects.filter(to="mai@example.org").count() == 3


def test_a_change_of_address_tells_nobody_whether_it_is_known() -> None:
    make_user("momiji")
    client = browser(make_user("kenichi"))
    looks = []
    for email in ("hazuki@example.org", "momiji@example.org"):
        form = {"email-email": email, "email-current": PASSWORD}
        looks.append(seen(client.post(reverse("account_email"), form, follow=True), email))
    assert looks[0] == looks[1]
    work_off()
    assert [letter.to[0] for letter in outbox.outbox] == ["hazuki@example.org", "momiji@example.org"]
    assert "/email/confirm/" not in str(outbox.outbox[-1].body)


def test_who_organises_a_contest_plays_in_none_of_its_teams() -> None:
    oni, ken = make_user("oni"), make_user("ken")
    contest = make_contest(oni)
    team = make_team(contest, "Foxes", ken)
    link = teams.create_invitation(team, ken)
    client = browser(oni)
    client.post(reverse("team_create", args=[contest.slug]), {"name": "Mine"})
    client.post(reverse("join", args=[link]))
    headers = {"authorization": f"Bearer {create_token(oni, 'x', ['read', 'submit'], 7)}"}
    path = f"/api/v1/contests/{contest.slug}/team/"
    made = client.post(path, {"name": "Mine"}, content_type="application/json", headers=headers)
    assert made.status_code == 409 and "organise" in made.content.decode()
    for act in (
        lambda: teams.create_team(contest, oni, "Mine"),
        lambda: teams.join_team(Invitation.objects.get(), oni),
    ):
        with pytest.raises(Refused) as refusal:
            act()
        assert refusal.value.code == "organises"
    assert not Membership.objects.filter(user=oni).exists()
    page = client.post(reverse("team_create", args=[contest.slug]), {"name": "Mine"})
    assert page.status_code == 422 and "organise" in page.content.decode()


def test_who_plays_in_a_team_becomes_no_organiser_of_its_contest() -> None:
    oni, ken = make_user("oni"), make_user("ken")
    contest = make_contest(oni)
    make_team(contest, "Foxes", ken)
    with pytest.raises(Refused) as refusal:
        contest_settings.add_organiser(contest, oni, ken)
    assert refusal.value.code == "plays"
    assert not Organiser.objects.filter(user=ken).exists()


@pytest.fixture
def world(settings: Any) -> World:
    settings.API_RATES = dict.fromkeys(settings.API_RATES)
    return make_world("none")


def test_what_a_member_held_leads_nowhere_once_they_are_gone(world: World) -> None:
    """Every route with the team's things, by page and token, as somebody sees it who was never there."""
    owner, loner = world.people["owner"], world.people["loner"]
    team_token = create_token(owner, "the team's", ["read", "submit"], 7, world.team)
    session = browser(owner)
    hook, _secret = webhooks.create_webhook(
        world.round.contest, owner, "https://198.51.100.7/news", world.team
    )
    assert call(team_token) == 200
    Membership.objects.filter(user=owner).delete()
    assert call(team_token) == 401
    stranger = browser(loner)
    as_owner = {"authorization": f"Bearer {world.tokens['owner']}"}
    as_loner = {"authorization": f"Bearer {world.tokens['loner']}"}
    for route in routes():
        path = route.path(world)
        if route.name in OWN_PAGES:
            continue
        for method in ("get", "post"):
            mine = getattr(session, method)(path, headers=as_owner if route.is_api else {})
            theirs = getattr(stranger, method)(path, headers=as_loner if route.is_api else {})
            assert mine.status_code == theirs.status_code, (method, path)
            for closer in (*mine._resource_closers, *theirs._resource_closers):
                closer()
    assert not Membership.objects.filter(user__in=[owner, loner]).exists(), "nobody came back by the old link"
    own = crawl(browser(owner), ("/",))
    assert not [path for path, body in own.items() if b"the note of the owners" in body]
    with pytest.raises(Refused) as refusal:
        teams.join_team(world.invitation, make_user("friend"))
    assert refusal.value.code == "invitation-expired"
    webhooks.queue_deliveries()
    hook.refresh_from_db()
    assert hook.ended_at is not None
    assert not Delivery.objects.filter(webhook=hook).exists()


OWN_PAGES = {
    "tokens", "token_revoke", "account", "account_end", "logout", "account_end_others", "token",
    "notification_read", "identity_unlink",
}  # fmt: skip
"""What differs between any two people, whatever their teams are, or ends a session."""


def test_an_invitation_of_somebody_who_left_lets_nobody_in_by_its_page(world: World) -> None:
    Membership.objects.filter(user=world.people["owner"]).delete()
    friend = make_user("friend")
    answer = browser(friend).post(reverse("join", args=[world.invitation_secret]), follow=True)
    assert not Membership.objects.filter(user=friend).exists()
    assert "has expired or was withdrawn" in answer.content.decode()


def test_the_webhook_of_a_former_member_or_organiser_is_delivered_no_more(world: World) -> None:
    contest = world.round.contest
    organiser = world.people["organiser"]
    hook, _secret = webhooks.create_webhook(contest, organiser, "https://198.51.100.7/news")
    webhooks.queue_deliveries()
    assert Webhook.objects.get(pk=hook.pk).ended_at is None
    contest_settings.add_organiser(contest, organiser, world.people["loner"])
    contest_settings.remove_organiser(contest, world.people["loner"], organiser)
    Delivery.objects.create(
        webhook=hook, event=1, kind="x", body="{}", next_try_at=timezone.now() + datetime.timedelta(days=1)
    )
    webhooks.queue_deliveries()
    assert Webhook.objects.get(pk=hook.pk).ended_at is not None
