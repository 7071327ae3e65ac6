"""Odd uploads through the page: of each, the first sentence that the team reads is what it needs to know."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from contest.models import Round, Team
from tests.browser.test_refused_upload import PATIENCE, open_page
from tests.factories import as_zip, entry_files, make_contest, make_round, make_team, small_data
from tests.services.test_odd_uploads import ACCEPTED, REFUSED

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

FINAL = small_data(20, seed=9)
SAID = {
    "others-ignored": "The archive holds 1 other files, which were ignored: ",
    "other-name": "master.csv was read as M.csv.",
    "quoted-cells": "The cells are in quotes. They were read without them.",
    "other-separator": "They were read as if by commas.",
    "header-row": "The first line names the columns. It was left out.",
}


@pytest.fixture
def team() -> Team:
    return make_team(make_round(make_contest(slug="demo")).contest, "Neko House")


def check(page: Page, address: str, files: dict[str, bytes]) -> None:
    """Choose an archive on the upload page and have it checked."""
    page.goto(address)
    archive = {"name": "entry.zip", "mimeType": "application/zip", "buffer": as_zip(files)}
    page.locator("form.upload input[name=archive]").set_input_files(archive)
    page.locator("#check-only").click()
    page.locator("#dry-run").wait_for(timeout=PATIENCE)


def test_each_of_many_odd_uploads_is_answered_by_what_it_is(
    live_server: LiveServer, browser: Browser, team: Team
) -> None:
    assert len(ACCEPTED) + len(REFUSED) >= 40
    page = open_page(browser, live_server.url, team, "en", 1280, True)
    address = page.url
    for name, (change, notes) in ACCEPTED.items():
        cache.delete(f"dry-run-{team.pk}")
        check(page, address, change(dict(entry_files())))
        expect(page.locator("#dry-run"), name).to_contain_text("The files are well formed.")
        for code in notes:
            expect(page.locator(".note.reading"), name).to_contain_text(SAID[code])
        if not notes:
            expect(page.locator(".note.reading"), name).to_have_count(0)
    for name, (change, _code, words) in REFUSED.items():
        cache.delete(f"dry-run-{team.pk}")
        check(page, address, change(dict(entry_files())))
        expect(page.locator("#problems-title"), name).to_be_focused()
        first = page.locator(".causes li").first
        expect(first, name).to_contain_text(words)
        expect(first, name).to_be_in_viewport()
        assert page.locator(".problem-kinds > li").count() <= 20, name
        expect(page.locator("#upload-form"), name).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "These files fit the round “Final”, not this one."),
        ("ja", "これらのファイルはこのラウンドではなく、ラウンド「Final」に合っています。"),
    ],
)
def test_files_of_another_round_are_told_which_one(
    live_server: LiveServer, browser: Browser, team: Team, language: str, words: str
) -> None:
    page = open_page(browser, live_server.url, team, language, 390, True)
    address = page.url
    make_round(Round.objects.get().contest, data=FINAL, slug="final", name="Final")
    check(page, address, dict(entry_files(data=FINAL)))
    expect(page.locator(".causes li").first).to_contain_text(words)
    page.context.close()
