"""An unchanged Codabench bundle as the files of a game: its declaration is made, its programs stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from games.codabench.bundle import FILE, Bundle, Column, read_bundle

FOLDER = "bundle"
CODE = f'''"""A Codabench bundle; `games.codabench` runs its scoring program."""

from pathlib import Path

from games.codabench.game import CodabenchGame


class Game(CodabenchGame):
    bundle = Path(__file__).parent / "{FOLDER}"
'''
SUBMISSION = "submission.zip"
MOST_BYTES = 64 * 1024 * 1024


def as_game(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a game that plays the bundle with these files; `BadGame` says why it cannot be played."""
    text = files[FILE].decode("utf-8", "replace")
    bundle = read_bundle(text, frozenset(files))
    declared = yaml.safe_dump(_declaration(bundle), sort_keys=False, allow_unicode=True)
    inner = {f"{FOLDER}/{name}": content for name, content in files.items()}
    return {"game.yaml": declared.encode(), "game.py": CODE.encode(), **inner}


def _declaration(bundle: Bundle) -> dict[str, Any]:
    primary = bundle.columns[0]
    order = "; then ".join(
        f"{'lower' if column.lower_wins else 'higher'} {column.title}" for column in bundle.columns
    )
    return {
        "name": _named(bundle.title),
        "version": "1.0",
        "title": {"en": bundle.title},
        "people": {"en": "people"},
        "phases": "seek",
        "parameters": [
            {"name": "phase", "kind": "integer", "least": 0, "most": len(bundle.phases) - 1, "default": 0}
        ],
        "files": [
            {
                "name": SUBMISSION,
                "scope": "answer",
                "made": "upload",
                "max-bytes": MOST_BYTES,
                "meaning": {"en": "What the scoring program finds in input/res."},
            }
        ],
        "challenges": [
            {
                "name": "submission",
                "title": {"en": "Submission"},
                "question": {"en": bundle.description or bundle.title},
                "answer": [SUBMISSION],
                "numbers": [_number(column) for column in bundle.columns],
            }
        ],
        "rules": [
            {
                "name": "leaderboard",
                "formula": {"en": f"{order}. Of several tasks the mean counts."},
                "boards": ["main"],
            }
        ],
        "laws-off": {
            "truth-is-best": {"en": f"Only the program knows what the best {primary.title} is."},
            "blind-is-baseline": {"en": "There is no blind answer."},
        },
    }


def _number(column: Column) -> dict[str, Any]:
    return {
        "name": column.key,
        "title": {"en": column.title},
        "better": "lower" if column.lower_wins else "higher",
        "decimals": column.decimals,
        "told": "tally" if column.is_hidden else "at once",
    }


def _named(title: str) -> str:
    """
    >>> _named("The 3rd Cup: Hide & Seek"), _named("大会")
    ('the-3rd-cup-hide-seek', 'codabench')
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50].strip("-")
    return name if re.match("[a-z]", name) else "codabench"
