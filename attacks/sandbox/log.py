"""The log of a program: capped, and made harmless for terminals and pages."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from attacks.sandbox.limits import size_text

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Everything that moves a cursor, colours, beeps, hides or reverses text; tab and line feed stay."""


def neutral(text: str) -> str:
    """Show control characters instead of interpreting them.

    >>> neutral("ok\\r\\n\\x1b[2Jgone")
    'ok\\n\\\\x1b[2Jgone'
    """
    return CONTROL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


class LogKeeper:
    """Keeps the beginning and the end of a log: the error is at the end."""

    def __init__(self, limit: int, on_log: Callable[[str], None] | None = None) -> None:
        self.head_room = limit - limit // 4
        self.tail_room = limit // 4
        self.head, self.tail = bytearray(), bytearray()
        self.total = 0
        self.on_log = on_log
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self.head_room - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        # Trimming only when it has doubled keeps the work linear in what comes.
        if len(self.tail) > 2 * self.tail_room:
            del self.tail[: len(self.tail) - self.tail_room]
        if self.on_log and room > 0:
            self.on_log(neutral(self.decoder.decode(chunk[:room])))

    def text(self) -> str:
        """The log as text, with a note where something was left out."""
        kept = self.tail[-self.tail_room :] if self.tail_room else b""
        left_out = self.total - len(self.head) - len(kept)
        if left_out <= 0:
            return neutral((self.head + kept).decode("utf-8", "replace"))
        begin, end = (neutral(part.decode("utf-8", "replace")) for part in (self.head, kept))
        return f"{begin}\n[… {size_text(left_out)} of the log left out …]\n{end}"
