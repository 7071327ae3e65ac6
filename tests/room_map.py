"""The map of the rooms in docs/rooms.md, made from the plan of the walls and from the rooms' own docstrings.

``python -m tests.room_map`` writes it again.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from tests.conftest import ROOT
from tests.test_architecture import ALLOWED
from tests.test_rooms import LEAVES, ONE_DOOR, WALLS

PAGE = ROOT / "docs" / "rooms.md"
BEGIN, END = "<!-- made by python -m tests.room_map -->\n", "<!-- end of the map -->\n"


def purpose(path: Path) -> str:
    """What a room is for: the first line of its docstring."""
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def row(name: str, path: Path, imports: Collection[str], order: Collection[str]) -> str:
    label = f"{name}/" if path.is_dir() else f"{name}.py"
    listed = ", ".join(room for room in order if room in imports) or "–"
    return f"| `{label}` | {purpose(path)} | {listed} |\n"


def room_map() -> str:
    return "".join(_lines())


def _lines() -> Iterator[str]:
    yield "## Packages\n\n| package | what it is for | may import |\n|---|---|---|\n"
    for name, imports in ALLOWED.items():
        yield row(name, ROOT / name, imports, ALLOWED)
    for package, walls in WALLS.items():
        yield f"\n## Rooms of `{package}/`\n\n| room | what it is for | may import |\n|---|---|---|\n"
        leaves = sorted(LEAVES) if package == "contest" else []
        for name in leaves:
            yield row(name, ROOT / package / name, (), walls)
        for name, imports in walls.items():
            yield row(name, ROOT / package / name, imports, walls)
        if leaves:
            yield f"\nEvery room of `{package}/` may import {_listed(leaves)}: they know no contests.\n"
    doors = [f"{door.replace('.', '/')}/" for door in sorted(ONE_DOOR)]
    yield f"\nOne door: others import {_listed(doors)} by its `__init__` alone.\n"


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page_with(text: str) -> str:
    """The page with another map in it; what is written around the map stays."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + text + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page_with(room_map()), encoding="utf-8")
