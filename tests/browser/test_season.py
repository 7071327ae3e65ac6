"""A visitor steps through a whole season in a real browser, in both languages: each sentence is true of the
page under it."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import override
from playwright.sync_api import Browser, Page, expect

from contest.pages.story import StoryStep, story_of
from contest.work.season_demo import play_season
from games.formats.demo import SEASON
from tests.browser.visits import LOCALES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(3600),
]

BEGIN = {"en": "Start the story", "ja": "物語を始める"}


def test_the_season_can_be_stepped_through_in_both_languages(live_server: Any, browser: Browser) -> None:
    contest, _is_new = play_season(SEASON, lambda text: None)
    for language, begin in BEGIN.items():
        with override(language):
            steps = story_of(contest)
        assert len(steps) == len(SEASON.chapters)
        # The story works without scripts, so nothing on the way may need one.
        context = browser.new_context(locale=LOCALES[language], java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{live_server.url}{contest.get_absolute_url()}story/")
        page.get_by_role("link", name=begin).click()
        for step in steps:
            look(page, step)
            page.locator(".story-bar [rel=next]").click()
        expect(page.get_by_role("link", name=begin)).to_be_visible()
        context.close()


def look(page: Page, step: StoryStep) -> None:
    """The browser is on the page of the step; its bar says the sentence, and the page shows every figure."""
    assert page.url.endswith(step.url)
    expect(page.locator(".story-sentence")).to_have_text(step.words)
    shown = " ".join((page.locator("main").text_content() or "").split())
    for figure in step.figures:
        assert figure in shown, (step.title, figure)
