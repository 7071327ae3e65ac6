"""A board on a phone: what decides is in sight without scrolling sideways, in both languages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Locator, Page

from contest.models import Membership, Team, User
from tests.browser.visits import LOCALES
from tests.contest.test_game_pages import played_world
from tests.contest.test_leaderboard import fill_board
from tests.factories import make_round, make_user
from tests.game_rounds import TOYS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

WIDTH = 390
TITLES = {
    "en": ["Place", "Team", "Total", "Safety", "Found"],
    "ja": ["順位", "チーム", "総合", "安全性", "発見数"],
}


@contextmanager
def phone(browser: Browser, url: str, user: User, language: str) -> Iterator[Page]:
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context = browser.new_context(
        viewport={"width": WIDTH, "height": 844}, locale=LOCALES[language], reduced_motion="reduce"
    )
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
    try:
        yield context.new_page()
    finally:
        context.close()


def box(found: Locator) -> Any:
    shown = found.bounding_box()
    assert shown is not None, found
    return shown


def assert_in_sight(found: Locator) -> None:
    shown = box(found)
    assert shown["x"] >= 0 and shown["x"] + shown["width"] <= WIDTH, (found.inner_text(), shown)


def assert_columns(page: Page, table: str, n: int) -> list[str]:
    """The first columns are in sight in the head and in all rows, and none is as narrow as a letter."""
    heads = page.locator(f"{table} thead th")
    rows = page.locator(f"{table} tbody tr")
    for number in range(n):
        assert_in_sight(heads.nth(number))
        assert box(heads.nth(number))["width"] >= 28, heads.nth(number).inner_text()
    for row in range(min(rows.count(), 5)):
        for number in range(n):
            assert_in_sight(rows.nth(row).locator("> *").nth(number))
        assert box(rows.nth(row).locator("th"))["width"] >= 88, "names are not broken into letters"
    return [heads.nth(number).inner_text().strip(" ↑↓\n") for number in range(n)]


def assert_frame(page: Page) -> None:
    """The header is one line, every tab can be brought into sight, and nothing is wider than the phone."""
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert box(page.locator(".site-header"))["height"] < 60
    tops = {round(box(link)["y"]) for link in page.locator(".site-nav a").all() if link.is_visible()}
    assert len(tops) == 1, tops
    for link in [*page.locator(".tabs a").all(), *page.locator(".site-nav a").all()]:
        if link.is_visible():
            link.scroll_into_view_if_needed()
            assert_in_sight(link)


def test_five_columns_of_a_board_are_in_sight(live_server: Any, browser: Browser) -> None:
    round_ = make_round()
    fill_board(round_, 130)
    user = make_user("tanuki")
    team = Team.objects.get(name="Team 0012")
    Team.objects.filter(name="Team 0006").update(name="The raccoon dogs of Shikoku", name_key="dogs")
    Membership.objects.create(team=team, contest=round_.contest, user=user)
    for language, titles in TITLES.items():
        with phone(browser, live_server.url, user, language) as page:
            page.goto(f"{live_server.url}{round_.get_absolute_url()}", wait_until="load")
            assert_frame(page)
            assert assert_columns(page, "#board-table", 5) == titles
            strip = page.locator(".my-place")
            for row in (20, 60, 99):
                page.locator("#board-table tbody tr").nth(row).scroll_into_view_if_needed()
                shown = box(strip)
                assert 0 <= shown["y"] <= 844 - shown["height"], "one's own place stays in view"


def test_the_first_columns_of_a_games_board_are_in_sight(
    live_server: Any, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    world = played_world("skeleton", "full")
    user = world.people["haru"]
    assert user is not None
    for language in TITLES:
        with phone(browser, live_server.url, user, language) as page:
            page.goto(f"{live_server.url}{world.round.get_absolute_url()}", wait_until="load")
            assert_frame(page)
            declared = page.locator("#board-table thead th").count()
            titles = assert_columns(page, "#board-table", min(5, declared))
            assert titles[:2] == {"en": ["Place", "Name"], "ja": ["順位", "名前"]}[language]
