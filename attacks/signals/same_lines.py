"""Files that are nearly the same although two teams made them, compared line by line: any table will do."""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.signals.evidence import Evidence

THRESHOLD = 0.5
FEWEST = 20
"""With fewer changed lines an agreement says nothing."""
MOST_LINES = 20_000
"""So many changed lines of an entry are compared: those with the smallest hashes, which is a fair sample."""
ANY_PLACE = -1
EVERYTHING = 1 << 64

Line = tuple[int, bytes]
"""The place of a line, where the order of the rows was kept, and its text."""
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Changed:
    """The hashes of lines that nobody handed to the team, all of them below ``cutoff``."""

    keys: Keys
    cutoff: int = EVERYTHING


def lines_of(content: bytes, *, is_kept: bool = False) -> Iterator[Line]:
    """The lines of a file; where the order of the rows is kept, a line is another one in another place.

    >>> list(lines_of(b"30,a\\n40,b\\n")), list(lines_of(b"30\\r\\n40", is_kept=True))
    ([(-1, b'30,a'), (-1, b'40,b')], [(0, b'30'), (1, b'40')])
    """
    for number, line in enumerate(content.split(b"\n")):
        text = line.removesuffix(b"\r")
        if text:
            yield (number if is_kept else ANY_PLACE), text


def keys_of(lines: Iterable[Line]) -> Keys:
    """The hashes of lines, each once: eight bytes per line are held, whatever its length."""
    found = array("Q", (key_of(line) for line in lines))
    return np.unique(np.array(found, dtype=np.uint64))


def changed(lines: Iterable[Line], known: Keys, most: int = MOST_LINES) -> Changed:
    """What is left of some lines without the known ones; of more than ``most`` a sample."""
    keys = np.setdiff1d(keys_of(lines), known, assume_unique=True)
    if len(keys) <= most:
        return Changed(keys)
    return Changed(keys[:most], int(keys[most]))


def same_lines(first: Changed, second: Changed, by_chance: Changed | None = None) -> Evidence:
    """How many of the lines that two teams changed are the same.

    Both entries are close to the original, and so to each other; that is no evidence. With A and B the sets
    of their lines that neither public data nor the house hold, the share is |A ∩ B| / |A ∪ B|. ``by_chance``
    is B with its columns shuffled (`shuffled`): lines of few short cells agree by chance, and what is
    reported is (share − chance) / (1 − chance), from 0 to 1. An honest reason: both used the same method
    without randomness, such as rounding.

    >>> mine = Changed(keys_of([(-1, b"%d" % age) for age in range(30)]))
    >>> same_lines(mine, mine).strength, same_lines(mine, mine, mine).strength
    (1.0, 0.0)
    """
    shared, together, fewest = _overlap(first, second)
    share = shared / together if fewest >= FEWEST and together else 0.0
    chance = 0.0
    if by_chance is not None:
        met, of, _ = _overlap(first, by_chance)
        chance = met / of if of else 0.0
    strength = max(0.0, (share - chance) / (1 - chance)) if chance < 1 else 0.0
    detail = {"changed": len(first.keys), "changed_other": len(second.keys), "the_same": shared}
    return Evidence("near-duplicate", strength, THRESHOLD, {**detail, "by_chance": round(chance, 3)})


def shuffled(lines: Sequence[Line], rng: np.random.Generator) -> list[Line]:
    """The same lines with the cells of each column in another order; places stay.

    >>> sorted(shuffled([(-1, b"1,a"), (-1, b"2,a")], np.random.default_rng(0)))
    [(-1, b'1,a'), (-1, b'2,a')]
    """
    widths: dict[int, list[tuple[int, list[bytes]]]] = defaultdict(list)
    for place, text in lines:
        cells = text.split(b",")
        widths[len(cells)].append((place, cells))
    mixed: list[Line] = []
    for width in sorted(widths):
        rows = widths[width]
        orders = [rng.permutation(len(rows)) for _ in range(width)]
        for number, (place, _) in enumerate(rows):
            cells = [rows[order[number]][1][column] for column, order in enumerate(orders)]
            mixed.append((place, b",".join(cells)))
    return mixed


def _overlap(first: Changed, second: Changed) -> tuple[int, int, int]:
    """How many lines are in both, in either, and in the smaller one; of samples, in the part both cover."""
    cutoff = min(first.cutoff, second.cutoff)
    one, other = (side.keys if cutoff == EVERYTHING else side.keys[side.keys < np.uint64(cutoff)]
                  for side in (first, second))  # fmt: skip
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared, len(one) + len(other) - shared, min(len(one), len(other))


def key_of(line: Line) -> int:
    place, text = line
    digest = hashlib.blake2b(text, digest_size=8, salt=place.to_bytes(8, "little", signed=True))
    return int.from_bytes(digest.digest(), "little")
