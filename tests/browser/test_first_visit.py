"""A newcomer in a real browser: signs up, makes a team, uploads a broken and a good entry, is ranked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from contest.models import Entry
from tests.factories import (
    as_zip,
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

PATIENCE = 90_000


def sign_up(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("link", name="Sign up", exact=True).click()
    page.get_by_label("User name").fill("Neko")
    page.get_by_label("E-mail").fill("neko@example.org")
    page.get_by_label("Password").fill("a quiet cat 9")
    page.locator("main button[type=submit]").click()


def make_the_team(page: Page) -> None:
    page.get_by_role("link", name="Hide and seek").first.click()
    page.get_by_role("link", name=re.compile("create a team")).click()
    page.get_by_label("Public name of the team").fill("Neko House")
    page.locator("main button[type=submit]").click()
    expect(page.get_by_role("heading", name="Neko House")).to_be_visible()


def broken_files() -> dict[str, bytes]:
    files = dict(entry_files())
    lines = files["T.csv"].split(b"\n")
    lines[41] += b",1"
    return {**files, "T.csv": b"\n".join(lines)}


def test_from_the_front_page_to_a_place_on_the_board(
    live_server: Any, strict_context: BrowserContext
) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="demo"))
    make_entry(round_, make_team(round_.contest, "Tanuki"), entry_files("swap", 5))
    work_off()
    page = strict_context.new_page()
    with Processes() as processes:
        processes.start_worker()
        sign_up(page, live_server.url)
        make_the_team(page)

        page.get_by_role("link", name=re.compile("^Upload")).first.click()
        files = broken_files()
        for field, name in (("master", "M.csv"), ("transactions", "T.csv"), ("truth", "P.csv")):
            upload = {"name": name, "mimeType": "text/csv", "buffer": files[name]}
            page.locator(f"input[name={field}]").set_input_files(upload)
        page.get_by_role("button", name="Hand in").click()
        page.wait_for_url("**/entries/*/")
        # From here on nothing reloads the page but the page itself.
        kind = page.locator(".problem-kinds > li")
        expect(kind).to_have_count(1, timeout=PATIENCE)
        expect(kind.locator("h3")).to_contain_text("T.csv")
        expect(kind.locator(".places li")).to_contain_text("line 42")
        expect(page.locator("main")).to_contain_text("It used no attempt")

        page.goto(f"{live_server.url}{round_.get_absolute_url()}upload/")
        archive = {
            "name": "entry.zip",
            "mimeType": "application/zip",
            "buffer": as_zip(entry_files("swap", 6)),
        }
        page.locator("input[name=archive]").set_input_files(archive)
        page.get_by_role("button", name="Hand in").click()
        page.wait_for_url("**/entries/*/")
        expect(page.locator(".figures")).to_contain_text("Place", timeout=PATIENCE)
        expect(page.locator(".figures dd").last).to_have_text(re.compile(r"\s*[12]\s*"), timeout=PATIENCE)
        expect(page.locator("main")).to_contain_text("Scored as team Neko House")
        expect(page.locator("table.scores tbody tr")).to_have_count(4)

        page.locator(".figures dd a").last.click()
        mine = page.locator("table.board tr.mine")
        expect(mine).to_contain_text("Neko House")
    entry = Entry.objects.get(team__name="Neko House", number=2)
    assert entry.state == Entry.State.VALID
    assert entry.is_official


def test_the_board_of_a_viewer_changes_by_itself(live_server: Any, strict_context: BrowserContext) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="demo"))
    page = strict_context.new_page()
    page.goto(f"{live_server.url}{round_.get_absolute_url()}")
    expect(page.locator("main")).to_contain_text("Nobody has hidden yet")
    make_entry(round_, make_team(round_.contest, "Tanuki"))
    work_off()
    expect(page.locator("table.board")).to_contain_text("Tanuki", timeout=PATIENCE)


def test_a_dropped_zip_fills_the_form(live_server: Any, strict_context: BrowserContext) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="demo"))
    captain = make_user("tanuki")
    make_team(round_.contest, "Tanuki", captain)
    page = strict_context.new_page()
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("User name").fill("tanuki")
    page.get_by_label("Password").fill("correct horse battery")
    page.locator("main button[type=submit]").click()
    page.goto(f"{live_server.url}{round_.get_absolute_url()}upload/")
    expect(page.locator("[data-drop]")).to_be_visible()
    page.evaluate(
        """() => {
            const bag = new DataTransfer();
            bag.items.add(new File(["PK"], "entry.zip", {type: "application/zip"}));
            document.querySelector("[data-drop]").dispatchEvent(
                new DragEvent("drop", {dataTransfer: bag, bubbles: true, cancelable: true}));
        }"""
    )
    assert page.evaluate("document.querySelector('input[name=archive]').files[0].name") == "entry.zip"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_team_can_upload_without_javascript(live_server: Any, browser: Any, width: int) -> None:
    round_ = make_round(make_contest(make_user("oni"), slug="demo"))
    make_team(round_.contest, "Tanuki", make_user("tanuki"))
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("User name").fill("tanuki")
    page.get_by_label("Password").fill("correct horse battery")
    page.locator("main button[type=submit]").click()
    page.goto(f"{live_server.url}{round_.get_absolute_url()}upload/")
    archive = {"name": "e.zip", "mimeType": "application/zip", "buffer": as_zip(entry_files())}
    page.locator("input[name=archive]").set_input_files(archive)
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_url("**/entries/*/")
    work_off()
    page.reload()
    expect(page.locator("main")).to_contain_text("Scored as team Tanuki")
    context.close()
