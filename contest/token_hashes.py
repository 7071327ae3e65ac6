"""Tokens are stored as their hashes, so that reading the database gives nobody a valid one."""

from __future__ import annotations

import hashlib


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
