"""Rewrites the table of look-alikes: ``python -m contest.names.generate``, with PyICU installed.

ICU carries Unicode's table (confusables.txt of UTS 39) and is what browsers use. The file holds only
characters that NFKC and NFD leave as they are: names have these forms when they are looked up.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

TABLE = Path(__file__).with_name("lookalikes.txt")


def main() -> None:
    import icu

    checker = icu.SpoofChecker()
    lines = [
        f"# Unicode {icu.UNICODE_VERSION}, confusables.txt of UTS 39, read from ICU {icu.ICU_VERSION}.",
        "# © Unicode, Inc., https://www.unicode.org/license.txt",
        "# A character, and what it looks like; both in hexadecimal code points.",
    ]
    for point in range(0x20, sys.maxunicode + 1):
        character = chr(point)
        if 0xD800 <= point < 0xE000 or any(
            unicodedata.normalize(form, character) != character for form in ("NFKC", "NFD")
        ):
            continue
        likeness = checker.getSkeleton(0, character)
        if likeness not in {character, ""}:
            lines.append(f"{point:04X} " + " ".join(f"{ord(part):04X}" for part in likeness))
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
