from __future__ import annotations

import secrets

SEED_LIMIT = 2**63
"""Seeds are below this. Whoever can try them all makes every house entry again, so they must be many."""


def secret_seed() -> int:
    """A seed that nobody guesses: who knows it can make a house entry again, and with it the truth."""
    return secrets.randbelow(SEED_LIMIT)
