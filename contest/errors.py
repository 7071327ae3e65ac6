"""Errors whose text may be shown to people. Everything else is our fault and shown as a neutral sentence."""

from __future__ import annotations


class Refused(Exception):
    """What somebody asked for cannot be done; the text says why, the code is stable for programs."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class StoreUnavailable(Exception):
    """Files cannot be kept now: the disk is full, or not to be written. Ours to mend."""
