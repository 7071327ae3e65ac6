"""The pages in docs/: all of them can be found, and what they say about the code is true."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from attacks.attack import HouseAttack
from contest.management.i18n_catalog import read_catalogue
from games.shop.attacks.registry import EVERY_ATTACK
from games.shop.gallery.examples import kept
from games.shop.guessing import GAMES
from games.shop.measures.registry import MEASURES
from tests.conftest import ROOT
from tests.documents import anchors, blocks, documents, links, section

DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", documents(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_of_ours_leads_somewhere(page: Path) -> None:
    for link in links(page.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leads out of the repository"
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), f"{link}: no such heading"


@pytest.mark.parametrize("index", [DOCS / "README.md", DOCS / "decisions" / "README.md"], ids=str)
def test_an_index_names_every_page_beside_it(index: Path) -> None:
    linked = {link.partition("#")[0] for link in links(index.read_text(encoding="utf-8"))}
    beside = {path.name for path in index.parent.glob("*.md")} - {"README.md"}
    assert beside <= linked, beside - linked


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_what_the_page_about_peers_names_is_there() -> None:
    """Its lines are facts only as long as the code and the tests that they name exist."""
    text = (ROOT / "docs/peers.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:contest|games|tests|docs)/[\w/.]+)`", text)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []
    tests = set(re.findall(r"`(test_\w+)`", text))
    defined = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name in tests if f"def {name}(" not in defined] == []


def test_the_worked_examples_of_the_measures_are_true() -> None:
    page = doctest.DocTestParser()
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner()
    for number, block in enumerate(blocks(read("measures.md"))):
        test = page.get_doctest(block.content, names, f"block {number}", "docs/measures.md", 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.tries >= 15 and runner.failures == 0


def test_the_page_of_the_measures_is_about_those_of_2016() -> None:
    limits = yaml.safe_load((ROOT / "games/pwscup2016/contest.yaml").read_text(encoding="utf-8"))
    named = {limit["measure"] for round_ in limits["rounds"] for limit in round_["limits"]}
    assert named == {measure.name for measure in MEASURES[:4]} <= anchors(read("measures.md"))


@pytest.mark.parametrize("attack", EVERY_ATTACK, ids=lambda attack: attack.name)
def test_every_house_attack_is_described_below_its_format(attack: HouseAttack) -> None:
    game = next(game for game in GAMES if attack in game.attacks)
    page = read("house-attacks.md")
    (heading,) = re.findall(rf"^## .+\({game.format.name}\)$", page, re.MULTILINE)
    text = section(section(page, heading), f"### {attack.name}")
    assert re.fullmatch(r"\s*\*Looks at\* .+\s\*Cost\*: .+\s\*Beats\* .+", text, re.DOTALL), text


def test_the_table_of_the_house_attacks_is_what_the_gallery_computed() -> None:
    shop = kept()["2016"]
    table = section(read("house-attacks.md"), "## Whom they find")
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line[:1] == "|"]
    (_, *methods), _rule, *rows = lines
    assert len(rows) >= 10 and f"Of {shop['customers']} customers" in read("house-attacks.md")
    for name, *found in rows:
        assert [shop["methods"][method]["found"][name] for method in methods] == list(map(int, found)), name


def test_the_glossary_uses_the_japanese_of_the_pages() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", read("glossary.md"), re.MULTILINE)
    terms = [row for row in rows if row[0] not in {"name", "term"} and "---" not in row[0]]
    said = "\n".join(str(message.string) for message in read_catalogue("ja"))
    assert len(terms) > 40
    assert [term for term in terms if term[1] not in said] == []


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_is_described_and_readable_by_day_and_night(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    drawn = ElementTree.fromstring(text)
    for name in ("title", "desc"):
        words = drawn.find(f"{{http://www.w3.org/2000/svg}}{name}")
        assert words is not None and words.text and words.attrib["id"] in drawn.attrib["aria-labelledby"]
    assert "prefers-color-scheme: dark" in text and "<script" not in text
    by_day, by_night = text.split("@media")
    coloured = set(re.findall(r"(?m)^ *([.\w, ]+) {[^}]*#[0-9a-f]{6}", by_day))
    again = set(re.findall(r"(?m)^ *([.\w, ]+) {[^}]*#[0-9a-f]{6}", by_night))
    split = [{one.strip() for names in found for one in names.split(",")} for found in (coloured, again)]
    assert split[0] == split[1], "a colour for one theme only"
