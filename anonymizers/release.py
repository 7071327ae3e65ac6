"""What releases need: names that say nothing, and a word where nothing can be released."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class CannotProtect(ValueError):
    """The method cannot make a legal entry from this data with these parameters. The text says why."""


def fresh_names(
    count: int, prefix: str, taken: set[str], rng: np.random.Generator
) -> npt.NDArray[np.object_]:
    """Random distinct names that are not taken.

    >>> names = fresh_names(3, "p", set(), np.random.default_rng(1))
    >>> len(set(names.tolist())), all(name.startswith("p") and len(name) == 9 for name in names)
    (3, True)
    """
    names: dict[str, None] = {}
    while len(names) < count:
        for number in rng.integers(0, 2**32, size=count - len(names)).tolist():
            name = f"{prefix}{number:08x}"
            if name not in taken:
                names[name] = None
    return np.array(list(names), dtype=object)
