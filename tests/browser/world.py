"""A small contest in which something of everything has happened, for pictures and for tests of every page."""

from __future__ import annotations

import datetime
import io
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.oidc import Provider
from contest.board.ranking import numbered
from contest.models import (
    AccountToken,
    Attack,
    Commitment,
    Contest,
    Entry,
    HouseOrder,
    Identity,
    LogIn,
    Phase,
    Question,
    Rescore,
    Round,
    Standing,
    Team,
    User,
)
from contest.outside import webhooks
from contest.outside.outbox import LINKS
from contest.services import accounts, teams, tokens
from contest.services.awards import give_award
from contest.services.commitments import commit
from contest.services.contests import announce
from contest.services.house import request_house_entry
from contest.services.limit_changes import preview_rescore
from contest.services.questions import Answer, answer_question, ask_question
from contest.services.standings_history import places_of
from contest.services.team_attacks import submit_guesses
from contest.services.team_orders import Asked, request_entry
from contest.token_hashes import hash_token
from scoring.rules import Limit
from tests.factories import (
    LIMITS,
    PASSWORD,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)
from tests.overall_rounds import decided
from tests.season_rounds import told_season

DAY = datetime.timedelta(days=1)
ELSEWHERE = {
    name: Provider(name, f"https://{name}.example.org", "site", "a secret", label, label, ("openid",))
    for name, label in (("elsewhere", "ORCID"), ("campus", "Example University"))
}
"""Providers to log in with: for their buttons, since nobody answers there."""
ROLES = ("visitor", "newcomer", "team", "organiser")


@dataclass(frozen=True)
class World:
    """What the addresses of pages need, and the cookies of those who may see them."""

    values: dict[str, Any]
    tokens: dict[str, str]
    cookies: dict[str, str]
    round: Round
    entries: dict[str, Entry]

    def client(self, role: str) -> Client:
        client = Client()
        if role in self.cookies:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.cookies[role]
        return client


def build_world() -> World:
    """Make it all through the services, and do all the work that follows."""
    oni = make_user("oni", is_staff=True)
    hana = make_user("hana", time_zone="Asia/Tokyo", has_public_profile=True)
    newcomer = make_user("mai")
    now = timezone.now()
    contest = make_contest(
        oni,
        slug="shop",
        title="Hide and seek in the shop",
        description="A *small* contest.",
        time_zone="Asia/Tokyo",
        may_be_embedded=True,
    )
    phases = [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now - DAY / 2, now + DAY),
        (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
    ]
    round_ = make_round(contest, phases=phases, attacks=["re-itemset", "re-totals"])
    foxes = make_team(contest, "Foxes", hana)
    good = make_entry(round_, foxes, entry_files("swap", 5), note="half of the rows")
    broken = make_entry(
        round_, foxes, {**entry_files(), "T.csv": b"a1,1,2011/1/1,8:00,x\n", "P.csv": b"1\n0\n"}
    )
    other = make_entry(round_, make_team(contest, "Owls"), entry_files("shuffle", 2))
    announce(contest, oni, "The round is open", "Read the *rules*, then upload.")
    question = _questions(contest, foxes, hana, oni)
    request_house_entry(round_, oni, "swap")
    work_off()
    HouseOrder.objects.create(
        round=round_, method="noise", requested_at=now, state="failed", reason="An error on our side."
    )
    order = request_entry(round_, foxes, hana, Asked("swap", seed=5, is_handed_in=False))
    attack = _guess(round_, hana, Entry.objects.get(pk=other.pk))
    make_user("ken")
    limits = [*LIMITS[:-1], Limit("rfm", "<=", 1e-9)]
    preview_rescore(round_, oni, limits, "The committee decided so.")
    tokens.create_token(hana, "laptop", ["read"], 30)
    invitation = teams.create_invitation(foxes, hana)
    work_off()
    _keep_record(round_, now)
    webhooks.create_webhook(contest, hana, "https://example.org/news", foxes)
    accounts.ask_to_confirm(newcomer)
    decided(oni, hana)
    told_season(oni)
    award = give_award(
        contest, oni, foxes, title_en="Finest fur", title_ja="毛並み賞", text="", reason="The jury agreed."
    )
    identity = Identity.objects.create(
        user=hana, issuer=ELSEWHERE["elsewhere"].issuer, subject="0000-0002-1825-0097"
    )
    cookies = {"newcomer": _cookie("mai"), "team": _cookie("hana"), "organiser": _cookie("oni")}
    values = {
        "slug": contest.slug,
        "round_slug": round_.slug,
        "team_id": foxes.pk,
        "entry_id": other.pk,
        "cell": "total",
        "attack_id": attack.pk,
        "rescore_id": Rescore.objects.get().pk,
        "log_in_id": LogIn.objects.filter(user=hana).first().pk,  # type: ignore[union-attr]
        "phase_id": round_.phases.first().pk,
        "act": "extend",
        "house_order_id": HouseOrder.objects.get(state="failed").pk,
        "team_order_id": order.pk,
        "token_id": hana.api_tokens.get().pk,
        "invitation_id": foxes.invitations.get().pk,
        "kind": "anonymizers",
        "name": "gh-tree",
        "form": "svg",
        "language": "en",
        "award_id": award.pk,
        "question_id": question.pk,
        "user_id": hana.pk,
        "provider": "elsewhere",
        "identity_id": identity.pk,
        "notification_id": hana.notifications.order_by("pk")[0].pk,
    }
    links = {
        "join": invitation,
        "email_confirm": _link(newcomer, AccountToken.Purpose.CONFIRM),
        "password_reset_confirm": _link(newcomer, AccountToken.Purpose.RESET),
    }
    return World(values, links, cookies, round_, {"own": good, "broken": broken, "other": other})


def _questions(contest: Contest, team: Team, member: User, organiser: User) -> Question:
    """A private one that waits, an open one that is answered, and one that all ask."""
    openly = ask_question(contest, team, member, "May we use *pandas*?", openly=True)
    answer_question(openly, organiser, Answer("Yes.", Question.Audience.ALL))
    frequent = Answer("Yes, **any**.", Question.Audience.ALL, title="Are libraries allowed?", is_faq=True)
    answer_question(ask_question(contest, team, member, "And numpy?"), organiser, frequent)
    return ask_question(contest, team, member, "Is our entry *all right*?")


def _keep_record(round_: Round, now: datetime.datetime) -> None:
    """What the sweeper writes down by and by: hashes, and who stood where."""
    commit(round_, Commitment.What.SEED, now)
    commit(round_, Commitment.What.ENTRIES, now)
    places = places_of(round_)
    for hours, board in ((3, places[2:]), (2, places[1:]), (1, places)):
        numbers = numbered(place["rank"] is not None for place in board)
        ranked = [{**place, "rank": number} for number, place in zip(numbers, board, strict=True)]
        at = now - datetime.timedelta(hours=hours)
        Standing.objects.create(round=round_, at=at, board_version=round_.board_version, places=ranked)


def _guess(round_: Round, user: User, target: Entry) -> Attack:
    rows = b"".join(b"%d\n" % row for row in range(1, (target.n_people or 0) + 1))
    team = user.memberships.get().team
    return submit_guesses(round_, team, user, {target.pk: io.BytesIO(rows)}, note="in order")


def _cookie(name: str) -> str:
    client = Client(headers={"User-Agent": "A browser"})
    answer = client.post(reverse("login"), {"username": name, "password": PASSWORD})
    assert answer.status_code == 302, answer.content.decode()
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _link(user: User, purpose: AccountToken.Purpose) -> str:
    """A link as a letter would hold it."""
    token = f"{purpose}-{'x' * 32}"
    lasts = max(entry[2] for entry in LINKS.values())
    AccountToken.objects.create(
        user=user,
        purpose=purpose,
        email=user.email,
        token_sha256=hash_token(token),
        expires_at=timezone.now() + lasts,
    )
    return token
