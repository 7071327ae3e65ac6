"""A reveal in two browsers: an organiser's step appears on a viewer's page by itself, on a phone too."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, expect

from contest.models import User
from tests.browser.visits import LOCALES
from tests.reveal_rounds import SINCE, Frozen, let_results_begin, make_frozen

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

SIZES = [(1280, 800, "en"), (390, 844, "ja")]
NOTE = {"en": "Frozen since", "ja": "凍結時刻"}


@pytest.fixture
def waiting(transactional_db: None) -> Frozen:
    frozen = make_frozen(reveal_in_steps=True)
    let_results_begin(frozen)
    frozen.judge(SINCE)
    return frozen


def window(
    browser: Browser, url: str, size: tuple[int, int, str], user: User | None = None
) -> BrowserContext:
    width, height, language = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale=LOCALES[language], reduced_motion="reduce"
    )
    if user is not None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
    return context


def picture(page: Any, name: str) -> None:
    folder = os.environ.get("KAKURENBO_PICTURES")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def assert_fits(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_an_organisers_step_appears_on_a_viewers_page(
    browser: Browser, live_server: Any, waiting: Frozen, size: tuple[int, int, str]
) -> None:
    address = f"{live_server.url}{waiting.address}"
    with (
        window(browser, live_server.url, size, waiting.organiser) as leading,
        window(browser, live_server.url, size) as watching,
    ):
        leader, viewer = leading.new_page(), watching.new_page()
        viewer.goto(address)
        expect(viewer.locator(".still").first).to_contain_text(NOTE[size[2]])
        assert_fits(viewer)
        picture(viewer, f"frozen-{size[0]}")
        leader.goto(f"{address}reveal/")
        assert_fits(leader)
        leader.locator('[name="act"][value="start"]').click()
        expect(leader.locator('[data-key="ArrowRight"]')).to_be_visible()
        picture(leader, f"reveal-leader-{size[0]}")
        viewer.goto(f"{address}reveal/")
        expect(viewer.locator(".reveal-places")).to_have_count(0)
        leader.keyboard.press("ArrowRight")
        expect(viewer.locator(".reveal-places tbody tr")).to_have_count(1, timeout=20_000)
        expect(viewer.locator(".reveal-places")).to_contain_text("Tanuki")
        assert "Tengu" not in viewer.content()
        assert_fits(viewer)
        picture(viewer, f"reveal-viewer-{size[0]}")
        expect(leader.locator('[data-key="ArrowLeft"]')).to_be_enabled()
        leader.keyboard.press("ArrowLeft")
        expect(viewer.locator(".reveal-places")).to_have_count(0, timeout=20_000)
        leader.goto(f"{address}reveal/screen/")
        for shown in range(3):
            expect(leader.locator('[name="seen"]')).to_have_value(str(shown))
            leader.locator('[data-key="ArrowRight"]').click()
        expect(leader.locator('[name="seen"]')).to_have_value("3")
        expect(viewer.locator(".podium .step")).to_have_count(3, timeout=20_000)
        picture(leader, f"reveal-screen-{size[0]}")
        picture(viewer, f"reveal-podium-{size[0]}")
