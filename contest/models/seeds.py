"""The default of a round's seed, under the name by which migrations know it."""

from __future__ import annotations

from datasets.seeds import secret_seed

__all__ = ["secret_seed"]
