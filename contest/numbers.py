"""Numbers that people and programs write into addresses and forms."""

from __future__ import annotations

LARGEST = 2**63 - 1
"""What a database's integer holds."""


def whole_number(text: str, most: int = LARGEST) -> int | None:
    """The number 0, 1, 2, … that a text is, if it is one and not larger than allowed.

    Python refuses to read thousands of digits, and reads digits of every script; a database refuses numbers
    that it cannot hold. Such a number is answered like a wrong one, never with an error of ours.

    >>> whole_number("17"), whole_number("18", most=17), whole_number("٣"), whole_number("9" * 5000)
    (17, None, None, None)
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= most else None
