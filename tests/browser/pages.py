"""Every page of the site, found from the routes themselves: a new page cannot be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLResolver, get_resolver, reverse

from tests.browser.world import ROLES, World

ALSO = (
    ("home", "team"),
    ("contest", "newcomer"),
    ("contest", "team"),
    ("contest", "organiser"),
    ("notifications", "team"),
    ("questions", "team"),
    ("questions", "organiser"),
    ("leaderboard", "team"),
    ("attack", "team"),
)
"""Pages that say something else to others than to those who are allowed least."""


@dataclass(frozen=True)
class Page:
    """A page as somebody sees it."""

    name: str
    path: str
    role: str


def routes() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The name of every route outside of the API, and the names of what stands in its address."""

    def walk(patterns: list[Any], held: tuple[str, ...], api: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
        for pattern in patterns:
            names = (*held, *pattern.pattern.regex.groupindex)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, names, api or str(pattern.pattern).startswith("api/"))
            elif pattern.name and (not api or pattern.name == "api-docs"):
                yield pattern.name, names

    yield from walk(get_resolver().url_patterns, (), api=False)


def address(world: World, name: str, held: tuple[str, ...]) -> str | None:
    """The address of a route in this world, or nothing where the world has no such thing."""
    values = {key: world.values.get(key) for key in held}
    if "token" in values:
        values["token"] = world.tokens.get(name)
    return None if None in values.values() else reverse(name, kwargs=values)


def all_pages(world: World) -> list[Page]:
    """Every page, seen by whoever is allowed least, and once more by some for whom it differs."""
    pages = []
    for name, held in routes():
        path = address(world, name, held)
        role = first_role(world, path) if path else None
        if path and role:
            pages.append(Page(name, path, role))
            pages += [Page(f"{name}-as-{also}", path, also) for other, also in ALSO if other == name]
    base = world.round.get_absolute_url()
    house = reverse("house_entry", args=[world.values["slug"]])
    pages += [
        Page("entry-own", f"{base}entries/{world.entries['own'].pk}/", "team"),
        Page("entry-broken", f"{base}entries/{world.entries['broken'].pk}/", "team"),
        Page("entry-organiser", f"{base}entries/{world.entries['own'].pk}/", "organiser"),
        Page("measure", "/methods/measures/ut-jaccard/", "visitor"),
        Page("kmm", "/methods/tables/kmm/", "visitor"),
        Page("attack-method", "/methods/attacks/re-itemset/", "visitor"),
        Page("house-method", f"{house}?method=swap", "organiser"),
        Page("leaderboard-track", f"{base}?track=student", "team"),
        Page("overall-decided", "/contests/both/overall/", "team"),
        Page("story", "/contests/season/story/", "visitor"),
        Page("story-bar", "/contests/season/final/rules/?story=1", "visitor"),
        Page("awards-decided", "/contests/both/organise/awards/", "organiser"),
        Page("house-hide", f"{base}upload/house/?method=swap", "team"),
        Page("not-found", "/nothing/here/", "visitor"),
    ]
    return pages


def first_role(world: World, path: str) -> str | None:
    """Who is allowed least of those who get a page at this address; nobody where it is no page."""
    for role in ROLES:
        answer = world.client(role).get(path)
        # Closing the answer itself would close the test's database too.
        for close in answer._resource_closers:  # type: ignore[attr-defined]
            close()
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if answer.status_code == 405 or (answer.status_code == 200 and not is_page):
            return None
        if answer.status_code == 200:
            return role
    return None
