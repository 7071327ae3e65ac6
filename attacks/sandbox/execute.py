"""One run of one program with a backend that was already found fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from attacks.sandbox.launch import Launch
from attacks.sandbox.limits import Limits
from attacks.sandbox.program import Program
from attacks.sandbox.result import SandboxResult, conclude
from attacks.sandbox.stage import OUTPUT, PUBLIC_FILES, PublicFiles, Stage, staged
from attacks.sandbox.watch import Watch


class Backend(Protocol):
    """A way to isolate a run."""

    @property
    def name(self) -> str: ...

    @property
    def mend(self) -> str:
        """What to do where this backend does not isolate."""
        ...

    @property
    def counted_by(self) -> str:
        """Which control groups count a run: v1, v2, hybrid, those of an "engine", or "none"."""
        ...

    def __hash__(self) -> int: ...

    def launch(self, stage: Stage, limits: Limits) -> AbstractContextManager[Launch]: ...


def execute(
    backend: Backend,
    program: Program,
    inputs: Mapping[str, Path],
    limits: Limits,
    on_log: Callable[[str], None] | None = None,
    public: PublicFiles = PUBLIC_FILES,
    output: str = OUTPUT,
) -> SandboxResult:
    """Lay out, start, watch and conclude one run."""
    with staged(program, inputs, public, output) as stage, backend.launch(stage, limits) as launch:
        return conclude(Watch(launch, limits, on_log).run(), limits)
