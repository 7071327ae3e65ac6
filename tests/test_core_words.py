"""The law of the core: nothing outside `games/` names the year of a contest or speaks of shops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.test_architecture import PACKAGES, modules
from tests.test_rooms import imported_modules

FOLDERS = (*PACKAGES, "templates", "docs", "docker", "requirements", ".ci", ".devcontainer", ".github")
NOT_TRACKED = (".coverage", ".env", "docker/secrets/")
EXEMPT = {
    "games/": "what a contest is about belongs here",
    "contest/migrations/": "what was once released stays as it is",
    "contest/locale/": "repeats the sentences of all sources",
    "contest/bundle/schema.json": "made from declarations, those of the games among them",
    "CHANGELOG.md": "history",
    "CONTRIBUTING.md": "its recipes add a measure and an attack to games/shop",
    "README.md": "names the contests that can be played, and commands as they are typed",
    "pyproject.toml": "entry points and files of the games",
    "docs/games.md": "about the games",
    "docs/games/": "about the games",
    "docs/peers.md": "compares one game with the way it was played elsewhere",
    "docs/measures.md": "about the measures of a shop's game",
    "docs/house-attacks.md": "about the attacks of the shops' games",
    "docs/bayes-synthetic.md": "measured on the data of a shop",
    "docs/gh-tree.md": "measured on the data of a shop",
    "docs/kmm.md": "measured on the data of a shop",
    "docs/kmm-methods.svg": "a picture of docs/kmm.md",
    "docs/more.md": "measured on the data of a shop",
    "docs/pictures.md": "says which pictures the shops' games have",
    "docs/glossary.md": "explains the files of the shops' games",
    "docs/settings.md": "made from declarations, those of the games among them",
    "docs/rehearsal.md": "shows the report of a preset",
    "docs/rooms.md": "made from the docstrings of the rooms, those of the games among them",
    "scoring/risk/lp.py": "its paper is about the data of vendors; the sentence is on a page and stays",
}
"""Folders and files that may speak of contests and shops, each with its reason."""
WORDS = re.compile(
    r"(?<![a-z])(?:(?:customer|receipt|basket|shop|item)s?|purchas(?:e|es|ed|ing))(?![a-z])"
    r"|pwscup[ -]?20\d\d"
    r"|[\"'“]20(?:1[6-9]|2[0-6])[\"'”]"
    r"|(?<=[a-z])_20\d\d(?!\d)"
    r"|(?:contests?|formats?|games?|rounds?) (?:of|in|from) 20\d\d(?!\d)"
    r"|games[./]shop",
    re.IGNORECASE,
)
HARMLESS = re.compile(
    r"\.items(?=\(| *%\})"  # pairs of a mapping, in Python and in templates
    r"|(?:align|justify|place)-items|(?:list|dict)-item"  # CSS, and codes of mypy
    r"|[\"']items[\"'](?=[:\]])"  # JSON schema
    r"|\b(?:dataTransfer|clipboardData|transfer)\.items"  # what a browser hands over
    r"|def items(?=\(self)|\bitem_[a-z_]+(?=\(self| =)"  # what Django's feeds call
    r"|\.item\(\)|\"item\"\)"  # a scalar of NumPy as Python's
)
DOOR = "games.formats"
BEHIND_THE_DOOR = ("games.shop", "games.pwscup")


def words_in(text: str) -> list[str]:
    """The words of contests and shops in a text."""
    return [found.group() for found in WORDS.finditer(HARMLESS.sub("", text))]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def core() -> Iterator[Path]:
    """Every file outside the exempt folders, whatever it holds."""
    inside = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    for path in [*sorted(ROOT.glob("*")), *inside]:
        ours = path.is_file() and "__pycache__" not in path.parts
        if ours and not named(path).startswith((*EXEMPT, *NOT_TRACKED)):
            yield path


def text_of(path: Path) -> str:
    """A file's name and text; pictures and fonts have no text."""
    try:
        return f"{named(path)}\n{path.read_text(encoding='utf-8')}"
    except UnicodeDecodeError:
        return named(path)


def test_the_core_names_no_year_and_nothing_of_shops() -> None:
    found = {named(path): words_in(text_of(path)) for path in core()}
    assert {name: words[:5] for name, words in found.items() if words} == {}, "say it in games/"


def test_every_exemption_is_needed() -> None:
    idle = []
    for name in EXEMPT:
        place = ROOT / name
        inside = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else [place]
        if not any(words_in(text_of(path)) for path in inside if "__pycache__" not in path.parts):
            idle.append(name)
    assert idle == []


def test_the_platform_enters_the_world_of_shops_by_one_door() -> None:
    trespassing = {}
    for path in modules("contest", "kakurenbo", "config"):
        names = imported_modules(path.read_text(encoding="utf-8"))
        behind = sorted(name for name in names if name.startswith(BEHIND_THE_DOOR))
        if behind:
            trespassing[named(path)] = behind
    assert trespassing == {}, f"ask {DOOR}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n_customers and CUSTOMERS", ["customers", "CUSTOMERS"]),
        ("each item of a shop, purchased", ["item", "shop", "purchased"]),
        ("PWSCUP 2016, pwscup2024", ["PWSCUP 2016", "pwscup2024"]),
        ("format=\"2017\" and '2018'", ['"2017"', "'2018'"]),
        ("MEASURES_2017", ["_2017"]),
        ("as the contest of 2026 did", ["contest of 2026"]),
        ("from games.shop.data import tables", ["games.shop"]),
        ("the page of dataset.fact.items|fixed:0", ["items"]),
    ],
)
def test_a_word_of_shops_is_seen(text: str, words: list[str]) -> None:
    assert words_in(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "for name, value in found.items():",
        "{% for name, value in found.items %}",
        "align-items: center; display: list-item;",
        '{"type": "array", "items": {"type": "string"}}',
        "event.dataTransfer.items",
        "re-itemset, __getitem__, workshop, photoshopped",
        "Li, Schneider, Yu, Gupta (2022); Schneider et al., 2017, Section 2.3",
        "2016-01-01T00:00:00Z",
    ],
)
def test_what_only_looks_like_one_is_not(text: str) -> None:
    assert words_in(text) == []
