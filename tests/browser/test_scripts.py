"""Twenty strings that want to become script, in every text field, shown in Chromium: nothing runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import models
from playwright.sync_api import BrowserContext

from contest.models import (
    Announcement,
    ApiToken,
    Attack,
    AttackRun,
    AuditEvent,
    Contest,
    Dataset,
    Entry,
    Job,
    Round,
    Team,
    User,
)
from contest.services.contests import announce
from contest.services.house import request_house_entry
from tests.factories import make_entry, make_team, work_off
from tests.security.crawl import LINK
from tests.security.world import World, make_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

STRINGS = (
    "<script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<body onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    '"><script>alert(1)</script>',
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
    "[click](javascript:alert(1))",
    '![x](x" onerror="alert(1))',
    "{{7*7}}{% debug %}${alert(1)}",
    '<a href="jav\tascript:alert(1)">x</a>',
    "<meta http-equiv=refresh content=0;url=javascript:alert(1)>",
)
WRITTEN: dict[type[models.Model], tuple[str, ...]] = {
    Contest: ("title", "summary", "description"),
    Round: ("name", "description", "build_reason", "build_log"),
    Dataset: ("name", "description"),
    Team: ("name", "status_reason"),
    User: ("username", "alias"),
    Entry: ("note", "method", "mark_reason", "strongest_attack", "slot", "program_reason", "program_log"),
    Attack: ("note",),
    AttackRun: ("reason", "log", "challenge"),
    Announcement: ("title", "body"),
    ApiToken: ("name",),
    AuditEvent: ("reason", "subject", "actor_name"),
    Job: ("reason", "error", "step"),
}
"""Every column that holds what somebody wrote or what follows from an upload."""


def poison() -> None:
    """Put the strings into all fields, past the forms that would refuse some of them."""
    for model, names in WRITTEN.items():
        fields = [model._meta.get_field(name) for name in names if hasattr(model, name)]
        for place, row in enumerate(model._default_manager.order_by("pk")):
            changes = {}
            for shift, field in enumerate(fields):
                text = STRINGS[(place + 7 * shift) % len(STRINGS)]
                longest = getattr(field, "max_length", None)
                changes[field.name] = text if longest is None or len(text) <= longest else text[:longest]
                if longest is None:
                    changes[field.name] = "\n\n".join(STRINGS)
            model._default_manager.filter(pk=row.pk).update(**changes)
    # The titles of tracks are between signs that the strings must not break.
    Contest.objects.update(tracks="\n".join(f"t{n} | {text} | {text}" for n, text in enumerate(STRINGS[:9])))
    for number, team in enumerate(Team.objects.order_by("pk")):
        Team.objects.filter(pk=team.pk).update(track=f"t{number % 9}")
    Round.objects.update(board_version=models.F("board_version") + 1)


def populate() -> World:
    world = make_world()
    for number in range(len(STRINGS)):
        announce(world.round.contest, world.people["organiser"], f"News {number}", "text")
        make_entry(world.round, make_team(world.round.contest, f"Team {number}"))
    request_house_entry(world.round, world.people["organiser"], "swap")
    work_off(500)
    Entry.objects.filter(pk=world.draft.pk).update(
        problems=[
            {
                "file": "T.csv",
                "line": 3,
                "column": text,
                "code": "bad-cell",
                "got": text,
                "expected": text,
                "text": text,
            }
            for text in STRINGS
        ]
    )
    poison()
    return world


def starts(world: World) -> list[str]:
    base = "/contests/open-contest/"
    return [
        "/", base, f"{base}organise/", f"{base}practice/", f"{base}practice/matrix/",
        f"{base}practice/entries/{world.draft.pk}/", f"{base}practice/entries/{world.entry.pk}/",
        f"{base}practice/attacks/{world.dry_run.pk}/", f"{base}teams/{world.team.pk}/", "/tokens/",
        f"{base}practice/rules/", f"{base}practice/data/", "/login/?next=" + STRINGS[0],
        f"{base}practice/?page=" + STRINGS[4],
    ]  # fmt: skip


def organisers_pages(world: World) -> list[str]:
    """What the organiser's own page leads to."""
    page = world.browser("organiser").get("/contests/open-contest/organise/").content
    links = {link.decode() for link in LINK.findall(page)}
    return sorted(link for link in links if link.startswith("/contests/open-contest/organise/"))


def test_nothing_that_people_write_runs_in_a_browser(
    live_server: Any, strict_context: BrowserContext
) -> None:
    world = populate()
    run: list[str] = []
    strict_context.on("dialog", lambda dialog: (run.append(dialog.message), dialog.dismiss()))
    seen = 0
    page = strict_context.new_page()
    for role in ("owner", "organiser"):
        world.browser(role)
        strict_context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": world.sessions[role], "url": live_server.url}]
        )
        paths = starts(world) + (organisers_pages(world) if role == "organiser" else [])
        for path in paths:
            answer = page.goto(live_server.url + path, wait_until="load")
            assert answer is not None and answer.status < 500, path
            seen += page.content().count("alert(1)")
            planted = (
                "script:not([src]):not([type='application/json']), iframe, [onerror], [onload], [onfocus]"
            )
            assert page.locator(planted).count() == 0, path
            assert page.locator("a[href^='javascript' i]").count() == 0, path
    assert run == []
    # The strings were there to be seen, as text.
    assert seen > 10 * len(STRINGS)


def test_every_column_of_text_is_among_the_written() -> None:
    """A new text field has to be added above."""
    machine_made = {
        "sha256", "slug", "token", "hint", "password", "key", "time_zone", "kind", "state", "mark", "verb",
        "worker", "measure", "feedback", "preset", "email", "language", "what", "payload", "role", "ranking",
        "format", "salt", "hash", "track",
    }  # fmt: skip
    for model in WRITTEN:
        for field in model._meta.concrete_fields:
            if not isinstance(field, models.CharField | models.TextField) or field.choices:
                continue
            known = field.name in WRITTEN[model] or any(word in field.name for word in machine_made)
            assert known or (model, field.name) == (Attack, "name"), f"{model.__name__}.{field.name}"
