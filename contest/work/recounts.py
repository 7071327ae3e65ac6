"""What a recount has compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Recount:
    """What was compared: ``differences`` in sentences; ``skipped`` says why not everything was."""

    compared: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    def compare(self, what: str, where: str, found: Any, expected: Any) -> None:
        self.compared[what] = self.compared.get(what, 0) + 1
        if found != expected:
            self.differences.append(f"{where}: {what} is {found!r}, expected {expected!r}.")

    def skip(self, why: str) -> None:
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def sentences(self) -> Iterator[str]:
        yield from self.differences
        for what, count in sorted(self.compared.items()):
            yield f"{count} × {what} compared"
        for why, count in sorted(self.skipped.items()):
            yield f"{count} skipped: {why}"
        yield "all the same" if not self.differences else f"{len(self.differences)} differ"
