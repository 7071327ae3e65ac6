"""What makes two names one: the same letters, or letters that look the same."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache
from pathlib import Path

LONGEST_LOOK = 200


def normalise_name(name: str) -> str:
    """The form in which names are compared: compatibility-folded, case-folded, spaces squeezed.

    >>> normalise_name("  Ｔanuki   Team ") == normalise_name("tanuki team")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def look_of(name: str) -> str:
    """How a name looks: two names with one look cannot be told apart by a reader.

    This is the skeleton of UTS 39, section 4, of the name as it is written, and again of that in small
    letters: I, l and 1 look alike, and I and i are one letter.

    >>> look_of("PayPaI") == look_of("paypa1")
    True
    """
    written = " ".join(unicodedata.normalize("NFKC", name).split())
    look = _skeleton(_skeleton(written).casefold())
    if len(look) > LONGEST_LOOK:
        return hashlib.sha256(look.encode("utf-8")).hexdigest()
    return look


def _skeleton(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", decomposed.translate(_table()))


@lru_cache
def _table() -> dict[int, str]:
    """Unicode's table of look-alikes; `contest/names/generate.py` wrote the file and says from what."""
    lines = Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {int(first, 16): "".join(chr(int(part, 16)) for part in rest) for first, *rest in rows}
