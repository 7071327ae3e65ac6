"""An organiser in a real browser: from a preset to published results, with the repairs in between."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from contest.models import AuditEvent, Contest, Entry, Phase, Round
from contest.services.phase_clock import run_clock
from contest.services.standings_history import record_standings
from games.shop.data.generate import generate
from tests.factories import PASSWORD, entry_files, make_entry, make_team, make_user, work_off

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

CUSTOMERS, SEED = 20, 5


def log_in(page: Page, url: str) -> None:
    page.goto(f"{url}/login/")
    page.get_by_label("User name").fill("oni")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main button[type=submit]").click()


def make_contest(page: Page, url: str) -> Contest:
    page.goto(url)
    page.get_by_role("link", name="New contest").click()
    page.get_by_role("link", name="Begin · PWSCUP 2016").click()
    page.get_by_label("Title").fill("Autumn hide and seek")
    page.get_by_label("Address").fill("autumn")
    tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
    page.get_by_label("The first phase begins").fill(tomorrow.strftime("%Y-%m-%dT%H:%M:%S"))
    page.get_by_label("Generate: invented purchases").check()
    page.locator("input[name=customers]").fill(str(CUSTOMERS))
    page.get_by_label("Seed of the data").fill(str(SEED))
    page.get_by_role("button", name="Make the contest").click()
    expect(page.locator("main")).to_contain_text("only organisers see the contest")
    return Contest.objects.get(slug="autumn")


def make_it_public(page: Page) -> None:
    tab(page, "Settings")
    page.get_by_role("link", name="Change · Autumn hide and seek").click()
    page.get_by_label("Everybody sees the contest").check()
    page.get_by_label("Reason").fill("we begin")
    page.get_by_role("button", name="Show what would follow").click()
    expect(page.locator(".note.warning")).to_contain_text("Everybody sees the contest from now on.")
    page.get_by_role("button", name="Save these changes").click()
    expect(page.locator("main")).to_contain_text("Saved.")


def tab(page: Page, name: str) -> None:
    page.get_by_label("Organise", exact=True).get_by_role("link", name=name, exact=True).click()
    expect(page.locator("nav.tabs [aria-current=page]")).to_have_text(name)


def add_round(page: Page, contest: Contest) -> None:
    """Add a round like the final one with a phase more, then take it away again."""
    tab(page, "Settings")
    page.get_by_role("link", name="Add a round", exact=True).click()
    page.get_by_label("Like").select_option("round/final")
    page.get_by_label("Name").fill("Rematch")
    page.get_by_label("Address").fill("rematch")
    starts = datetime.datetime.now(contest.zone) + datetime.timedelta(days=200)
    page.get_by_label("The first phase begins").fill(starts.strftime("%Y-%m-%dT%H:%M:%S"))
    page.get_by_label("Reason").fill("once more")
    page.get_by_role("button", name="Show what would follow").click()
    expect(page.locator(".note.warning")).to_contain_text(starts.strftime("%Y-%m-%d %H:%M"))
    page.get_by_role("button", name="Add this round").click()
    expect(page.locator("main")).to_contain_text("organisers only, until it begins")
    tab(page, "Timeline")
    details = page.locator("details", has_text="Add a phase: Rematch")
    details.locator("summary").click()
    details.get_by_label("Phase").select_option("registration")
    for label, days in (("Start", 2), ("End", 1)):
        moment = starts - datetime.timedelta(days=days)
        details.get_by_label(label).fill(moment.strftime("%Y-%m-%dT%H:%M:%S"))
    details.get_by_label("Reason").fill("sign up first")
    details.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".messages")).to_contain_text("Done")
    assert Phase.objects.filter(round__slug="rematch").count() == 5
    tab(page, "Settings")
    page.get_by_role("link", name="Remove · Rematch").click()
    page.get_by_label("Reason").fill("no hall")
    page.get_by_role("button", name="Show what would follow").click()
    expect(page.locator(".note.warning")).to_contain_text("5 phases go with it.")
    page.get_by_role("button", name="Remove this round").click()
    expect(page.locator("main")).to_contain_text("Saved.")
    assert not Round.objects.filter(slug="rematch").exists()


def act_on_phase(page: Page, kind: str, act: str, button: str, reason: str, **fields: str) -> None:
    tab(page, "Timeline")
    words = re.compile(rf"{act}\s*: Practice, {kind}")
    details = page.locator("details", has=page.locator("summary", has_text=words))
    details.locator("summary").click()
    for label, value in fields.items():
        details.get_by_label(label.replace("_", " ")).fill(value)
    details.get_by_label("Reason").fill(reason)
    details.get_by_role("button", name=button).click()
    expect(page.locator(".messages")).to_contain_text("Done")
    run_clock()


def open_and_extend(page: Page, round_: Round) -> None:
    act_on_phase(page, "Anonymise", "Open now", "Open now", "everybody is here")
    phase = Phase.objects.get(round=round_, kind=Phase.Kind.ANONYMISE)
    assert phase.opened_at is not None
    later = phase.ends_at + datetime.timedelta(days=2)
    local = later.astimezone(round_.contest.zone).strftime("%Y-%m-%dT%H:%M:%S")
    act_on_phase(page, "Anonymise", "Extend", "Save", "a holiday", New_end=local)
    phase.refresh_from_db()
    assert phase.ends_at == later.replace(microsecond=0)


def add_house_entry(page: Page) -> None:
    tab(page, "House")
    page.get_by_label("Method").select_option("swap")
    page.get_by_role("button", name="Choose its parameters").click()
    page.get_by_label("Round").select_option(index=0)
    page.locator("input[name=set_share]").fill("0.05")
    page.get_by_role("button", name="Make the entry").click()
    expect(page.locator(".messages")).to_contain_text("A worker makes the entry")
    work_off()
    page.reload()
    expect(page.locator("main")).to_contain_text("House · swap (share=0.05) #1")


def void_entry(page: Page, entry: Entry) -> None:
    tab(page, "Entries")
    page.get_by_label(str(entry), exact=True).check()
    page.get_by_label("What to do").select_option("void")
    page.get_by_label("Reason").fill("made from another data set")
    page.get_by_role("button", name="Do it").click()
    expect(page.locator(".messages")).to_contain_text("1 entry is changed.")
    row = page.locator("tr", has_text=str(entry))
    expect(row).to_contain_text("void")
    expect(row).to_contain_text("made from another data set")


def rescore(page: Page, round_: Round) -> None:
    """Halve a limit that somebody uses: what the preview says is what comes."""
    used = max(entry.measures["ut-jaccard"] for entry in Entry.objects.filter(round=round_, state="valid"))
    assert used > 0
    tab(page, "Limits")
    page.get_by_role("link", name="Change the limits · Practice").click()
    page.locator("input[name='limit_ut-jaccard']").fill(f"{used / 2:.6f}")
    page.get_by_label("Reason").fill("too lenient")
    page.get_by_role("button", name="Show what would change").click()
    invalid = page.locator(".figures div", has_text="become invalid").locator("dd")
    expect(invalid).to_have_text(re.compile(r"\s*[1-9]\d*\s*"))
    said = int(invalid.inner_text())
    before = Entry.objects.filter(round=round_, state="invalid").count()
    page.get_by_role("button", name="Apply all of it").click()
    expect(page.locator(".messages")).to_contain_text("Applied")
    assert Entry.objects.filter(round=round_, state="invalid").count() == before + said


def publish(page: Page) -> None:
    act_on_phase(page, "Attack", "Open now", "Open now", "let us seek")
    act_on_phase(page, "Anonymise", "Close now", "Close now", "all are in")
    act_on_phase(page, "Attack", "Close now", "Close now", "enough")
    work_off()
    run_clock()
    page.reload()
    page.get_by_role("button", name="Publish the results").click()
    expect(page.locator(".messages")).to_contain_text("The results are public.")
    run_clock()


def test_an_organiser_runs_a_contest_from_a_preset_to_its_results(
    live_server: Any, strict_context: BrowserContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With seeds drawn in secret, which house entries are valid would be a matter of luck.
    monkeypatch.setattr("contest.services.house.secret_seed", lambda: 1)
    make_user("oni", is_staff=True)
    page = strict_context.new_page()
    log_in(page, live_server.url)
    contest = make_contest(page, live_server.url)
    round_ = Round.objects.select_related("contest").get(contest=contest, slug="practice")
    make_it_public(page)
    add_round(page, contest)
    open_and_extend(page, round_)
    team = make_team(contest, "Tanuki")
    data = generate(CUSTOMERS, SEED)
    entry = make_entry(round_, team, entry_files("shuffle", 3, data))
    work_off()
    add_house_entry(page)
    void_entry(page, entry)
    rescore(page, round_)
    record_standings()
    publish(page)
    round_.refresh_from_db()
    assert round_.revealed_at is not None
    visitor = strict_context.browser.new_context().new_page() if strict_context.browser else page
    visitor.goto(f"{live_server.url}{round_.get_absolute_url()}")
    expect(visitor.locator("table.board")).to_contain_text("House · identity")
    expect(visitor.locator("table.board")).not_to_contain_text("Tanuki")
    visitor.context.close()
    reasons = set(AuditEvent.objects.filter(contest=contest, actor__username="oni").values_list("reason"))
    told = {"we begin", "everybody is here", "a holiday", "made from another data set", "too lenient"}
    told |= {"once more", "sign up first", "no hall"}
    assert {(reason,) for reason in told} <= reasons
