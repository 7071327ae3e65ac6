"""Every route × every role × somebody else’s things: the status is the one written here."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import get_resolver
from django.utils import timezone

from contest.api import urls
from contest.files import vault
from contest.models import Attack, AuditEvent, Entry, HouseOrder, Job, Round, TeamOrder
from contest.outside.webhooks import create_webhook
from contest.services.questions import ask_question
from contest.services.teams import create_invitation
from tests.api.conftest import World, user

ROLES = ("visitor", "tanuki", "kitsune", "oni", "tengu")
"""Nobody; the team whose things they are; another team; the contest's organiser; another contest's."""
PUBLIC = (200, 200, 200, 200, 200)
HIDDEN = (404, 404, 404, 404, 200)
UNKNOWN = (401, 404, 404, 404, 404)
ORGANISER = (401, 404, 404, 200, 404)
ORDERS = (401, 404, 404, 422, 404)

DEMO, SECRET = "contests/demo/", "contests/secret/"
PRACTICE, SECRET_PRACTICE = f"{DEMO}rounds/practice/", f"{SECRET}rounds/practice/"

READS: dict[str, tuple[int, ...]] = {
    "me/": (401, 200, 200, 200, 200),
    "contests/": PUBLIC,
    DEMO: PUBLIC,
    f"{DEMO}announcements/": PUBLIC,
    f"{DEMO}events/": PUBLIC,
    f"{DEMO}overall/": PUBLIC,
    f"{DEMO}awards/": PUBLIC,
    f"{DEMO}questions/": PUBLIC,
    f"{DEMO}team/": (401, 200, 200, 404, 404),
    f"{DEMO}jobs/": (401, 404, 404, 200, 404),
    f"{DEMO}house-entries/": ORGANISER,
    f"{DEMO}settings/": (401, 404, 404, 200, 404),
    f"{DEMO}teams/": (401, 404, 404, 200, 404),
    f"{DEMO}rescores/1/": (401, 404, 404, 404, 404),
    f"{PRACTICE}settings/": (401, 404, 404, 200, 404),
    f"{PRACTICE}rescores/": (401, 404, 404, 200, 404),
    f"{PRACTICE}limit-proposals/": (401, 404, 404, 200, 404),
    f"{PRACTICE}capacity/": (401, 404, 404, 200, 404),
    f"{PRACTICE}reveal/": (404, 404, 404, 200, 404),
    f"{PRACTICE}history/": PUBLIC,
    f"{PRACTICE}entries/OFFICIAL/how/total/": PUBLIC,
    f"{PRACTICE}entries/DRAFT/how/total/": (404,) * 5,
    f"{SECRET}settings/": (401, 404, 404, 404, 200),
    f"{SECRET_PRACTICE}history/": HIDDEN,
    f"{DEMO}rounds/": PUBLIC,
    PRACTICE: PUBLIC,
    f"{PRACTICE}data/M.csv": PUBLIC,
    f"{PRACTICE}data/P.csv": (404,) * 5,
    f"{PRACTICE}leaderboard/": PUBLIC,
    f"{PRACTICE}matrix/": PUBLIC,
    f"{PRACTICE}attackers/": PUBLIC,
    f"{PRACTICE}entries/": (401, 200, 200, 200, 404),
    f"{PRACTICE}entries/OFFICIAL/": PUBLIC,
    f"{PRACTICE}entries/DRAFT/": (404, 200, 404, 200, 404),
    f"{PRACTICE}entries/DRAFT/upload.zip": (401, 200, 404, 404, 404),
    f"{SECRET_PRACTICE}entries/DRAFT/upload.zip": UNKNOWN,
    # Without the numbers of two entries there is nothing to compare.
    f"{PRACTICE}compare/": UNKNOWN,
    f"{SECRET_PRACTICE}compare/": UNKNOWN,
    f"{PRACTICE}targets/": (401, 200, 200, 404, 404),
    f"{PRACTICE}targets.zip": (401, 200, 200, 404, 404),
    f"{PRACTICE}attacks/": (401, 200, 200, 200, 404),
    f"{PRACTICE}attacks/DRYRUN/": (404, 200, 404, 200, 404),
    f"{PRACTICE}house/": PUBLIC,
    f"{SECRET_PRACTICE}house/": HIDDEN,
    f"{PRACTICE}orders/": (401, 200, 200, 404, 404),
    f"{SECRET_PRACTICE}orders/": UNKNOWN,
    # The seed of an order gives the truth of its entry away, so that not even organisers see it.
    f"{PRACTICE}orders/MADE/": (401, 200, 404, 404, 404),
    f"{PRACTICE}orders/MADE/files.zip": (401, 200, 404, 404, 404),
    f"{SECRET_PRACTICE}orders/MADE/": UNKNOWN,
    f"{SECRET_PRACTICE}orders/MADE/files.zip": UNKNOWN,
    "presets/": UNKNOWN,
    f"{DEMO}queues/": ORGANISER,
    "games/": (200,) * 5,
    f"{DEMO}games/": ORGANISER,
    f"{SECRET}games/": (401, 404, 404, 404, 200),
    f"{PRACTICE}kit.zip": PUBLIC,
    f"{SECRET_PRACTICE}kit.zip": HIDDEN,
    # The round of these tables is not played by a game.
    f"{PRACTICE}trials/": ORGANISER,
    f"{SECRET_PRACTICE}trials/": (401, 404, 404, 404, 200),
    f"{DEMO}trials/1/": UNKNOWN,
    f"{SECRET}trials/1/": UNKNOWN,
    f"{PRACTICE}game/": (404,) * 5,
    f"{PRACTICE}files/": (404,) * 5,
    f"{PRACTICE}files/people.csv": (404,) * 5,
    f"{PRACTICE}seats/1/files/people.csv": (404,) * 5,
    f"{PRACTICE}boards/": (404,) * 5,
    f"{DEMO}organisers/": ORGANISER,
    f"{DEMO}attacks/": ORGANISER,
    f"{DEMO}webhooks/": ORGANISER,
    f"{DEMO}deliveries/": ORGANISER,
    f"{DEMO}audit/": ORGANISER,
    f"{PRACTICE}signals/": ORGANISER,
    f"{DEMO}team/webhooks/": (401, 200, 200, 404, 404),
    f"{DEMO}team/deliveries/": (401, 200, 200, 404, 404),
    f"{SECRET}audit/": (401, 404, 404, 404, 200),
    f"{SECRET}team/webhooks/": UNKNOWN,
    SECRET: HIDDEN,
    f"{SECRET}announcements/": HIDDEN,
    f"{SECRET}questions/": HIDDEN,
    f"{SECRET}events/": HIDDEN,
    f"{SECRET}team/": UNKNOWN,
    f"{SECRET}jobs/": (401, 404, 404, 404, 200),
    f"{SECRET}rounds/": HIDDEN,
    SECRET_PRACTICE: HIDDEN,
    f"{SECRET_PRACTICE}data/data.zip": HIDDEN,
    f"{SECRET_PRACTICE}leaderboard/": HIDDEN,
    f"{SECRET_PRACTICE}matrix/": HIDDEN,
    f"{SECRET_PRACTICE}attackers/": HIDDEN,
    f"{SECRET_PRACTICE}entries/": (401, 404, 404, 404, 200),
    f"{SECRET_PRACTICE}attacks/": (401, 404, 404, 404, 200),
    f"{SECRET_PRACTICE}targets/": UNKNOWN,
    f"{SECRET_PRACTICE}targets.zip": UNKNOWN,
    # Things of one contest do not answer under the address of another.
    f"{SECRET_PRACTICE}entries/OFFICIAL/": (404,) * 5,
    f"{SECRET_PRACTICE}attacks/DRYRUN/": (404,) * 5,
}
WRITES: dict[str, tuple[int, ...]] = {
    f"{DEMO}announcements/": (401, 404, 404, 422, 404),
    f"{DEMO}questions/": (401, 422, 422, 404, 404),
    f"{DEMO}questions/QUESTION/answer/": ORDERS,
    f"{SECRET}questions/": UNKNOWN,
    f"{SECRET}questions/QUESTION/answer/": UNKNOWN,
    f"{DEMO}team/": (401, 422, 422, 422, 422),
    f"{DEMO}team/invitations/": (401, 201, 201, 404, 404),
    f"{DEMO}team/name/": (401, 422, 422, 404, 404),
    f"{SECRET}team/name/": UNKNOWN,
    f"{DEMO}team/track/": (401, 422, 422, 404, 404),
    f"{SECRET}team/track/": UNKNOWN,
    f"{DEMO}teams/PLAYERS/track/": ORDERS,
    f"{SECRET}teams/PLAYERS/track/": UNKNOWN,
    f"{DEMO}team/leave/": (401, 409, 409, 404, 404),
    f"{SECRET}team/leave/": UNKNOWN,
    f"{DEMO}house-entries/": (401, 404, 404, 422, 404),
    f"{DEMO}house-entries/ORDER/retry/": (401, 404, 404, 409, 404),
    f"{SECRET}house-entries/ORDER/retry/": UNKNOWN,
    f"{DEMO}attacks/DRYRUN/steer/": (401, 404, 404, 422, 404),
    f"{DEMO}rerun/": (401, 404, 404, 422, 404),
    f"{SECRET}rerun/": (401, 404, 404, 404, 422),
    f"{DEMO}settings/": (401, 404, 404, 422, 404),
    f"{DEMO}phases/PHASE/": (401, 404, 404, 422, 404),
    f"{DEMO}repairs/": (401, 404, 404, 422, 404),
    f"{DEMO}teams/": (401, 404, 404, 422, 404),
    f"{DEMO}rescores/1/": (401, 404, 404, 404, 404),
    f"{PRACTICE}settings/": (401, 404, 404, 422, 404),
    f"{PRACTICE}rescores/": (401, 404, 404, 422, 404),
    f"{PRACTICE}publish/": (401, 404, 404, 409, 404),
    f"{DEMO}rounds/": ORDERS,
    f"{PRACTICE}remove/": ORDERS,
    f"{PRACTICE}phases/": ORDERS,
    f"{PRACTICE}shift/": ORDERS,
    f"{SECRET}rounds/": (401, 404, 404, 404, 422),
    f"{SECRET}phases/PHASE/": UNKNOWN,
    f"{SECRET}attacks/DRYRUN/steer/": UNKNOWN,
    f"{SECRET}announcements/": (401, 404, 404, 404, 422),
    f"{SECRET}team/": (401, 404, 404, 404, 422),
    f"{DEMO}teams/PLAYERS/members/MEMBER/remove/": ORDERS,
    f"{SECRET}teams/PLAYERS/members/MEMBER/remove/": UNKNOWN,
    f"{SECRET}team/invitations/": UNKNOWN,
    f"{SECRET}house-entries/": (401, 404, 404, 404, 422),
    f"{PRACTICE}entries/": (401, 422, 422, 404, 404),
    f"{PRACTICE}entries/check/": (401, 422, 422, 404, 404),
    f"{SECRET_PRACTICE}entries/check/": UNKNOWN,
    f"{PRACTICE}entries/DRAFT/pin/": (401, 409, 404, 404, 404),
    f"{PRACTICE}entries/OFFICIAL/pin/": (401, 200, 404, 404, 404),
    f"{SECRET_PRACTICE}entries/OFFICIAL/pin/": UNKNOWN,
    f"{PRACTICE}orders/": (401, 422, 422, 404, 404),
    f"{SECRET_PRACTICE}orders/": UNKNOWN,
    f"{PRACTICE}guesses/": (401, 422, 422, 404, 404),
    f"{PRACTICE}answers/": UNKNOWN,
    f"{PRACTICE}hiders/": UNKNOWN,
    f"{PRACTICE}trials/": ORDERS,
    f"{SECRET_PRACTICE}trials/": (401, 404, 404, 404, 422),
    f"{DEMO}trials/1/": UNKNOWN,
    f"{SECRET}trials/1/": UNKNOWN,
    f"{PRACTICE}attacks/DRYRUN/pin/": (401, 409, 404, 404, 404),
    f"{PRACTICE}programs/": (401, 422, 422, 404, 404),
    f"{SECRET_PRACTICE}entries/": UNKNOWN,
    f"{SECRET_PRACTICE}guesses/": UNKNOWN,
    f"{SECRET_PRACTICE}programs/": UNKNOWN,
    "join/": (401, 422, 422, 422, 422),
    "presets/": UNKNOWN,
    "bundles/": UNKNOWN,
    "games/": UNKNOWN,
    f"{DEMO}games/rounds/": ORDERS,
    f"{SECRET}games/rounds/": (401, 404, 404, 404, 422),
    f"{DEMO}organisers/": ORDERS,
    f"{DEMO}attacks/": ORDERS,
    f"{DEMO}webhooks/": ORDERS,
    f"{PRACTICE}data/": ORDERS,
    f"{DEMO}audit/check/": ORGANISER,
    f"{PRACTICE}signals/": (401, 404, 404, 201, 404),
    f"{DEMO}archive/": (401, 404, 404, 409, 404),  # Refused: the line above has left work to do.
    f"{SECRET}organisers/": (401, 404, 404, 404, 422),
    f"{DEMO}team/archive/": (401, 422, 422, 404, 404),
    f"{DEMO}team/webhooks/": (401, 422, 422, 404, 404),
    f"{PRACTICE}entries/DRAFT/note/": (401, 422, 404, 404, 404),
    f"{SECRET_PRACTICE}entries/OFFICIAL/note/": UNKNOWN,
}
DELETES = {
    f"{DEMO}team/invitations/INVITATION/": (401, 204, 404, 404, 404),
    f"{DEMO}team/members/MEMBER/": (401, 409, 404, 404, 404),
    f"{SECRET}team/members/MEMBER/": UNKNOWN,
    f"{DEMO}webhooks/TEAMHOOK/": UNKNOWN,
    f"{DEMO}team/webhooks/ORGHOOK/": UNKNOWN,
    f"{DEMO}team/webhooks/TEAMHOOK/": (401, 204, 404, 404, 404),
    f"{SECRET}webhooks/ORGHOOK/": UNKNOWN,
    f"{DEMO}webhooks/ORGHOOK/": (401, 404, 404, 204, 404),
}


@pytest.fixture
def names(world: World) -> dict[str, str]:
    """What the capital words in the paths stand for: all but the organisers’ address is Tanuki’s."""
    dry = Attack.objects.create(
        round=world.round, team=world.tanuki, kind="program", name="program", program_sha256="0" * 64,
        is_dry_run=True,
    )  # fmt: skip
    now = timezone.now()
    create_invitation(world.tanuki, user("tanuki"))
    contest, address = world.round.contest, "https://example.org/news"
    return {
        "OFFICIAL": str(world.entry.pk),
        "DRAFT": str(world.draft.pk),
        "DRYRUN": str(dry.pk),
        "PHASE": str(world.round.phases.get(kind="anonymise").pk),
        "ORDER": str(HouseOrder.objects.create(round=world.round, method="swap", requested_at=now).pk),
        "MADE": str(made_for(world).pk),
        "INVITATION": str(world.tanuki.invitations.get().pk),
        "PLAYERS": str(world.tanuki.pk),
        "MEMBER": str(world.tanuki.memberships.get().pk),
        "QUESTION": str(ask_question(contest, world.tanuki, user("tanuki"), "Why?").pk),
        "TEAMHOOK": str(create_webhook(contest, user("tanuki"), address, world.tanuki)[0].pk),
        "ORGHOOK": str(create_webhook(contest, user("oni"), address)[0].pk),
    }


def made_for(world: World) -> TeamOrder:
    """What the house made for Tanuki."""
    stored = vault.keep_parts({"M.csv": io.BytesIO(b"1")}, 1000)
    return TeamOrder.objects.create(
        round=world.round, team=world.tanuki, requested_at=timezone.now(), what="entry", method="swap",
        seed=1, is_handed_in=False, state="made", file_sha256=stored.sha256, file_bytes=stored.size,
    )  # fmt: skip


def filled(path: str, names: dict[str, str]) -> str:
    for word, value in names.items():
        path = path.replace(word, value)
    return path


def test_reading(world: World, names: dict[str, str]) -> None:
    for path, expected in READS.items():
        got = tuple(world.callers[role].status(filled(path, names)) for role in ROLES)
        assert got == expected, path


def test_writing(world: World, names: dict[str, str]) -> None:
    """The bodies are empty, so 422 says that somebody got as far as the body."""
    for path, expected in WRITES.items():
        got = tuple(world.callers[role].send(filled(path, names)).status_code for role in ROLES)
        assert got == expected, path


def test_deleting(world: World, names: dict[str, str]) -> None:
    for path, expected in DELETES.items():
        got = tuple(world.callers[role].delete(filled(path, names)).status_code for role in ROLES)
        assert got == expected, path


def test_what_is_refused_changes_nothing(world: World, names: dict[str, str]) -> None:
    """With whole bodies too: a stranger's upload, pin, guess or order leaves no row behind."""
    before = (Entry.objects.count(), Attack.objects.count(), Job.objects.count(), AuditEvent.objects.count())
    order = {"round": "practice", "method": "swap"}
    for role in ("visitor", "tengu"):
        caller = world.callers[role]
        for name, field in (("entries", "archive"), ("guesses", "archive"), ("programs", "program")):
            upload = SimpleUploadedFile(f"{world.entry.pk}.csv", b"1\n")
            assert caller.post(f"{PRACTICE}{name}/", {field: upload}).status_code in {401, 404}
        assert caller.send(f"{DEMO}house-entries/", order).status_code in {401, 404}
        assert caller.send(f"{DEMO}announcements/", {"title": "Ha"}).status_code in {401, 404}
        steer = filled(f"{DEMO}attacks/DRYRUN/steer/", names)
        assert caller.send(steer, {"act": "stop"}).status_code in {401, 404}
    run = world.entry.attack_runs.get().pk
    for body in ({"run": run}, {"entry": world.entry.pk}):
        assert world.callers["tengu"].send(f"{SECRET}rerun/", body).status_code == 404
    # A round of one contest cannot be named in an order to another.
    Round.objects.filter(pk=world.secret.pk).update(slug="hidden-round")
    stranger = world.callers["oni"].send(f"{DEMO}house-entries/", {**order, "round": "hidden-round"})
    assert stranger.status_code == 404
    after = (Entry.objects.count(), Attack.objects.count(), Job.objects.count(), AuditEvent.objects.count())
    assert after == before


def test_every_route_stands_in_these_tables() -> None:
    """A route that is added without a line here fails this test."""
    resolver = get_resolver("contest.api.urls")
    names = ("OFFICIAL", "DRAFT", "DRYRUN", "PHASE", "ORDER", "MADE", "INVITATION", "PLAYERS", "MEMBER")
    words = dict.fromkeys((*names, "QUESTION", "TEAMHOOK", "ORGHOOK"), "1")
    reached = {resolver.resolve("/" + filled(path, words)).url_name for path in (*READS, *WRITES, *DELETES)}
    routes = {pattern.name for pattern in urls.urlpatterns if pattern.name}
    assert routes - reached == {"api-schema", "api-docs"}
