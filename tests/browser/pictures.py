"""`make pictures`: the README's pictures, docs/*.png, of the demo contest after all its jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from PIL import Image
from playwright.sync_api import Browser

from contest.models import Entry, User
from contest.pages.story import story_of
from contest.services.demo import play_on, seed_demo
from contest.work.season_demo import play_season
from games.formats.demo import SEASON
from tests.conftest import ROOT
from tests.factories import work_off

PLACE = ["demo", "practice"]
FINAL = [SEASON.slug, "final"]


@pytest.mark.browser
@pytest.mark.timeout(0)
@pytest.mark.django_db(transaction=True)
def test_take_the_pictures_of_the_readme(live_server: Any, browser: Browser) -> None:
    assert seed_demo()
    while play_on():
        work_off(2000)
    best = Entry.objects.filter(is_official=True, team__name="Neko").get()
    take(browser, live_server.url, "leaderboard", reverse("leaderboard", args=PLACE))
    take(browser, live_server.url, "matrix", reverse("matrix", args=PLACE))
    take(browser, live_server.url, "entry", reverse("entry", args=[*PLACE, best.pk]), "neko")
    contest, _is_new = play_season(SEASON, lambda text: None)
    final = next(step for step in story_of(contest) if step.path == reverse("leaderboard", args=FINAL))
    take(browser, live_server.url, "season", final.url)


def take(browser: Browser, url: str, name: str, path: str, user: str = "") -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme="light", locale="en-GB", reduced_motion="reduce"
    )
    if user:
        client = Client()
        client.force_login(User.objects.get(name_key=user))
        key = settings.SESSION_COOKIE_NAME
        context.add_cookies([{"name": key, "value": client.cookies[key].value, "url": url}])
    page = context.new_page()
    page.goto(f"{url}{path}", wait_until="load")
    picture = ROOT / "docs" / f"{name}.png"
    page.screenshot(path=picture, full_page=True)
    context.close()
    shrink(picture)


def shrink(path: Path) -> None:
    """Pages have few colours; a palette makes their pictures a third as large."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
