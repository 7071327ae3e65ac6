"""docs/rooms.md shows the house as the plan of its walls has it."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.room_map import PAGE, page_with, purpose, room_map
from tests.test_rooms import WALLS


def test_the_page_shows_the_plan() -> None:
    message = "python -m tests.room_map writes it again"
    assert PAGE.read_text(encoding="utf-8") == page_with(room_map()), message


@pytest.mark.parametrize("package", WALLS)
def test_every_room_says_what_it_is_for(package: str) -> None:
    silent = [name for name in WALLS[package] if not purpose(ROOT / package / name)]
    assert silent == []


def test_a_room_is_shown_with_what_it_may_import() -> None:
    line = next(line for line in room_map().splitlines() if line.startswith("| `access/`"))
    assert line.endswith("| models, play |")
