"""A browser window as somebody has it: who they are, their language, theme and width."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Literal

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext

from tests.browser.world import World

LOCALES = {"en": "en-GB", "ja": "ja-JP"}


@dataclass(frozen=True)
class Look:
    language: str
    theme: Literal["light", "dark"]
    width: int

    def __str__(self) -> str:
        return f"{self.language}-{self.theme}-{self.width}"


LOOKS = tuple(Look(*look) for look in product(("en", "ja"), ("light", "dark"), (1280, 390)))


@contextmanager
def window(browser: Browser, world: World, url: str, role: str, look: Look) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": look.width, "height": 900},
        color_scheme=look.theme,
        locale=LOCALES[look.language],
        reduced_motion="reduce",
    )
    if role in world.cookies:
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": world.cookies[role], "url": url}
        context.add_cookies([cookie])  # type: ignore[list-item]
    try:
        yield context
    finally:
        context.close()
