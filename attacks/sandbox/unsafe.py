"""No sandbox at all: for an organiser's own programs on a machine that holds nothing else.

It limits time and memory but hides nothing, so it runs only where the organiser says so in the environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from attacks.sandbox.launch import Launch, limiting, reporting
from attacks.sandbox.limits import Limits
from attacks.sandbox.program import EXECUTABLE
from attacks.sandbox.stage import Stage
from attacks.sandbox.world import ENVIRONMENT

ACCEPTANCE = "KAKURENBO_ACCEPT_UNSAFE_EXECUTION"


def accepted() -> bool:
    """Only the exact value 1 counts; a leftover "0" or "false" must not enable it."""
    return os.environ.get(ACCEPTANCE) == "1"


@dataclass(frozen=True)
class Unsafe:
    """Runs programs as the platform's own user."""

    name: str = "none"
    mend: str = "The backend none isolates nothing. Choose another one."
    counted_by: str = "none"

    @contextmanager
    def launch(self, stage: Stage, limits: Limits) -> Iterator[Launch]:
        out = stage.folder / "out"
        out.mkdir()
        program = str(stage.folder / "program" / stage.entry)
        start = (program,) if stage.entry == EXECUTABLE else (sys.executable, program)
        argv = (
            *limiting(limits, own_processes=False),
            *reporting((*start, *stage.arguments(stage.folder, out)), limits),
        )
        inherited = {"PATH": os.defpath, "HOME": str(out), "TMPDIR": str(out)}
        environment = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"} | inherited
        yield Launch(argv, environment=environment)
