"""The whole life of a team in a browser, in both languages, wide and narrow, with scripts and without.

Sign-up → invitation → dry run → two uploads → pin → targets → guess zip → re-identifier → results. Things are
found by their role in the page (forms by where they go, links by what they load), never by their words.
"""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from attacks.sandbox import examine
from contest.models import Attack, AttackRun, Entry, Phase, Round, Team
from tests.conftest import missing
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

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

PATIENCE = 90_000
PASSWORD = "a quiet badger 9"
FIRST_ROW = b"""
import sys
original, entry, out = sys.argv[1:]
rows = sum(1 for _ in open(entry + "/M.csv"))
open(out, "w").write("1\\n" * rows)
"""


@dataclass
class Life:
    """One browser of one person, and the round that is played."""

    page: Page
    url: str
    round: Round
    language: str
    scripts: bool

    def go(self, path: str) -> None:
        self.page.goto(f"{self.url}{path}")
        expect(self.page.locator("html")).to_have_attribute("lang", self.language)
        if self.scripts:
            wide = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{path} is {wide} px wider than the window"

    def submit(self, form: str) -> None:
        self.page.locator(f"{form} button[type=submit]").first.click()

    def refresh(self) -> None:
        """Without scripts people reload; with them the page looks by itself."""
        if not self.scripts:
            self.page.reload()


@pytest.fixture
def round_() -> Round:
    found = examine("auto")
    if not found.ok:
        missing(f"sandbox absent: {found.how_to_mend}")
    now, day = timezone.now(), datetime.timedelta(days=1)
    kinds = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
    round_ = make_round(
        make_contest(make_user("oni"), slug="demo"),
        phases=[(kind, now - day, now + day) for kind in kinds],
        attacks=["re-totals"],
    )
    make_entry(round_, make_team(round_.contest, "Kitsune"), entry_files("swap", 5))
    work_off()
    return round_


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    opened: list[BrowserContext] = []
    yield opened
    for context in opened:
        context.close()


def sign_up(life: Life, name: str, following: str = "") -> None:
    life.go(f"/signup/?next={following}")
    life.page.locator("input[name=username]").fill(name)
    life.page.locator("input[name=email]").fill(f"{name}@example.org")
    life.page.locator("input[name=password]").fill(PASSWORD)
    life.submit("main form")
    expect(life.page.locator("form[action$='/logout/']")).to_be_attached()


def found_team(life: Life) -> str:
    """Make a team; returns the link that invites to it."""
    life.go("/contests/demo/teams/new/")
    life.page.locator("input[name=name]").fill("Anaguma")
    life.submit("main form")
    life.submit("form[action$='/teams/invite/']")
    link = life.page.locator("code.invitation").first.inner_text()
    life.page.reload()
    expect(life.page.locator("code.invitation")).to_have_count(0)
    return link.removeprefix(life.url)


def join(life: Life, link: str) -> None:
    sign_up(life, "friend", link)
    expect(life.page.locator("main form")).to_have_count(1)
    life.submit("main form")
    expect(life.page.locator("ul.members").first).to_contain_text("friend")


def choose(life: Life, files: dict[str, bytes]) -> None:
    archive = {"name": "entry.zip", "mimeType": "application/zip", "buffer": as_zip(files)}
    life.page.locator("form.upload input[name=archive]").set_input_files(archive)


def dry_run(life: Life) -> None:
    life.go(f"{life.round.get_absolute_url()}upload/")
    choose(life, {**entry_files(), "P.csv": b"1\n" * 12})
    life.page.locator("#check-only").click()
    expect(life.page.locator("#dry-run .problem-kinds .badge").first).to_be_visible(timeout=PATIENCE)
    expect(life.page.locator("#dry-run table.problems tbody tr")).to_have_count(11)
    choose(life, entry_files())
    life.page.locator("#check-only").click()
    expect(life.page.locator("#dry-run.good")).to_be_visible(timeout=PATIENCE)
    assert not Entry.objects.filter(team__name="Anaguma").exists()


def upload(life: Life, seed: int) -> Entry:
    life.go(f"{life.round.get_absolute_url()}upload/")
    choose(life, entry_files("swap", seed))
    life.page.locator("#hand-in").click()
    life.page.wait_for_url("**/entries/*/")
    work_off()
    life.refresh()
    expect(life.page.locator("#in-words li")).to_have_count(3, timeout=PATIENCE)
    expect(life.page.locator("p.counted strong")).to_have_text("Anaguma")
    return Entry.objects.filter(team__name="Anaguma").latest("pk")


def pin(life: Life, entry: Entry) -> None:
    life.go(Team.objects.get(name="Anaguma").get_absolute_url())
    life.submit(f"#entry-{entry.pk} form[action$='/pin/']")
    expect(life.page.locator("ul.messages")).to_be_visible()
    entry.refresh_from_db()
    assert entry.is_official
    assert entry.is_pinned


def target_of(life: Life) -> int:
    """Download the targets; returns the number of the only one."""
    life.go(f"{life.round.get_absolute_url()}seek/")
    with life.page.expect_download() as download:
        life.page.locator("a[href$='/targets.zip']").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        (target,) = {name.split("/")[0] for name in archive.namelist()}
    return int(target)


def guess(life: Life, target: int) -> None:
    n = Entry.objects.get(pk=target).n_people or 0
    guesses = as_zip({f"{target}.csv": b"".join(b"%d\n" % (row + 1) for row in range(n))})
    form = "form[action$='/seek/guesses/']"
    chosen = {"name": "guesses.zip", "mimeType": "application/zip", "buffer": guesses}
    life.page.locator(f"{form} input[type=file]").set_input_files(chosen)
    life.submit(form)
    judged(life, Attack.Kind.GUESS, target)


def attack_by_program(life: Life, target: int) -> None:
    life.go(f"{life.round.get_absolute_url()}seek/")
    form = "form[action$='/seek/program/']"
    chosen = {"name": "reidentify.py", "mimeType": "text/x-python", "buffer": FIRST_ROW}
    life.page.locator(f"{form} input[type=file]").set_input_files(chosen)
    life.page.locator(f"{form} input[name=dry_run]").uncheck()
    life.submit(form)
    judged(life, Attack.Kind.PROGRAM, target)


def judged(life: Life, kind: Attack.Kind, target: int) -> None:
    life.page.wait_for_url("**/attacks/*/")
    work_off()
    life.refresh()
    expect(life.page.locator("#attack tbody .badge.good")).to_have_count(1, timeout=PATIENCE)
    run = AttackRun.objects.get(attack__kind=kind, entry=target)
    assert run.state == AttackRun.State.DONE, run.reason
    expect(life.page.locator("#attack tbody td.num").first).to_have_text(str(run.hits))


def results(life: Life, entry: Entry) -> None:
    life.go(life.round.get_absolute_url())
    mine = life.page.locator("table.board tr.mine")
    expect(mine).to_contain_text(f"#{entry.number}")
    life.go(f"{life.round.get_absolute_url()}matrix/")
    expect(life.page.locator("main")).to_contain_text("Anaguma")


@pytest.mark.parametrize(
    ("language", "width", "scripts"),
    [("en", 1280, True), ("ja", 390, True), ("ja", 1280, True), ("en", 390, False)],
    ids=["en-1280", "ja-390", "ja-1280", "en-390-no-scripts"],
)
def test_a_team_from_its_first_day_to_its_results(
    live_server: LiveServer,
    browser: Browser,
    contexts: list[BrowserContext],
    round_: Round,
    language: str,
    width: int,
    scripts: bool,
) -> None:
    def person() -> Life:
        context = browser.new_context(
            locale={"en": "en-GB", "ja": "ja-JP"}[language],
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return Life(context.new_page(), live_server.url, round_, language, scripts)

    captain, friend = person(), person()
    sign_up(captain, "captain")
    join(friend, found_team(captain))
    dry_run(captain)
    first = upload(captain, 6)
    upload(friend, 7)
    pin(friend, first)
    target = target_of(captain)
    guess(captain, target)
    attack_by_program(captain, target)
    results(captain, first)
