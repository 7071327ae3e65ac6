"""What a submitted program may use. The organiser chooses; the sentences for teams quote these numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one run against one entry.

    ``memory_bytes`` holds for one process and for all of them together; ``scratch_bytes`` is the size of the
    private ``/tmp`` and, apart from it, of ``/out``, and ``files`` is how many files each of them may hold;
    temporary files count as memory too. ``output_bytes`` is the largest Q that is accepted: a
    guess for 100,000 people takes 0.7 MB.
    """

    cpu_seconds: int = 60
    wall_seconds: float = 120
    memory_bytes: int = 2048 * MIB
    processes: int = 64
    scratch_bytes: int = 64 * MIB
    output_bytes: int = 1 * MIB
    log_bytes: int = 64 * 1024
    open_files: int = 256
    files: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value <= 0:
                raise ValueError(f"The '{field.name}' limit must be greater than 0. Got {value} instead.")


def limits_of(values: Mapping[str, float]) -> Limits:
    """The usual limits but for these.

    >>> limits_of({"processes": 3}).processes, limits_of({}) == Limits()
    (3, True)
    """
    given: dict[str, Any] = dict(values)
    return Limits(**given)


def size_text(count: int) -> str:
    """A number of bytes for people.

    >>> size_text(2048 * MIB), size_text(64 * MIB), size_text(64 * 1024), size_text(12)
    ('2 GB', '64 MB', '64 kB', '12 bytes')
    """
    for unit, name in ((1 << 30, "GB"), (MIB, "MB"), (1 << 10, "kB")):
        if count >= unit:
            return f"{count / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{count} bytes"
