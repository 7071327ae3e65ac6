"""Whole contests that a site can begin from: one `contest.yaml` in the folder of each game that has one."""

from __future__ import annotations

from pathlib import Path

from datasets.lookup import unknown_name

FILE = "contest.yaml"
GAMES = Path(__file__).parent.parent


def preset_names() -> list[str]:
    """A preset has the name of its game's folder."""
    return sorted(path.parent.name for path in GAMES.glob(f"*/{FILE}"))


def preset_text(name: str) -> str:
    """The text of a preset of the house."""
    if name not in preset_names():
        raise KeyError(unknown_name(preset_names(), name, "preset"))
    return (GAMES / name / FILE).read_text(encoding="utf-8")
