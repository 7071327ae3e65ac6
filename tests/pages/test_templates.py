"""What must hold for every template, so that the strict content security policy never breaks a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
NAMES = [str(path.relative_to(ROOT / "templates")) for path in TEMPLATES]
ERROR_PAGES = [
    "400.html",
    "403.html",
    "403_csrf.html",
    "404.html",
    "408.html",
    "413.html",
    "429.html",
    "500.html",
    "503.html",
]
FORBIDDEN = {
    "a style attribute": r"<[^>]*\sstyle=",
    "a style element": r"<style",
    "an inline script": r"<script(?![^>]*\ssrc=)",
    "an event attribute": r"<[^>]*\son[a-z]+=",
    "something from elsewhere": r"(?:src|href)=[\"'](?:https?:)?//",
    "a data address": r"=[\"']data:",
}


def test_all_compile() -> None:
    assert len(NAMES) > 100
    for name in NAMES:
        get_template(name)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_holds(what: str) -> None:
    bad = [path.name for path in TEMPLATES if re.search(FORBIDDEN[what], path.read_text(), re.IGNORECASE)]
    assert bad == []


@pytest.mark.parametrize("name", ERROR_PAGES)
def test_an_error_page_stands_alone(name: str) -> None:
    page = get_template(name).render()
    assert name[:3] in page
    assert "<h1>" in page


NEVER_TRANSLATED = r"Kakurenbo|SVG|PNG|CSV|JSON|SHA-256|UTC|English|[MTP]\.csv|&\w+;|\b[MTP]\b"
NOT_TEXT = (
    r"{%\s*blocktranslate.*?{%\s*endblocktranslate\s*%}",
    r"{%.*?%}|{{.*?}}|{#.*?#}",
    r"<pre.*?</pre>",
    r"<code.*?</code>",
    r"<[^>]*>",
)


def words_outside_gettext(text: str) -> list[str]:
    for pattern in (*NOT_TEXT, NEVER_TRANSLATED):
        text = re.sub(pattern, "\n", text, flags=re.DOTALL)
    return re.findall(r"[A-Za-z][\w ,.]*", text)


def test_visible_words_go_through_gettext() -> None:
    assert words_outside_gettext('<p title="x">Hello {% translate "you" %} M</p>') == ["Hello "]
    # The pictures of methods quote the tables of their papers, which are data, not words of ours.
    pages = [path for path in TEMPLATES if path.parent.name != "methods"]
    found = {path.name: words_outside_gettext(path.read_text()) for path in pages}
    assert {name: words for name, words in found.items() if words} == {}
