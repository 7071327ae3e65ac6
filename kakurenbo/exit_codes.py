"""The exit codes of ``kakurenbo``, for scripts. The README lists them, and `--help` does."""

from __future__ import annotations

DONE = 0
REFUSED = 1
USAGE = 2
UNREACHABLE = 3
INTERRUPTED = 130
PIPE_CLOSED = 141

MEANINGS = {
    DONE: "done; an entry that was looked at is valid or still being judged",
    REFUSED: "the rules or the site refuse it: an invalid entry, a closed phase, a wrong token",
    USAGE: "the call or its input cannot be used",
    UNREACHABLE: "the site does not answer, or answers that something is wrong there: try again later",
    INTERRUPTED: "interrupted",
    PIPE_CLOSED: "the reader of the output went away",
}


def listed() -> str:
    """All of them in one paragraph.

    >>> listed().startswith("Exit codes: 0 done; an entry")
    True
    """
    return "Exit codes: " + ". ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items()) + "."
