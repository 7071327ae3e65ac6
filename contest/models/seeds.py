from __future__ import annotations

import secrets

SEED_LIMIT = 2**63
"""Seeds are below this. Trying them all would reproduce every house entry, so they must be many."""


def secret_seed() -> int:
    """A seed that nobody can guess: with it, a house entry and its truth can be reproduced."""
    return secrets.randbelow(SEED_LIMIT)
