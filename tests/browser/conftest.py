"""A browser for page tests: the machine's Chromium, or a clear skip."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.chromium import chromium, executable
from tests.conftest import missing


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if executable() is None:
        missing("Chromium absent: make system installs it")
    # Playwright runs an event loop in this thread; Django's guard against that is not about us.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with chromium() as started:
        yield started


@pytest.fixture
def strict_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser window that fails the test on any script error, blocked resource or foreign request."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(f"script error: {error.error}"))
    context.on(
        "console",
        lambda message: (
            faults.append(message.text)
            if message.type == "error" and "Content Security Policy" in message.text
            else None
        ),
    )
    context.on(
        "request",
        lambda request: (
            faults.append(f"foreign request: {request.url}")
            if not request.url.startswith(("http://localhost", "http://127.0.0.1", "data:", "blob:"))
            else None
        ),
    )
    yield context
    context.close()
    assert not faults, faults
