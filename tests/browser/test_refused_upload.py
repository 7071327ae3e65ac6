"""After refused files the summary is what one sees first, and where the keyboard is."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from contest.models import Round, Team
from tests.contest.test_problem_summary import two_hundred_wrong_quantities
from tests.factories import as_zip, make_contest, make_round, make_team, work_off

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PATIENCE = 90_000
LOOKS = pytest.mark.parametrize(
    ("language", "width", "scripts"),
    [("en", 1280, True), ("ja", 390, True), ("en", 390, False), ("ja", 1280, False)],
)


@pytest.fixture
def team() -> Team:
    return make_team(make_round(make_contest(slug="demo")).contest, "Neko House")


def open_page(browser: Browser, url: str, team: Team, language: str, width: int, scripts: bool) -> Page:
    context = browser.new_context(
        locale={"en": "en-GB", "ja": "ja-JP"}[language],
        viewport={"width": width, "height": 900},
        java_script_enabled=scripts,
    )
    context.set_default_timeout(PATIENCE)
    client = Client()
    client.force_login(team.memberships.get().user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
    page = context.new_page()
    page.goto(f"{url}{Round.objects.get().get_absolute_url()}upload/")
    archive = {
        "name": "entry.zip", "mimeType": "application/zip", "buffer": as_zip(two_hundred_wrong_quantities())
    }  # fmt: skip
    page.locator("form.upload input[name=archive]").set_input_files(archive)
    return page


def assert_summary_comes_first(page: Page) -> None:
    heading = page.locator("#problems-title")
    expect(heading).to_be_visible(timeout=PATIENCE)
    expect(heading).to_be_focused(timeout=PATIENCE)
    expect(heading).to_be_in_viewport()
    expect(page.locator(".problem-kinds li").first).to_be_in_viewport()
    place = heading.bounding_box()
    assert place is not None
    assert place["y"] < 600, "the heading is in the upper part of the window"
    listed = page.locator("table.problems tbody tr").first
    expect(listed).to_be_hidden()
    page.locator("details.every-problem > summary").click()
    expect(listed).to_be_visible()


@LOOKS
def test_a_free_check_ends_at_the_summary(
    live_server: LiveServer, browser: Browser, team: Team, language: str, width: int, scripts: bool
) -> None:
    page = open_page(browser, live_server.url, team, language, width, scripts)
    page.locator("#check-only").click()
    assert_summary_comes_first(page)
    if scripts:
        # The page keeps what was chosen. A browser heeds `autofocus` once a page, so here the script has to.
        page.locator("#check-only").click()
        assert_summary_comes_first(page)
    page.context.close()


@LOOKS
def test_a_refused_entry_ends_at_the_summary(
    live_server: LiveServer, browser: Browser, team: Team, language: str, width: int, scripts: bool
) -> None:
    page = open_page(browser, live_server.url, team, language, width, scripts)
    page.locator("#hand-in").click()
    page.wait_for_url("**/entries/*/")
    work_off()
    if not scripts:
        page.reload()
    assert_summary_comes_first(page)
    page.context.close()
