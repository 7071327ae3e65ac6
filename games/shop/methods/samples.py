"""Entries for everybody to look at: which methods make them, and from which seed."""

from __future__ import annotations

from games.shop.methods.registry import methods_of

SAMPLE_SEED = 20161011
"""Known to everybody, as a sample shows its truth; the seeds of house entries are drawn in secret."""
N_SAMPLES = 2


def samples_of(format_name: str) -> tuple[str, ...]:
    """The methods whose entries the kit of a round shows.

    >>> samples_of("2016")
    ('identity', 'shuffle')
    """
    return tuple(method.name for method in methods_of(format_name)[:N_SAMPLES])
