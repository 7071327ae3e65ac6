"""After refused files the summary is what one sees first, and where the keyboard is."""

from __future__ import annotations

import csv

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from contest.models import Round, Team
from tests.contest.test_problem_summary import two_hundred_wrong_quantities
from tests.factories import as_zip, entry_files, make_contest, make_round, make_team, work_off
from tests.services.test_odd_uploads import DATE, cells, each, rewritten, us_date, workbook

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PATIENCE = 90_000
LOOKS = pytest.mark.parametrize(
    ("language", "width", "scripts"),
    [("en", 1280, True), ("ja", 390, True), ("en", 390, False), ("ja", 1280, False)],
)


@pytest.fixture
def team() -> Team:
    return make_team(make_round(make_contest(slug="demo")).contest, "Neko House")


def open_page(
    browser: Browser,
    url: str,
    team: Team,
    language: str,
    width: int,
    scripts: bool,
    files: dict[str, bytes] | None = None,
) -> Page:
    files = files or two_hundred_wrong_quantities()
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
        "name": "entry.zip", "mimeType": "application/zip", "buffer": as_zip(files)
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


CAUSES = {
    "dates": (
        cells("T.csv", DATE, us_date),
        {"en": "dates as month/day/year", "ja": "月/日/年の日付"},
    ),
    "workbook": (
        each("M.csv", lambda raw: workbook()),
        {"en": "This is an Excel workbook", "ja": "Excel ブックです"},
    ),
    "swapped": (
        lambda files: {**files, "M.csv": files["T.csv"], "T.csv": files["M.csv"]},
        {"en": "This looks like T.csv", "ja": "これは T.csv のようで"},
    ),
}


@pytest.mark.parametrize("name", CAUSES)
@LOOKS
def test_the_cause_is_the_first_thing_to_read(
    live_server: LiveServer, browser: Browser, team: Team, language: str, width: int, scripts: bool, name: str
) -> None:
    change, words = CAUSES[name]
    files = change(dict(entry_files()))
    page = open_page(browser, live_server.url, team, language, width, scripts, files)
    page.locator("#check-only").click()
    cause = page.locator(".causes li").first
    expect(cause).to_contain_text(words[language], timeout=PATIENCE)
    expect(cause).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".problem-summary a[href='#upload-form']").click()
    expect(page.locator("#upload-form")).to_be_in_viewport()
    page.context.close()


@LOOKS
def test_an_odd_file_that_was_accepted_says_how_it_was_read(
    live_server: LiveServer, browser: Browser, team: Team, language: str, width: int, scripts: bool
) -> None:
    files = rewritten(quoting=csv.QUOTE_ALL)(dict(entry_files()))
    page = open_page(browser, live_server.url, team, language, width, scripts, files)
    page.locator("#check-only").click()
    words = {"en": "The cells are in quotes.", "ja": "セルが引用符で囲まれています。"}
    expect(page.locator(".note.reading")).to_contain_text(words[language], timeout=PATIENCE)
    page.context.close()


def test_dropped_files_find_their_fields_by_name_and_replace_nothing(
    live_server: LiveServer, browser: Browser, team: Team
) -> None:
    page = open_page(browser, live_server.url, team, "en", 1280, True)
    drop = """names => {
        const transfer = new DataTransfer();
        for (const name of names) transfer.items.add(new File(["1"], name));
        document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", {dataTransfer: transfer}));
    }"""
    page.evaluate(drop, ["master.csv", "transactions.csv", "truth.csv"])
    for field in ("master", "transactions", "truth"):
        chosen = page.locator(f"input[name={field}]").evaluate("input => input.files[0].name")
        assert chosen == f"{field}.csv"
    page.evaluate(drop, ["T.csv", "table.csv"])
    assert page.locator("input[name=transactions]").evaluate("input => input.files[0].name") == "T.csv"
    expect(page.locator("[data-upload-status]")).to_contain_text("table.csv")
    page.context.close()
