"""What search engines and shared links show of a page: described if it is public, left alone if it is not."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.conf import LazySettings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import resolve
from PIL import Image

from contest.models import Contest, Round
from contest.templatetags.cards import SHARED
from tests.browser.pages import Page, all_pages
from tests.browser.world import World, build_world
from tests.factories import make_contest, make_round, make_user

pytestmark = pytest.mark.django_db

SITE = "https://kakurenbo.example.org"
NOT_FOR_SEARCH = {"password_reset_done", "password_reset_complete", "projector", "embed"}
"""Open to everybody, but only steps on a way, or a board that has a page already."""


class Head(HTMLParser):
    """The title, the meta elements and the canonical address of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.canonical: str | None = None
        self.title = ""
        self._in_title = False
        self.feed(page.partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self._in_title = tag == "title"
        name = facts.get("name") or facts.get("property")
        if tag == "meta" and name:
            assert name not in self.meta or name == "og:locale:alternate", f"{name} twice"
            self.meta[name] = facts["content"] or ""
        if tag == "link" and facts.get("rel") == "canonical":
            assert self.canonical is None
            self.canonical = facts["href"]

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False


def head_of(client: Client, path: str, language: str = "en") -> Head:
    return Head(client.get(path, headers={"Accept-Language": language}).content.decode())


@pytest.fixture
def world(settings: LazySettings) -> World:
    settings.SITE_URL = f"{SITE}/"
    return build_world()


def is_for_everybody(page: Page) -> bool:
    return page.role == "visitor" and page.name not in NOT_FOR_SEARCH


def assert_described(page: Page, head: Head, language: str) -> None:
    meta, where = head.meta, f"{page.name} in {language}"
    description = meta.get("description", "")
    assert 20 <= len(description) <= 200 or page.name == "contest", f"{where}: {description!r}"
    assert meta["og:description"] == meta["twitter:description"] == description, where
    assert meta["og:title"] == meta["twitter:title"] == head.title, where
    assert head.title == " ".join(head.title.split()), where
    assert head.canonical == meta["og:url"] == f"{SITE}{page.path.partition('?')[0]}", where
    assert meta["og:locale"] == {"en": "en_GB", "ja": "ja_JP"}[language], where
    if resolve(page.path.partition("?")[0]).url_name in SHARED:
        assert meta["og:image"].startswith(f"{SITE}/contests/"), where
        assert f"share.png?lang={language}" in meta["og:image"], where
    else:
        assert meta["og:image"].startswith(f"{SITE}/static/img/card"), where
    assert meta["og:type"] == "website", where
    assert meta["twitter:card"] == "summary_large_image", where
    assert "robots" not in meta, where


def test_every_public_page_is_described_in_its_language_and_no_other_page_is(world: World) -> None:
    pages = [page for page in all_pages(world) if "-as-" not in page.name and page.name != "not-found"]
    described = {"en": {}, "ja": {}}
    for page in pages:
        if "token" in page.path or page.path.rstrip("/").split("/")[-1] in world.tokens.values():
            # Who has such an address may act with it: nothing may carry it on.
            head = head_of(world.client(page.role), page.path)
            assert head.meta["robots"] == "noindex", page.name
            assert head.canonical is None and "og:url" not in head.meta, page.name
        elif is_for_everybody(page):
            for language, found in described.items():
                head = head_of(Client(), page.path, language)
                assert_described(page, head, language)
                found[page.name] = head.meta["description"]
    assert len(described["en"]) > 18
    # Each page says something of its own, and says it in Japanese too; what organisers wrote stays theirs.
    for found in described.values():
        assert len(set(found.values())) == len(found), found
    kana = re.compile("[぀-ヿ]")
    assert [name for name, text in described["ja"].items() if not kana.search(text)] == ["contest"]


def test_pages_of_teams_and_organisers_are_not_for_search_engines(world: World) -> None:
    private = {"account", "tokens", "upload", "team", "webhooks", "organise", "operations", "contest_new"}
    seen = set()
    for page in all_pages(world):
        if page.name in private:
            assert page.role != "visitor"
            head = head_of(world.client(page.role), page.path)
            assert head.meta["robots"] == "noindex", page.name
            assert head.canonical is None, page.name
            assert not [name for name in head.meta if name.startswith(("og:", "twitter:"))], page.name
            seen.add(page.name)
    assert seen == private


def test_a_contest_is_described_by_its_summary_cut_where_it_is_long(settings: LazySettings) -> None:
    settings.SITE_URL = SITE
    contest = make_contest(make_user("oni"), slug="shop")
    Contest.objects.update(summary='Hide & seek in a "shop" <b>now</b>. ' + "Long words. " * 20)
    answer = Client().get(contest.get_absolute_url())
    head = Head(answer.content.decode())
    assert head.meta["description"].startswith('Hide & seek in a "shop" <b>now</b>. Long words.')
    assert head.meta["description"].endswith("…")
    assert len(head.meta["description"]) <= 200


def test_an_address_with_a_question_is_the_same_page(settings: LazySettings) -> None:
    settings.SITE_URL = SITE
    head = head_of(Client(), "/login/?next=/account/&secret=1")
    assert head.canonical == f"{SITE}/login/"


def test_drafts_and_hidden_rounds_are_in_no_head(settings: LazySettings) -> None:
    settings.SITE_URL = SITE
    oni = make_user("oni")
    contest = make_contest(oni, slug="open", title="Open contest")
    make_round(contest)
    hidden = make_round(contest, slug="final", name="Surprise final", phases=[])
    Round.objects.filter(pk=hidden.pk).update(is_hidden=True)
    draft = make_contest(oni, slug="draft", title="Draft of a plan", is_public=False)
    Contest.objects.filter(pk=draft.pk).update(summary="Nobody knows this yet")
    organiser = Client()
    organiser.force_login(oni)
    for path in ("/", contest.get_absolute_url(), hidden.get_absolute_url(), draft.get_absolute_url()):
        page = Client().get(path).content.decode()
        for secret in ("Surprise final", "Draft of a plan", "Nobody knows this yet"):
            assert secret not in page, path
    # The organiser's own preview is not for search engines either.
    for path in (hidden.get_absolute_url(), draft.get_absolute_url()):
        head = head_of(organiser, path)
        assert head.meta["robots"] == "noindex"
        assert "og:title" not in head.meta


def test_the_picture_of_shared_links_has_the_size_that_the_page_says(client: Client) -> None:
    head = head_of(client, "/")
    path = finders.find("img/card.png")
    assert path
    with Image.open(path) as picture:
        assert (str(picture.width), str(picture.height)) == (
            head.meta["og:image:width"], head.meta["og:image:height"]
        )  # fmt: skip
    assert head.meta["og:image:alt"]
