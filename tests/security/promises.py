"""The promises of SECURITY.md and the tests that hold them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.conftest import ROOT

PLACES = ("tests/security", "tests/browser/test_scripts.py", "tests/attacks/sandbox", "tests/deployment")
"""Where probes stand; SECURITY.md names some beyond them."""


@dataclass(frozen=True)
class Promise:
    words: str
    tests: tuple[str, ...]
    """Files, and folders with a slash at their end."""

    def holds(self, file: str) -> bool:
        return any(file == place or (place.endswith("/") and file.startswith(place)) for place in self.tests)


def promises() -> list[Promise]:
    """The rows of the table: what is promised, what holds it, and the tests in its last column."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (.+) \| (.*`tests/.+) \|$", text, re.MULTILINE)
    return [Promise(words, tuple(re.findall(r"`(tests/[^`]+)`", tests))) for words, _holder, tests in rows]
