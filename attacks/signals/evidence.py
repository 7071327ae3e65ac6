from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Evidence:
    """``strength`` is what was found, ``threshold`` the value from which it is worth a look."""

    kind: str
    strength: float
    threshold: float
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def is_lit(self) -> bool:
        return self.strength >= self.threshold
