"""Every picture on every page has a text alternative and a table, and can be had as a file."""

from __future__ import annotations

import datetime
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from contest.models import Entry, Phase
from tests.browser.pages import all_pages
from tests.browser.world import build_world
from tests.factories import entry_files, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db


class Pictures(HTMLParser):
    """Collects what a page draws: drawings that speak, and whether each has a table beside it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.silent: list[str] = []
        self.without_table: list[str] = []
        self.spoken = 0
        self.ids: set[str] = set(re.findall(r'\bid="([^"]+)"', page))
        self.tables: set[str] = set(re.findall(r'<table[^>]*\bid="([^"]+)"', page))
        self.figures: list[dict[str, object]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "figure":
            self.figures.append({"pictures": [], "table": values.get("data-table") in self.tables})
        elif tag == "table" and self.figures:
            self.figures[-1]["table"] = True
        elif tag in ("svg", "img", "canvas") and values.get("aria-hidden") != "true":
            self._picture(tag, values)

    def handle_endtag(self, tag: str) -> None:
        if tag == "figure":
            closed = self.figures.pop()
            if closed["pictures"] and not closed["table"]:
                self.without_table += closed["pictures"]  # type: ignore[operator]

    def _picture(self, tag: str, values: dict[str, str | None]) -> None:
        name = values.get("aria-labelledby") or values.get("aria-label") or values.get("alt") or ""
        named = values.get("aria-labelledby")
        self.spoken += 1
        if not name or (named and not set(named.split()) <= self.ids):
            self.silent.append(tag)
        if tag == "svg" and values.get("role") == "img":
            if self.figures:
                self.figures[-1]["pictures"].append(name)  # type: ignore[attr-defined]
            else:
                self.without_table.append(name)


def test_the_rule_finds_pictures_that_break_it() -> None:
    bad = '<figure><svg role="img" aria-labelledby="nowhere"></svg></figure>'
    bad += '<svg role="img" aria-label="x"></svg>'
    found = Pictures(bad)
    assert found.silent == ["svg"] and found.without_table == ["nowhere", "x"]


@pytest.fixture
def entry(client: Client) -> Entry:
    """A judged entry; the client belongs to its team."""
    round_ = make_round()
    captain = make_user()
    made = make_entry(round_, make_team(round_.contest, captain=captain))
    make_entry(round_, make_team(round_.contest), entry_files("swap"))
    work_off()
    past = timezone.now() - datetime.timedelta(minutes=1)
    Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).update(starts_at=past)
    client.force_login(captain)
    return made


def addresses(entry: Entry) -> dict[str, str]:
    board = entry.round.get_absolute_url()
    return {
        "board": board,
        "pictures": f"{board}pictures/",
        "map of a measure": f"{board}pictures/?measure=ut-jaccard",
        "matrix": f"{board}matrix/",
        "data": f"{board}data/",
        "rules": f"{board}rules/",
        "entry": entry.get_absolute_url(),
        "contest": entry.round.contest.get_absolute_url(),
        "team": f"{entry.round.contest.get_absolute_url()}teams/{entry.team_id}/",
        "home": "/",
        "gh-tree": "/methods/anonymizers/gh-tree/",
        "measure": "/methods/measures/ut-jaccard/",
        "attack": "/methods/attacks/re-itemset/",
        "anonymizer": "/methods/anonymizers/swap/",
    }


def test_every_picture_has_words_and_a_table(client: Client, entry: Entry) -> None:
    drawn = {}
    for name, address in addresses(entry).items():
        page = client.get(address)
        assert page.status_code == 200, address
        found = Pictures(page.content.decode())
        assert not found.silent and not found.without_table, (name, found.silent, found.without_table)
        drawn[name] = found.spoken
    assert drawn["pictures"] == 3 and drawn["entry"] == 3 and drawn["data"] == 4 and drawn["board"] >= 1


def test_no_page_of_the_site_draws_without_words_and_a_table() -> None:
    """All routes in a world where something of everything has happened, as those see them who may."""
    world = build_world()
    faults = []
    for page in all_pages(world):
        answer = world.client(page.role).get(page.path)
        found = Pictures(answer.content.decode())
        if found.silent or found.without_table:
            faults.append((page.name, found.silent, found.without_table))
    assert faults == []


def test_every_picture_can_be_downloaded_in_three_forms(client: Client, entry: Entry) -> None:
    files = set()
    for name in ("pictures", "map of a measure", "data", "entry", "matrix"):
        page = client.get(addresses(entry)[name]).content.decode()
        files |= set(re.findall(r'href="([^"]+/pictures/[^"]+\.(?:svg|png|csv))"', page))
    assert len(files) >= 3 * 11
    for address in sorted(files):
        answer = client.get(address)
        assert answer.status_code == 200 and "attachment" in answer["Content-Disposition"], address
        if address.endswith(".svg"):
            ElementTree.fromstring(answer.content.decode().split("\n", 1)[1])
        elif address.endswith(".png"):
            assert answer.content.startswith(b"\x89PNG")
        else:
            assert len(answer.content.decode("utf-8-sig").splitlines()) > 1
    folder = f"{entry.round.get_absolute_url()}pictures/"
    for nothing in ("map.pdf", "map-nothing.svg", "nothing.svg"):
        assert client.get(f"{folder}{nothing}").status_code == 404


def test_the_matrix_is_no_picture_before_the_results(client: Client) -> None:
    round_ = make_round(feedback="none")
    make_entry(round_, make_team(round_.contest))
    work_off()
    folder = f"{round_.get_absolute_url()}pictures/"
    assert client.get(f"{folder}matrix.svg").status_code == 404
    assert b"picture-matrix" not in client.get(folder).content
    table = client.get(f"{folder}map.csv").content.decode("utf-8-sig")
    assert len(table.splitlines()) == 1
