"""Words of the numerics in the visitor's language.

The numerics know nothing of the web and speak English. What they say is either the description of a method
or a sentence with values in it; both are looked up here when they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator


def registry_texts() -> Iterator[str]:
    yield from ()
