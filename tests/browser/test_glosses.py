"""A term explains itself to a mouse, a keyboard and a finger, and in a browser that runs no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from tests.factories import make_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

BUTTON = "button[popovertarget='gloss-house']"
TEXT = "[id='gloss-house']"
INSIDE = """box => {
    const {left, right, top, bottom} = box.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
}"""


@contextmanager
def board(browser: Browser, url: str, **options: Any) -> Iterator[Tab]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    tab = context.new_page()
    tab.goto(url)
    expect(tab.locator(TEXT)).to_be_hidden()
    try:
        yield tab
    finally:
        context.close()


@pytest.fixture
def url(live_server: Any) -> str:
    return f"{live_server.url}{make_round().get_absolute_url()}"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_mouse_and_a_keyboard_get_the_explanation(browser: Browser, url: str, scripts: bool) -> None:
    with board(browser, url, java_script_enabled=scripts) as tab:
        tab.hover(BUTTON)
        expect(tab.locator(TEXT)).to_be_visible()
        tab.mouse.move(0, 0)
        expect(tab.locator(TEXT)).to_be_hidden()
        tab.focus("button[popovertarget='gloss-attack']")
        tab.keyboard.press("Tab")
        expect(tab.locator(BUTTON)).to_be_focused()
        expect(tab.locator(TEXT)).to_be_visible()
        tab.keyboard.press("Tab")
        expect(tab.locator(TEXT)).to_be_hidden()


def test_escape_sends_the_explanation_away_and_the_next_visit_brings_it_back(
    browser: Browser, url: str
) -> None:
    with board(browser, url) as tab:
        for _visit in range(2):
            tab.hover(BUTTON)
            expect(tab.locator(TEXT)).to_be_visible()
            tab.keyboard.press("Escape")
            expect(tab.locator(TEXT)).to_be_hidden()
            tab.mouse.move(0, 0)


@pytest.mark.parametrize("language", ["en-GB", "ja-JP"])
@pytest.mark.parametrize("scripts", [True, False])
def test_a_finger_opens_and_closes_the_explanation_inside_a_narrow_window(
    browser: Browser, url: str, scripts: bool, language: str
) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    with board(browser, url, **phone, java_script_enabled=scripts, locale=language) as tab:
        tab.tap(BUTTON)
        expect(tab.locator(TEXT)).to_be_visible()
        assert tab.locator(TEXT).evaluate(INSIDE)
        tab.tap("h1")
        expect(tab.locator(TEXT)).to_be_hidden()
