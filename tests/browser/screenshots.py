"""`make screenshots`: every page in both languages, both themes and two widths, into var/screenshots.

A contact sheet a look shows them all at once. KAKURENBO_PAGES chooses pages by a part of their names,
KAKURENBO_LOOKS looks by theirs (`en-light-1280,ja-dark-390`).
"""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.pages import Page, all_pages
from tests.browser.visits import LOOKS, Look, window
from tests.browser.world import ELSEWHERE, World, build_world
from tests.conftest import ROOT

OUT = ROOT / "var" / "screenshots"
TILE = (320, 480)
ACROSS = 8


@pytest.mark.browser
@pytest.mark.timeout(0)
@pytest.mark.django_db(transaction=True)
def test_take_screenshots(live_server: Any, browser: Browser, settings: Any) -> None:
    settings.OIDC_PROVIDERS = ELSEWHERE
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.png"):
        old.unlink()
    world = build_world()
    chosen = os.environ.get("KAKURENBO_PAGES", "")
    pages = sorted((page for page in all_pages(world) if chosen in page.name), key=lambda page: page.role)
    assert pages, f"no page's name has {chosen!r} in it"
    for look in chosen_looks():
        taken = take(browser, world, live_server.url, pages, look)
        sheet(taken).save(OUT / f"_sheet-{look}.png")
        print(f"{len(taken)} pictures of {look}", flush=True)


def chosen_looks() -> list[Look]:
    named = [name for name in os.environ.get("KAKURENBO_LOOKS", "").split(",") if name]
    unknown = set(named) - {str(look) for look in LOOKS}
    assert not unknown, f"no such look: {sorted(unknown)}; there are {', '.join(map(str, LOOKS))}"
    return [look for look in LOOKS if not named or str(look) in named]


def take(browser: Browser, world: World, url: str, pages: list[Page], look: Look) -> list[Path]:
    taken = []
    for role, group in groupby(pages, key=lambda page: page.role):
        with window(browser, world, url, role, look) as context:
            tab = context.new_page()
            for page in group:
                tab.goto(f"{url}{page.path}", wait_until="load")
                path = OUT / f"{page.name}-{look}.png"
                tab.screenshot(path=path, full_page=True)
                taken.append(path)
    return taken


def sheet(pictures: list[Path]) -> Image.Image:
    """Many pictures in one, small, each from its top."""
    down = -(-len(pictures) // ACROSS)
    whole = Image.new("RGB", (ACROSS * TILE[0], down * TILE[1]), "grey")
    for place, path in enumerate(pictures):
        with Image.open(path) as picture:
            height = round(picture.height * TILE[0] / picture.width)
            small = (
                picture.convert("RGB").resize((TILE[0], height)).crop((0, 0, TILE[0], min(height, TILE[1])))
            )
        whole.paste(small, (place % ACROSS * TILE[0], place // ACROSS * TILE[1]))
    return whole
