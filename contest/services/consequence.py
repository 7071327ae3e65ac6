"""What a change would do, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Consequence:
    """``code`` is stable for programs; ``count`` is how many entries, teams or runs it is about."""

    code: str
    count: int
    text: str
