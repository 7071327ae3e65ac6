"""Pictures of the pages of a round that is played by a game, in both languages and two widths.

Run this file with pytest; the pictures are in var/screenshots/games. KAKURENBO_GAME chooses the toy.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser

from contest.models import Attack, Entry
from tests.browser.visits import LOCALES
from tests.conftest import ROOT
from tests.contest.test_game_pages import played_world
from tests.game_rounds import TOYS

OUT = ROOT / "var" / "screenshots" / "games"


@pytest.mark.browser
@pytest.mark.timeout(0)
@pytest.mark.django_db(transaction=True)
def test_take_screenshots(live_server: Any, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    name = os.environ.get("KAKURENBO_GAME", "skeleton")
    world = played_world(name, "full")
    place = [world.round.contest.slug, world.round.slug]
    entry = Entry.objects.filter(round=world.round, team=world.teams["haru"]).first()
    sent = Attack.objects.get(round=world.round, team=world.teams["haru"])
    paths = {
        page: reverse(page, args=place) for page in ("dataset", "upload", "seek", "leaderboard", "matrix")
    }
    paths |= {page: reverse(page, args=place) for page in ("rules", "game_methods")}
    paths["attack"] = sent.get_absolute_url()
    paths["team"] = world.teams["haru"].get_absolute_url()
    if entry is not None:
        made = {"program_sha256": "0" * 64, "made_sha256": "0" * 64, "program_log": "release.csv 8 rows\n"}
        Entry.objects.filter(pk=entry.pk).update(**made)
        paths["entry"] = entry.get_absolute_url()
    client = Client()
    user = world.people["haru"]
    assert user is not None
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    OUT.mkdir(parents=True, exist_ok=True)
    for language, width in (("en", 1280), ("ja", 390), ("ja", 1280), ("en", 390)):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, locale=LOCALES[language], reduced_motion="reduce"
        )
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
        tab = context.new_page()
        for page, path in paths.items():
            tab.goto(f"{live_server.url}{path}", wait_until="load")
            wide = tab.evaluate("document.documentElement.scrollWidth")
            print(page, language, width, wide, flush=True)
            tab.screenshot(path=OUT / f"{name}-{page}-{language}-{width}.png", full_page=True)
        context.close()
