"""Errors whose text may be shown to people. Everything else is our fault and shown as a neutral sentence."""

from __future__ import annotations

import errno


class Refused(Exception):
    """What somebody asked for cannot be done; the text says why, the code is stable for programs."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class StoreUnavailable(Exception):
    """Files cannot be stored now: the disk is full or not writable. Ours to fix."""


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


def lacks_room(error: BaseException | None) -> bool:
    """Whether something failed because files cannot be written now, temporary ones included."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, OSError) and error.errno in NO_ROOM)
