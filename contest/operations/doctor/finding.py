from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """What a check found, in a sentence, and what to do about it."""

    state: State
    text: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


def ok(text: str) -> Finding:
    return Finding("ok", text)


def warning(text: str, mend: str) -> Finding:
    return Finding("warning", text, mend)


def failed(text: str, mend: str) -> Finding:
    return Finding("failed", text, mend)
