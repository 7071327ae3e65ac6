"""Every text has its Japanese, with the same values and the same markup in it."""

from __future__ import annotations

import gettext
import io
import re

import pytest
from babel.messages.catalog import Catalog, Message
from django.test import Client
from django.urls import reverse

from contest.management import i18n_catalog


@pytest.fixture(scope="module")
def japanese() -> Catalog:
    return i18n_catalog.gather("ja")


def pairs(messages: Catalog) -> list[tuple[str, str]]:
    """Every text with its translation; of plurals the last form, which is Japanese's only one."""
    found = []
    for message in messages:
        if message.id:
            text = message.id[-1] if message.pluralizable else message.id
            string = message.string[0] if message.pluralizable else message.string
            found.append((str(text), str(string)))
    return found


def test_no_text_lacks_its_japanese(japanese: Catalog) -> None:
    lacking = [
        f"{message.locations[0][0]}: {message.id!r}" for message in i18n_catalog.untranslated(japanese)
    ]
    assert not lacking, f"{len(lacking)} texts lack their Japanese; run `manage.py catalogue`: {lacking[:20]}"


def test_many_texts_are_found_in_every_kind_of_place(japanese: Catalog) -> None:
    places = {location[0] for message in japanese for location in message.locations}
    assert len(japanese) > 900
    assert {"templates/base.html", "contest/services/teams.py", "contest/language/translation.py"} <= places
    assert {"templates/mails/reset.txt", "contest/forms/accounts.py", "contest/models/entry.py"} <= places


def test_a_translation_holds_the_same_values_and_the_same_markup(japanese: Catalog) -> None:
    for text, string in pairs(japanese):
        for what in (r"%\(\w+\)\d*[a-zA-Z]", r"</?[a-z]+[^>]*>"):
            assert sorted(re.findall(what, text)) == sorted(re.findall(what, string)), (text, string)
        assert ("%%" in text) == ("%%" in string), (text, string)


def test_values_can_be_put_into_every_translation(japanese: Catalog) -> None:
    for text, string in pairs(japanese):
        names = re.findall(r"%\((\w+)\)(\d*[a-zA-Z])", text)
        if names:
            values = {name: 7 if kind.endswith("X") else "value" for name, kind in names}
            assert string % values


def test_what_is_compiled_is_what_is_written() -> None:
    written = i18n_catalog.read_catalogue("ja")
    path = i18n_catalog.po_path("ja").with_suffix(".mo")
    kept = gettext.GNUTranslations(io.BytesIO(path.read_bytes()))
    fresh = gettext.GNUTranslations(io.BytesIO(i18n_catalog.mo_bytes(written)))
    assert kept._catalog == fresh._catalog  # type: ignore[attr-defined]


def test_a_text_that_lacks_words_is_told() -> None:
    messages = Catalog("ja")
    messages.add("one", "一")
    messages.add("two")
    messages.add(("%(n)s cat", "%(n)s cats"), ("",))
    lacking: list[Message] = i18n_catalog.untranslated(messages)
    assert [message.id for message in lacking] == ["two", ("%(n)s cat", "%(n)s cats")]


@pytest.mark.django_db
@pytest.mark.parametrize(("asked", "said"), [("ja", "ログイン"), ("en", "Log in"), ("fr", "Log in")])
def test_the_browser_is_answered_in_its_language(client: Client, asked: str, said: str) -> None:
    page = client.get(reverse("login"), headers={"Accept-Language": asked})
    assert f"<h1>{said}</h1>" in page.content.decode()
    assert page.headers["Content-Language"] == ("ja" if asked == "ja" else "en")


@pytest.mark.django_db
def test_programs_are_refused_in_their_language_with_the_same_code(client: Client) -> None:
    headers = {"Authorization": "Bearer nothing", "Accept-Language": "ja"}
    answer = client.get("/api/v1/contests/", headers=headers)
    assert answer.status_code == 401
    error = answer.json()["error"]
    assert error["code"] == "token-unknown" and re.search("[ぁ-ん]", error["message"])
