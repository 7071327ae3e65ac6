"""No page shows a time as programs write it: with a T, with microseconds or with an offset from UTC.

What programs read may: JSON, feeds, calendars, downloads, the ``datetime`` of a time, hidden fields.
"""

from __future__ import annotations

import datetime
import html
import re

import pytest

from contest.models import Contest, Phase
from contest.services.phases import extend_phase
from tests.security.crawl import crawl
from tests.security.world import World, make_world

pytestmark = pytest.mark.django_db

TAG = re.compile(r"<(script|style|template)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
FOR_PROGRAMS = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d+"  # microseconds
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d"  # a T between date and time
    r"|\d\d:\d\d(:\d\d(\.\d+)?)?[+-]\d\d:\d\d\b"  # an offset from UTC
    r"|datetime\.datetime\("
)
NOTHING = re.compile(rb"(?!)")
EXAMPLES = re.compile(r"2027-08-01T10:00:00\+09:00")
"""The example in a message that says how programs write a time."""


def shown_in(page: str) -> str:
    """The text that a reader sees, with what is typed into visible fields."""
    return html.unescape(TAG.sub(" ", page))


@pytest.fixture
def world() -> World:
    """A contest in another zone than the server's, with a log that holds times."""
    made = make_world()
    Contest.objects.update(time_zone="Asia/Tokyo")
    phase = Phase.objects.select_related("round__contest").filter(round=made.round).latest("ends_at")
    later = phase.ends_at + datetime.timedelta(days=1)
    extend_phase(phase, made.people["organiser"], later, "more time")
    return made


@pytest.mark.parametrize("role", ["organiser", "owner"])
def test_no_page_shows_a_time_as_programs_write_it(world: World, role: str) -> None:
    starts = ("/", f"/contests/open-contest/practice/entries/{world.entry.pk}/")
    seen = 0
    for path, body in crawl(world.browser(role), starts, left_out=NOTHING).items():
        if not body.lstrip().lower().startswith(b"<!doctype html"):
            continue
        seen += 1
        text = EXAMPLES.sub("", shown_in(body.decode()))
        found = FOR_PROGRAMS.search(text)
        assert found is None, (path, text[max(0, found.start() - 80) : found.end() + 20])
    assert seen > 30


def test_the_law_finds_times_for_programs() -> None:
    for text in (
        "<p>2026-11-18 15:35:21.123456</p>",
        "<p>2026-11-18T15:35</p>",
        "<li>15:35:21+00:00</li>",
        "<code>{'at': '2026-11-18T15:35:21.000001+09:00'}</code>",
    ):
        assert FOR_PROGRAMS.search(shown_in(text)), text
    for text in (
        '<time datetime="2026-11-18T15:35:21Z">2026-11-19 00:35 JST</time>',
        '<input type="hidden" value="2026-11-18T15:35:21.1+00:00">',
        "<p>11:00–12:30</p>",
    ):
        assert not FOR_PROGRAMS.search(shown_in(text)), text
