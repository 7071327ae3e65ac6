"""An organiser in a real browser, in each language: from the zip of a game to its second version in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from contest.models import Contest, Round, StoredBoard
from tests.attacks.sandbox.conftest import sandbox as sandbox_fixture
from tests.factories import PASSWORD, make_entry, make_team, make_user, work_off
from tests.game_versions import EXACT, NEAR, PEOPLE, mini, version_2

sandbox = sandbox_fixture
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@dataclass(frozen=True)
class Words:
    """What the buttons and links are called."""

    language: str
    upload: str
    make_contest: str
    games: str
    title: str
    address: str
    summary: str
    game: str
    red: str
    green: str
    not_tried: str
    add_round: str
    round_name: str
    round_address: str
    add_this_round: str
    ready: str
    try_it: str
    reason: str
    make_live: str
    changes: str
    wrong: str


ENGLISH = Words(
    "en", "Upload a game", "Make the contest", "Games", "Title", "Address", "Summary", "Game", "red", "green",
    "not tried", "Add a round", "Name of the round", "Address of the round", "Add this round",
    "its data are ready", "Try it on First", "Reason", "Make it live", "another version of the game",
    "got 1.0, expected 2",
)  # fmt: skip
JAPANESE = Words(
    "ja", "ゲームをアップロード", "コンテストを作る", "ゲーム", "タイトル", "アドレス", "概要",
    "ゲーム", "失敗", "成功", "未実施", "ラウンドを追加", "ラウンドの名前", "ラウンドのアドレス",
    "このラウンドを追加する", "データの準備完了", "First で試す", "理由", "適用する",
    "ゲームの別の版が適用され", "結果は 1.0、期待されるのは 2",
)  # fmt: skip


def log_in(page: Page, url: str) -> None:
    page.goto(f"{url}/login/")
    page.locator("input[name=username]").fill("oni")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button[type=submit]").click()


def zip_file(content: bytes) -> Any:
    return {"name": "mini.zip", "mimeType": "application/zip", "buffer": content}


def make_contest(page: Page, url: str, words: Words, game: bytes) -> Contest:
    """Begin with a game whose example does not come out."""
    page.goto(f"{url}/new/")
    page.get_by_role("link", name=words.upload, exact=True).click()
    page.get_by_label(words.title, exact=True).fill("How old?")
    page.get_by_label(words.address, exact=True).fill("ages")
    page.get_by_label(words.summary, exact=True).fill("Guess the ages.")
    page.get_by_label(words.game, exact=True).set_input_files(zip_file(game))
    page.get_by_role("button", name=words.make_contest).click()
    expect(page.locator("nav.tabs [aria-current=page]")).to_have_text(words.games)
    return Contest.objects.get()


def upload(page: Page, url: str, words: Words, game: bytes) -> None:
    page.goto(f"{url}/contests/ages/organise/games/")
    page.get_by_label(words.game, exact=True).set_input_files(zip_file(game))
    page.get_by_role("button", name=words.upload).click()
    work_off()
    page.reload()


def row_of(page: Page, name: str) -> Any:
    return page.locator("table.findings tr", has_text=name)


def open_round(page: Page, words: Words) -> Round:
    page.get_by_role("link", name=words.add_round).click()
    page.get_by_label(words.round_name).fill("First")
    page.get_by_label(words.round_address).fill("first")
    people = {"name": "people.csv", "mimeType": "text/csv", "buffer": PEOPLE}
    page.get_by_label("people.csv").set_input_files(people)  # type: ignore[arg-type]
    page.get_by_role("button", name=words.add_this_round).click()
    expect(page.locator(".messages")).to_be_visible()
    work_off()
    page.reload()
    expect(page.locator("main")).to_contain_text(words.ready)
    return Round.objects.select_related("contest", "game", "dataset").get()


def play(round_: Round) -> None:
    for name, files in (("Aki", EXACT), ("Haru", NEAR)):
        team = make_team(round_.contest, name)
        work_off()
        make_entry(round_, team, files)
    work_off()


def places(round_: Round) -> dict[str, int | None]:
    board = StoredBoard.objects.get(round=round_, view="final", name="main")
    return {row["key"]: row["place"] for row in board.rows}


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=lambda words: words.language)
def test_an_organiser_brings_a_game_and_its_second_version(
    live_server: Any, strict_context: BrowserContext, sandbox: str, words: Words
) -> None:
    make_user("oni", is_staff=True)
    strict_context.set_extra_http_headers({"Accept-Language": words.language})
    page = strict_context.new_page()
    log_in(page, live_server.url)
    make_contest(page, live_server.url, words, mini(("game.yaml", "{error: 1}", "{error: 2}")))
    work_off()
    page.get_by_role("link", name="mini 1.0", exact=True).click()
    expect(row_of(page, "one year more").last).to_contain_text(words.red)
    expect(row_of(page, words.wrong).first).to_be_visible()
    upload(page, live_server.url, words, mini())
    expect(row_of(page, "one year more")).to_contain_text(words.green)
    expect(row_of(page, "same-twice")).to_contain_text(words.not_tried)
    round_ = open_round(page, words)
    play(round_)
    assert places(round_) == {"Aki": 2, "Haru": 1}
    upload(page, live_server.url, words, version_2())
    page.get_by_role("button", name=words.try_it).click()
    work_off()
    page.reload()
    for team, move in (("Aki", "2 → 1"), ("Haru", "1 → 2")):
        expect(page.locator("tr", has_text=team).filter(has_text="main")).to_contain_text(move)
    assert places(round_) == {"Aki": 2, "Haru": 1}, "nothing has changed yet"
    page.get_by_label(words.reason).fill("a year off is near enough")
    page.get_by_role("button", name=words.make_live).click()
    expect(page.locator(".messages")).to_contain_text("mini 2.0")
    work_off()
    assert places(round_) == {"Aki": 1, "Haru": 2}
    page.goto(f"{live_server.url}/contests/ages/changes/")
    expect(page.locator("main")).to_contain_text(words.changes)
    expect(page.locator("main")).to_contain_text("a year off is near enough")
