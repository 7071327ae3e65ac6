"""Every route of the platform, filled with the things of a world, and who may do what there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

from tests.security.world import World

PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")


@dataclass(frozen=True)
class Route:
    """``pattern`` as it stands in the URL files, ``name`` by which code calls it."""

    pattern: str
    name: str

    @property
    def parameters(self) -> list[str]:
        return [name for _, name in PARAMETER.findall(self.pattern)]

    @property
    def is_api(self) -> bool:
        return self.pattern.startswith("api/")

    def path(self, world: World, contest: str = "open-contest") -> str:
        """An address that exists: the owners' things, in the contest that is named."""
        return "/" + PARAMETER.sub(lambda found: sample(world, found[2], contest), self.pattern)


def sample(world: World, parameter: str, contest: str) -> str:
    known = {
        "slug": contest,
        "round_slug": "practice",
        "entry_id": world.names["DRAFT"],
        "attack_id": world.names["DRYRUN"],
        "invitation_id": world.names["INVITATION"],
        "team_id": world.names["TEAM"],
        "token_id": world.names["TOKEN"],
        "identity_id": world.names["IDENTITY"],
        "provider": "elsewhere",
        "notification_id": world.names["NOTICE"],
        "token": world.names["LINK"],
        "name": "M.csv",
        "challenge": "who",
        "cell": "hits",
        "form": "svg",
        "language": "en",
        "kind": "attacks",
        "act": "open",
        "uidb64": "MQ",
    }
    if parameter in known:
        return known[parameter]
    return str(_first_of(world, parameter.removesuffix("_id")))


def _first_of(world: World, noun: str) -> int | str:
    """The key of some row of the model that a parameter is named after, of the open contest if it can."""
    models = {model.__name__.lower(): model for model in apps.get_app_config("contest").get_models()}
    model = models.get(noun.replace("_", ""))
    if model is None:
        return "1"
    fields = {field.name for field in model._meta.get_fields()}
    rows = model._default_manager.all()
    if "round" in fields:
        rows = rows.filter(round=world.round)
    elif "contest" in fields:
        rows = rows.filter(contest=world.round.contest)
    row = rows.first()
    return row.pk if row is not None else "1"


def routes() -> list[Route]:
    return list(_walk(get_resolver().url_patterns))


def _walk(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[Route]:
    for pattern in patterns:
        whole = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, whole)
        elif pattern.name:
            yield Route(whole, pattern.name)


# Who gets what, in the order of world.ROLES: visitor, owner, rival, loner, organiser, stranger, staff.
# "in" is the way to the log-in page, "on" a redirect after which something is told or done.
ALL = (200,) * 7
NONE = (404,) * 7
MEMBERS = ("in", 200, 200, 200, 200, 200, 200)
PLAYERS = ("in", 200, 200, "on", "on", "on", "on")
OWNERS = ("in", 200, 404, 404, 200, 404, 404)
OWNERS_OPENLY = (404, 200, 404, 404, 200, 404, 404)
ORGANISERS = ("in", 404, 404, 404, 200, 404, 404)
POSTED = ("in", 405, 405, 405, 405, 405, 405)

PAGES: dict[str, tuple[object, ...]] = {
    "home": ALL,
    "healthz": ALL,
    "readyz": ALL,
    "metrics": NONE,
    "signup": (200, "on", "on", "on", "on", "on", "on"),
    "login": ALL,
    "logout": (405,) * 7,
    "oidc_begin": (405,) * 7,
    # Nobody began a log-in elsewhere.
    "oidc_back": (400,) * 7,
    "oidc_signup": ("in", "on", "on", "on", "on", "on", "on"),
    "identity_link": MEMBERS,
    "identity_unlink": ("in", 200, 404, 404, 404, 404, 404),
    "set_language": (405,) * 7,
    "password_reset": ALL,
    "password_reset_done": ALL,
    "password_reset_confirm": NONE,
    "password_reset_complete": ALL,
    "email_confirm": NONE,
    "join": ALL,
    "tokens": MEMBERS,
    "token_revoke": POSTED,
    "methods": ALL,
    "tour": ALL,
    "calendar": ALL,
    # No other contest than a season that is over has a story.
    "story": NONE,
    "story_archive": NONE,
    "pictures": ALL,
    "round_picture": NONE,
    "entry_picture": NONE,
    "contest_new": ("in", 404, 404, 404, 404, 404, 200),
    "contest_from_bundle": POSTED,
    "contest_from_archive": POSTED,
    "contest_from_preset": NONE,
    "contest_from_upload": ("in", 404, 404, 404, 404, 404, 200),
    "contest_from_game": NONE,
    "overall": ALL,
    "overall_export": NONE,
    "event_feed": NONE,
    # Nobody has a certificate before the results.
    "place_certificate": ("in", 404, 404, 404, 404, 404, 404),
    "award_certificate": ("in", 404, 404, 404, 404, 404, 404),
    "public_team": ALL,
    "profile": NONE,
    "notifications": MEMBERS,
    "notifications_read": POSTED,
    "notification_read": POSTED,
    "account_notifications": POSTED,
    "questions": ALL,
    "ask": POSTED,
    "questions_read": POSTED,
    "organise_questions": ORGANISERS,
    "organise_answer": POSTED,
    "organise_move_question": POSTED,
    "changes": ALL,
    "archive_consent": POSTED,
    "hashes": ALL,
    "verify_hashes": (405,) * 7,
    "risk": ALL,
    "kit": ALL,
    "operations": ("in", 404, 404, 404, 404, 404, 200),
    "webhooks": ("in", 200, 200, 404, 200, 404, 404),
    "webhook_end": POSTED,
    "note": POSTED,
    "method": NONE,
    "contest": ALL,
    "organise": ORGANISERS,
    "organise_timeline": ORGANISERS,
    "organise_phase": POSTED,
    "organise_publish": POSTED,
    "organise_add_phase": POSTED,
    "organise_add_round": ORGANISERS,
    "organise_remove_round": ORGANISERS,
    "organise_entries": ORGANISERS,
    "organise_repair": POSTED,
    "organise_rescores": ORGANISERS,
    "organise_rescore": ("in", 404, 404, 404, 404, 404, 404),
    "organise_decide": POSTED,
    "organise_limits": ORGANISERS,
    "organise_shift": ORGANISERS,
    "organise_announcements": ORGANISERS,
    "announce": POSTED,
    "house_entry": ("in", 404, 404, 404, "on", 404, 404),
    "organise_house": ORGANISERS,
    "organise_house_retry": POSTED,
    "organise_attacks": ORGANISERS,
    "steer_attack": POSTED,
    "rerun": POSTED,
    "team_create": ("in", "on", "on", 200, 200, 200, 200),
    "invite": POSTED,
    "revoke": POSTED,
    "remove_member": POSTED,
    "team_rename": POSTED,
    "team_leave": POSTED,
    "team_track": POSTED,
    "team_captain": POSTED,
    "team": OWNERS,
    "board_export": NONE,
    "rank_history": ALL,
    "history_picture": NONE,
    "events": ALL,
    "round_share": ALL,
    "contest_share": ALL,
    "projector": ALL,
    # Before a reveal begins, only organisers see its page.
    "reveal": (404, 404, 404, 404, 200, 404, 404),
    "reveal_screen": (404, 404, 404, 404, 200, 404, 404),
    "reveal_act": POSTED,
    # Off unless the organisers allow it.
    "embed": NONE,
    "how": NONE,
    "leaderboard": ALL,
    "rules": ALL,
    "dataset": ALL,
    "dataset_download": ALL,
    "upload": PLAYERS,
    "house_hide": ("in", "on", "on", "on", "on", "on", "on"),
    "house_seek": PLAYERS,
    # The seed of an order gives the truth of its entry away, so that not even organisers see it.
    "team_order": ("in", 200, 404, 404, 404, 404, 404),
    "entry_upload": ("in", 200, 404, 404, 404, 404, 404),
    "compare": ("in", 200, 200, 404, 404, 404, 404),
    "entry_problems": ("in", 200, 404, 404, 404, 404, 404),
    "team_order_files": ("in", 200, 404, 404, 404, 404, 404),
    "matrix": ALL,
    "seek": PLAYERS,
    "targets": ("in", 200, 200, 404, 404, 404, 404),
    "guesses": POSTED,
    "program": POSTED,
    # The round of these tables is not played by a game.
    "game_methods": NONE,
    "seat_download": NONE,
    "game_download": NONE,
    "entry_download": NONE,
    "choose_alternative": POSTED,
    "hider": POSTED,
    "hider_starter": NONE,
    "seeker_starter": NONE,
    "answer_pin": POSTED,
    "run_on_all": POSTED,
    "attack": OWNERS_OPENLY,
    "entry": OWNERS_OPENLY,
    "pin": POSTED,
}
"""What a GET answers, about the owners' draft and dry run: only they and the organiser may see them."""

FAMILIES: dict[str, tuple[tuple[object, ...], ...]] = {
    "contests/<slug:slug>/organise/": (
        ORGANISERS,
        POSTED,
        ("in", 404, 404, 404, "on", 404, 404),
        ("in", 404, 404, 404, 404, 404, 404),
        NONE,
    ),
    "account/": (MEMBERS, POSTED, NONE),
    "kit/": (ALL, NONE),
}
"""What pages answer that have no line of their own: an organiser's, one's own account's, the kit's."""


def expected_reading(route: Route) -> tuple[tuple[object, ...], ...]:
    if route.name in PAGES:
        return (PAGES[route.name],)
    return next((answers for start, answers in FAMILIES.items() if route.pattern.startswith(start)), ())


ACTS: dict[str, tuple[object, ...]] = {
    "signup": (422, "on", "on", "on", "on", "on", "on"),
    "login": ALL,
    "logout": ("on",) * 7,
    "oidc_begin": (502,) * 7,
    "oidc_signup": ("in", "on", "on", "on", "on", "on", "on"),
    "identity_link": ("in", 422, 422, 422, 422, 422, 422),
    "identity_unlink": ("in", 422, 404, 404, 404, 404, 404),
    "set_language": ("on",) * 7,
    "password_reset": (422,) * 7,
    "contest_from_bundle": ("in", 404, 404, 404, 404, 404, 422),
    "contest_from_archive": ("in", 404, 404, 404, 404, 404, 422),
    "contest_from_upload": ("in", 404, 404, 404, 404, 404, 422),
    "choose_alternative": ("in", 404, 404, 404, 404, 404, 404),
    "hider": ("in", 404, 404, 404, 404, 404, 404),
    "answer_pin": ("in", "on", 404, 404, 404, 404, 404),
    "run_on_all": ("in", "on", 404, 404, 404, 404, 404),
    "archive_consent": ("in", "on", "on", 404, 404, 404, 404),
    "verify_hashes": ALL,
    "webhooks": ("in", 422, 422, 404, 422, 404, 404),
    "note": ("in", "on", 404, 404, 404, 404, 404),
    "join": ("in", "on", "on", "on", "on", "on", "on"),
    "tokens": ("in", 422, 422, 422, 422, 422, 422),
    "token_revoke": ("in", "on", 404, 404, 404, 404, 404),
    "organise_publish": ("in", 404, 404, 404, "on", 404, 404),
    "organise_add_phase": ("in", 404, 404, 404, "on", 404, 404),
    "organise_add_round": ("in", 404, 404, 404, 422, 404, 404),
    "organise_remove_round": ("in", 404, 404, 404, 422, 404, 404),
    "organise_phase": ("in", 404, 404, 404, "on", 404, 404),
    "organise_repair": ("in", 404, 404, 404, "on", 404, 404),
    "organise_decide": ("in", 404, 404, 404, 404, 404, 404),
    "organise_limits": ("in", 404, 404, 404, 422, 404, 404),
    "announce": ("in", 404, 404, 404, 422, 404, 404),
    "notifications_read": ("in", "on", "on", "on", "on", "on", "on"),
    "notification_read": ("in", "on", 404, 404, 404, 404, 404),
    "account_notifications": ("in", "on", "on", "on", "on", "on", "on"),
    "ask": ("in", 422, 422, 404, 404, 404, 404),
    "questions_read": ("in", "on", "on", "on", "on", "on", "on"),
    "organise_answer": ("in", 404, 404, 404, 422, 404, 404),
    "organise_move_question": ("in", 404, 404, 404, "on", 404, 404),
    "organise_confirm_award": ("in", 404, 404, 404, "on", 404, 404),
    "organise_give_award": ("in", 404, 404, 404, 422, 404, 404),
    "organise_undo_award": ("in", 404, 404, 404, 404, 404, 404),
    "reveal_act": ("in", 404, 404, 404, "on", 404, 404),
    "house_entry": ("in", 404, 404, 404, "on", 404, 404),
    "organise_house_retry": ("in", 404, 404, 404, "on", 404, 404),
    "steer_attack": ("in", 404, 404, 404, "on", 404, 404),
    "rerun": ("in", 404, 404, 404, 404, 404, 404),
    "team_create": ("in", "on", "on", 422, 422, 422, 422),
    "invite": ("in", "on", "on", 404, 404, 404, 404),
    "revoke": ("in", "on", 404, 404, 404, 404, 404),
    "remove_member": ("in", "on", 404, 404, "on", 404, 404),
    "team_rename": ("in", "on", "on", 404, 404, 404, 404),
    "team_leave": ("in", "on", "on", 404, 404, 404, 404),
    "team_track": ("in", "on", 404, 404, "on", 404, 404),
    "team_captain": ("in", "on", 404, 404, 404, 404, 404),
    "upload": ("in", 422, 422, "on", "on", "on", "on"),
    "house_hide": ("in", "on", "on", "on", "on", "on", "on"),
    "house_seek": ("in", 422, 422, "on", "on", "on", "on"),
    "guesses": ("in", 422, 422, 404, 404, 404, 404),
    "program": ("in", 422, 422, 404, 404, 404, 404),
    "pin": ("in", "on", 404, 404, 404, 404, 404),
}
"""What a POST with an empty body answers; every other page refuses to be posted to."""
