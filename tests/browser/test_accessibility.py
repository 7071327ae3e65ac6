"""axe-core finds nothing on any page; nothing is wider than its window; one can upload by keyboard alone.

The oracle is axe-core (Deque, MPL-2.0), as the package axe-playwright-python ships it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import resources
from itertools import groupby
from typing import Any

import pytest
from playwright.sync_api import Browser, FileChooser, expect
from playwright.sync_api import Page as Tab

from tests.browser.pages import Page, address, all_pages, routes
from tests.browser.visits import LOOKS, Look, window
from tests.browser.world import ELSEWHERE, World, build_world
from tests.factories import as_zip, entry_files

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]

AXE = resources.files("axe_playwright_python").joinpath("axe.min.js")
LONG = bool(os.environ.get("KAKURENBO_LONG"))
PLAIN = LOOKS[0]
QUESTION = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations"]});
    const places = nodes => nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(" | ");
    return found.violations.map(fault => `${fault.id}: ${places(fault.nodes)}`);
}"""


def faults(tab: Tab, script: str) -> list[str]:
    """What axe finds on the page, and whether it is wider than the window."""
    tab.evaluate(script)
    found = list(tab.evaluate(QUESTION))
    if tab.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1"):
        found.append("wider than the window")
    return found


def looked_at(pages: Sequence[Page]) -> Iterable[tuple[Look, Page]]:
    """Every page in its plain look, and a few in each other look; all in all looks if that is asked."""
    for number, look in enumerate(LOOKS):
        chosen = pages if LONG or look == PLAIN else pages[number::24]
        yield from ((look, page) for page in chosen)


def examine(browser: Browser, world: World, url: str, visits: Iterable[tuple[Look, Page]]) -> list[str]:
    script = AXE.read_text(encoding="utf-8")
    said = []
    ordered = sorted(visits, key=lambda visit: (str(visit[0]), visit[1].role))
    for (look, role), group in groupby(ordered, key=lambda visit: (visit[0], visit[1].role)):
        with window(browser, world, url, role, look) as context:
            tab = context.new_page()
            for _, page in group:
                tab.goto(f"{url}{page.path}", wait_until="load")
                spoken = tab.evaluate("document.documentElement.lang")
                assert spoken == look.language, f"{page.name} speaks {spoken}, not {look.language}"
                said += [f"{page.name} ({role}, {look}): {fault}" for fault in faults(tab, script)]
    return said


def test_axe_finds_nothing_on_any_page(live_server: Any, browser: Browser, settings: Any) -> None:
    settings.OIDC_PROVIDERS = ELSEWHERE
    world = build_world()
    pages = all_pages(world)
    assert len(pages) > 40
    if LONG:
        unknown = [name for name, held in routes() if address(world, name, held) is None]
        assert not unknown, f"tests/browser/world.py lacks what these addresses need: {unknown}"
    said = examine(browser, world, live_server.url, looked_at(pages))
    assert not said, "\n".join(said)


def test_axe_would_find_something(browser: Browser) -> None:
    tab = browser.new_page()
    tab.set_content("<html><body><img src='data:,'><input></body></html>")
    found = " ".join(faults(tab, AXE.read_text(encoding="utf-8")))
    tab.close()
    assert "image-alt" in found and "html-has-lang" in found


def press_until(tab: Tab, selector: str, key: str = "Tab", limit: int = 80) -> None:
    """Go on with the keyboard until that element has the focus."""
    for _ in range(limit):
        if tab.evaluate(f"document.activeElement?.matches({selector!r}) ?? false"):
            return
        tab.keyboard.press(key)
    raise AssertionError(f"{selector} is not reached by {key}")


def test_an_entry_is_uploaded_by_keyboard_alone(live_server: Any, browser: Browser) -> None:
    world = build_world()
    with window(browser, world, live_server.url, "team", PLAIN) as context:
        tab = context.new_page()
        # Listening from the start: a browser told of it at the last moment may be too late to ask us.
        asked: list[FileChooser] = []
        tab.on("filechooser", lambda chooser: asked.append(chooser))
        tab.goto(f"{live_server.url}{world.round.get_absolute_url()}upload/")
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.matches('a.skip')"), "the first stop skips to the content"
        tab.keyboard.press("Enter")
        press_until(tab, "input[name=archive]")
        tab.keyboard.press("Enter")
        for _ in range(600):
            if asked:
                break
            tab.wait_for_timeout(100)
        archive = {"name": "e.zip", "mimeType": "application/zip", "buffer": as_zip(entry_files("swap", 8))}
        asked[0].set_files(archive)  # type: ignore[arg-type]
        press_until(tab, "input[name=note]")
        tab.keyboard.type("by keyboard")
        press_until(tab, "form.upload button[type=submit]")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/entries/*/", timeout=90_000)
        expect(tab.locator("main")).to_contain_text("by keyboard", timeout=90_000)
