"""Every process of the platform begins here: what it writes is for its own user alone."""

from __future__ import annotations

import os
from collections.abc import Sequence

PUBLIC_COMMANDS = frozenset({"catalogue", "collectstatic", "gallery", "makemigrations"})
"""Commands that write files of the program, which another user may run later."""


def keep_private(arguments: Sequence[str] = ()) -> None:
    """Folders 0700, files 0600, whatever the shell or the service that started this process says."""
    if not (len(arguments) > 1 and arguments[1] in PUBLIC_COMMANDS):
        os.umask(0o077)
