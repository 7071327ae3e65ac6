"""All signals of a round: every entry by itself, every pair of teams, every pair of guesses at one entry."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from attacks.signals.climbing import climbing
from attacks.signals.evidence import Evidence
from attacks.signals.same_guesses import shared_mistakes
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData
from games.shop.signals.copies import changed_rows, compare_changes
from games.shop.signals.hidden_truth import low_digits, row_order


@dataclass(frozen=True)
class Lit:
    """Evidence above its threshold, and the keys of whom it concerns: entries, or attacks on one entry."""

    evidence: Evidence
    entry: int
    other: int | None = None
    attacks: tuple[int, int] | None = None


def entries_alone(
    original: PurchaseData, released: PurchaseData, truth: Integers, entry: int
) -> Iterator[Lit]:
    for evidence in (row_order(truth), low_digits(original, released, truth)):
        if evidence.is_lit:
            yield Lit(evidence, entry)


def pairs_of_entries(
    original: PurchaseData, released: Mapping[int, Callable[[], PurchaseData]]
) -> Iterator[Lit]:
    """Entries of different teams by key; each table is read once."""
    changes = {key: changed_rows(original, load()) for key, load in released.items()}
    for first, second in itertools.combinations(sorted(changes), 2):
        evidence = compare_changes(changes[first], changes[second])
        if evidence.is_lit:
            yield Lit(evidence, first, other=second)


def pairs_of_guesses(
    entry: int, truth: Integers, guesses: Mapping[int, Integers], house: Callable[[], Sequence[Integers]]
) -> Iterator[Lit]:
    """Guesses of different teams at one entry; the house makes its own only where they could explain it."""
    for first, second in itertools.combinations(sorted(guesses), 2):
        if shared_mistakes(guesses[first], guesses[second], truth).is_lit:
            evidence = shared_mistakes(guesses[first], guesses[second], truth, house())
            if evidence.is_lit:
                yield Lit(evidence, entry, attacks=(first, second))


def climbers(entry: int, histories: Iterable[Sequence[tuple[int, Integers, int]]]) -> Iterator[Lit]:
    """What single teams sent at one entry, in order: attack, guess and hits; named are the first and last."""
    for history in histories:
        evidence = climbing([guess for _, guess, _ in history], [hits for _, _, hits in history])
        if evidence.is_lit:
            yield Lit(evidence, entry, attacks=(history[0][0], history[-1][0]))
