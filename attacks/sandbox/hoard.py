"""One more attempt of the self-test: hold memory that no process maps, by children that never touch it.

It runs alone, since a kernel that counts such memory ends the whole run. This file uses the standard library
only and must not be imported by the platform.
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from pathlib import Path

PIECE = 24 << 20
PIECES = 8
"""Twice the limit of the self-test in all."""


def hold() -> None:
    pages = mmap.mmap(-1, PIECE)
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    for place in range(0, PIECE, mmap.PAGESIZE):
        pages[place] = 1
    pages.close()


def main() -> None:
    out = Path(sys.argv[3])
    try:
        for _ in range(PIECES):
            hold()
    except OSError:
        out.write_bytes(b"denied")
        return
    out.write_bytes(b"%d MB of shared memory could be held" % (PIECE * PIECES >> 20))


if __name__ == "__main__":
    main()
