"""A newcomer without any file: from sign-up to a place on the board by clicks and typing alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from contest.models import Entry, TeamOrder
from tests.browser.test_first_visit import PATIENCE
from tests.factories import (
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)
from tests.services.installation import Processes

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

CLICKS = 9
"""Sign up; send it; the contest; create a team; send it; the house; the method; hand in; the board."""


class Newcomer:
    """A person who only clicks and types; the clicks are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def follow(self, name: str | re.Pattern[str]) -> None:
        self.click(self.page.get_by_role("link", name=name).first)

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def send(self, **fields: str) -> None:
        for label, text in fields.items():
            self.page.get_by_label(label.replace("_", " ")).fill(text)
        self.click(self.page.locator("main button[type=submit]"))


def test_a_first_place_without_any_file(live_server: Any, strict_context: BrowserContext) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="demo"))
    make_entry(round_, make_team(round_.contest, "Tanuki"), entry_files("swap", 5))
    work_off()
    page = strict_context.new_page()
    neko = Newcomer(page)
    with Processes() as processes:
        processes.start_worker()
        page.goto(live_server.url)
        neko.click(page.get_by_role("link", name="Sign up", exact=True))
        neko.send(**{"User_name": "Neko", "E-mail": "neko@example.org", "Password": "a quiet cat 9"})
        neko.follow("Hide and seek")
        neko.follow(re.compile("create a team"))
        neko.send(Public_name_of_the_team="Neko House")
        neko.follow("Hide them with a house method")
        page.get_by_label("Method", exact=True).select_option("swap")
        neko.press("Choose the method")
        expect(page.get_by_label("share")).to_have_value(re.compile(r"0\.\d+"))
        neko.press("Make it and hand it in")
        # From here on nothing reloads the page but the page itself, which leads to the entry.
        page.wait_for_url("**/entries/*/", timeout=PATIENCE)
        expect(page.locator(".figures dd").last).to_have_text(re.compile(r"\s*[12]\s*"), timeout=PATIENCE)
        expect(page.locator("main")).to_contain_text("only your team sees it")
        neko.click(page.locator(".figures dd a").last)
        expect(page.locator("table.board tr.mine")).to_contain_text("Neko House")
    assert neko.clicks == CLICKS
    order, entry = TeamOrder.objects.get(), Entry.objects.get(team__name="Neko House")
    assert (order.entry, entry.state, entry.is_official) == (entry, Entry.State.VALID, True)
