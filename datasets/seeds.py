"""Seeds that must stay secret: whoever knows one can make an entry again, and with it the truth about it."""

from __future__ import annotations

import secrets

SEED_LIMIT = 2**63
"""Seeds are below this. Trying them all would reproduce every entry, so they must be many."""


def secret_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(SEED_LIMIT)
