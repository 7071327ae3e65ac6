"""`make screenshots`: pictures of every page at 1280 and 390 px, light and dark, from a demo of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

from playwright.sync_api import Browser, Page

from attacks.sandbox import TEMPLATE_PROGRAM
from tests.browser.chromium import chromium, executable
from tests.conftest import ROOT, free_port

OUT = ROOT / "var" / "screenshots"
WIDTHS = (1280, 390)
PASSWORD = "hide-and-seek"
BROKEN = {"master": b"a1,f,1980/1/1,Japan\n", "transactions": b"a1,1,2011/1/1,8:00,x\n", "truth": b"1\n"}


@contextmanager
def demo() -> Iterator[str]:
    """A demo installation in a folder of its own, with all its first jobs done."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        environment = {**os.environ, "KAKURENBO_VAR": folder, "KAKURENBO_LOG_LEVEL": "WARNING"}
        command = [sys.executable, "manage.py", "up", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_idle(url, environment)
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def wait_until_idle(url: str, environment: dict[str, str], seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    question = (
        "import json; from contest.models import Job; "
        "print(json.dumps([Job.objects.count(), Job.objects.filter(state__in=['queued','running']).count()]))"
    )
    while time.monotonic() < deadline:
        time.sleep(1)
        try:
            with urlopen(f"{url}/healthz", timeout=2):
                pass
        except OSError:
            continue
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", question]
        answer = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if answer.returncode == 0:
            jobs, waiting = json.loads(answer.stdout.strip().splitlines()[-1])
            if jobs and not waiting:
                return
    raise SystemExit("The demo did not become idle.")


def log_in(page: Page, url: str, name: str) -> None:
    page.goto(f"{url}/login/")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.wait_for_load_state()


def visitor_pages(page: Page, url: str) -> dict[str, str]:
    page.goto(f"{url}/contests/demo/practice/")
    entry = page.locator("table.board tbody a").first.get_attribute("href")
    page.goto(f"{url}/contests/demo/practice/matrix/")
    attack = page.locator("table.matrix tbody a").first.get_attribute("href")
    return {
        "home": "/",
        "signup": "/signup/",
        "login": "/login/",
        "password-reset": "/password/reset/",
        "contest": "/contests/demo/",
        "leaderboard": "/contests/demo/practice/",
        "rules": "/contests/demo/practice/rules/",
        "data": "/contests/demo/practice/data/",
        "risk": "/contests/demo/practice/risk/",
        "kmm": "/methods/tables/kmm/",
        "entry-of-others": entry or "/",
        "matrix": "/contests/demo/practice/matrix/",
        "attack-page": attack or "/",
        "methods": "/methods/",
        "measure": "/methods/measures/ut-jaccard/",
        "attack": "/methods/attacks/re-itemset/",
        "anonymizer": "/methods/anonymizers/swap/",
        "api": "/api/v1/docs/",
        "not-found": "/nothing/here/",
    }


def team_pages(page: Page, url: str) -> dict[str, str]:
    """The pages of a team that has one good and one broken entry."""
    log_in(page, url, "tanuki")
    page.goto(f"{url}/contests/demo/practice/upload/")
    for field, content in BROKEN.items():
        page.set_input_files(
            f"input[name={field}]", {"name": f"{field}.csv", "mimeType": "text/csv", "buffer": content}
        )
    page.click("form.upload button[type=submit]")
    page.wait_for_url("**/entries/*/")
    broken = page.url.removeprefix(url)
    page.wait_for_selector("table.problems", timeout=60_000)
    page.goto(f"{url}/contests/demo/")
    team = page.locator("a.button", has_text="Tanuki").first.get_attribute("href") or "/"
    page.goto(f"{url}{team}")
    own = page.locator("table.reflow tbody tr:last-child a").first.get_attribute("href") or "/"
    page.locator("button", has_text="invitation").first.click()
    page.wait_for_load_state()
    invitation = page.locator("code.invitation").inner_text().split("127.0.0.1", 1)[1].split("/", 1)[1]
    page.goto(f"{url}/contests/demo/practice/seek/")
    program = {"name": "reidentify.py", "mimeType": "text/x-python", "buffer": TEMPLATE_PROGRAM.read_bytes()}
    page.set_input_files("input[name=program]", program)
    page.locator("button", has_text="Send the program").click()
    page.wait_for_url("**/attacks/*/")
    dry_run = page.url.removeprefix(url)
    page.wait_for_selector("pre.log", timeout=120_000)
    return {
        "team": team,
        "upload": "/contests/demo/practice/upload/",
        "seek": "/contests/demo/practice/seek/",
        "dry-run": dry_run,
        "tokens": "/tokens/",
        "entry-own": own,
        "entry-broken": broken,
        "join": f"/{invitation}",
    }


def shoot(browser: Browser, url: str, name: str, pages: dict[str, str], state: dict | None) -> None:
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, storage_state=state
            )
            page = context.new_page()
            for title, path in pages.items():
                page.goto(f"{url}{path}")
                page.wait_for_load_state("networkidle")
                page.screenshot(path=OUT / f"{name}-{title}-{width}-{scheme}.png", full_page=True)
                wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
                if wide:
                    print(f"  wider than the window: {title} at {width} px")
            context.close()


def main() -> None:
    if executable() is None:
        raise SystemExit("No Chromium on this machine; `make system` installs it on Debian.")
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.png"):
        old.unlink()
    with demo() as url, chromium() as browser:
        page = browser.new_page()
        shoot(browser, url, "visitor", visitor_pages(page, url), None)
        context = browser.new_context()
        pages = team_pages(context.new_page(), url)
        shoot(browser, url, "team", pages, context.storage_state())
        context = browser.new_context()
        page = context.new_page()
        log_in(page, url, "oni")
        organiser = {
            "organise": "/contests/demo/organise/",
            "house-entry": "/contests/demo/organise/house/?method=itemset-clusters",
        }
        shoot(browser, url, "organiser", organiser, context.storage_state())
        context = browser.new_context()
        page = context.new_page()
        log_in(page, url, "neko")
        page.goto(f"{url}/signup/")
        shoot(browser, url, "newcomer", {"contest": "/contests/demo/"}, context.storage_state())
    print(f"{len(list(OUT.glob('*.png')))} pictures in {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
