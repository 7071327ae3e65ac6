"""Reading the Markdown pages of the repository: their links, anchors, sections and code blocks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NOT_OURS = {".git", ".venv", ".pytest_cache", "var", "build", "dist"}


@dataclass(frozen=True)
class Block:
    """A fenced block of code and the paragraph before it, which says what to do with it."""

    before: str
    language: str
    content: str


def documents() -> list[Path]:
    """All Markdown pages that people wrote here."""
    found: list[Path] = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = set(folders) - NOT_OURS
        found += [Path(folder) / name for name in files if name.endswith(".md")]
    return sorted(found)


def section(text: str, heading: str) -> str:
    """What a page says below a heading, up to the next one of the same or a higher level.

    >>> section("# A\\n\\n## B\\nfirst\\n### C\\nsecond\\n## D\\nthird\\n", "## B")
    'first\\n### C\\nsecond\\n'
    """
    level = len(heading.partition(" ")[0])
    start = re.search(rf"^{re.escape(heading)}\n", text, re.MULTILINE)
    assert start is not None, f"there is no heading {heading!r}"
    rest = text[start.end() :]
    end = re.search(rf"^#{{1,{level}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a text, in order.

    >>> blocks("Run this:\\n\\n```sh\\nls\\n```\\n")
    [Block(before='Run this:', language='sh', content='ls\\n')]
    """
    return [
        Block(text[: match.start()].rstrip().rpartition("\n\n")[2].strip(), match[1], match[2])
        for match in FENCE.finditer(text)
    ]


def links(text: str) -> Iterator[str]:
    """Where the links and pictures of a page lead; code is no link."""
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        yield match[1]


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as code hosts make them.

    >>> sorted(anchors("# k-MM: what, and `why`\\n## Two words\\n"))
    ['k-mm-what-and-why', 'two-words']
    """
    headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
