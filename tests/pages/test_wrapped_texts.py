"""Whatever a page says can be said in another language: no text stands outside the translation tags."""

from __future__ import annotations

import re

from tests.conftest import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
NAMES = {
    "Kakurenbo",
    "English",
    "UTC",
    "M.csv",
    "T.csv",
    "SHA-256",
    "GIDR",
    "GSAR",
    "ANE",
    "CSV",
    "JSON",
    "SVG",
    "PNG",
}
"""Proper names, names of files and formats, units: the same in every language."""
SPOKEN = ("aria-label", "alt", "title", "placeholder", "data-label", "label")


def spoken_texts(template: str) -> list[str]:
    """The texts of a template that stand outside of translation tags."""
    text = re.sub(r"{% (blocktrans(?:late)?)\b.*?{% end\1 %}", "", template, flags=re.DOTALL)
    text = re.sub(r"{#.*?#}|{% comment.*?endcomment %}|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"{%.*?%}|{{.*?}}|&[a-z]+;", " ", text, flags=re.DOTALL)
    attributes = re.findall(rf"""\s(?:{"|".join(SPOKEN)})=["']([^"']*)["']""", text)
    text = re.sub(r"<(pre|code|script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    lines = re.sub(r"<[^>]*>", "\n", text).splitlines()
    return [line.strip() for line in [*attributes, *lines] if re.search(r"[A-Za-z]{2}", line)]


def is_a_name(text: str) -> bool:
    return all(word in NAMES for word in re.findall(r"[A-Za-z][A-Za-z0-9.-]*", text) if len(word) > 1)


def test_no_page_says_what_cannot_be_translated() -> None:
    loose = {}
    for path in TEMPLATES:
        texts = spoken_texts(path.read_text(encoding="utf-8"))
        loose[path.relative_to(ROOT).as_posix()] = [text for text in texts if not is_a_name(text)]
    assert len(loose) > 100
    assert {name: texts for name, texts in loose.items() if texts} == {}, "wrap these for translation"


def test_loose_texts_are_found() -> None:
    template = '<p title="Look">Hello {{ name }} <code>M.csv</code>{% translate "fine" %}</p> Kakurenbo'
    assert [text for text in spoken_texts(template) if not is_a_name(text)] == ["Look", "Hello"]
