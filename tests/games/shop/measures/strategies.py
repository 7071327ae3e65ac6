"""Small random contests, as plain rows: what the oracle reads and what the library reads are one source."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from datasets.tables import date_text
from games.shop.data.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, PurchaseData, price_text

Person = tuple[str, str, str, str]
Row = tuple[str, str, str, str, str, str, str]


@dataclass(frozen=True)
class Contest:
    """M, T, M′, T′ as tuples of texts, and the truth."""

    people: tuple[Person, ...]
    rows: tuple[Row, ...]
    people_after: tuple[Person, ...]
    rows_after: tuple[Row, ...]
    truth: tuple[int, ...]

    def datasets(self) -> tuple[PurchaseData, PurchaseData, np.ndarray]:
        return (
            dataset(self.people, self.rows),
            dataset(self.people_after, self.rows_after),
            np.array(self.truth, dtype=np.int64),
        )


def dataset(people: tuple[Person, ...], rows: tuple[Row, ...]) -> PurchaseData:
    return PurchaseData.from_frames(
        pd.DataFrame(people, columns=list(MASTER_COLUMNS), dtype=object),
        pd.DataFrame(rows, columns=list(TRANSACTION_COLUMNS), dtype=object),
    )


def random_rows(random: Random, names: list[str], count: int) -> list[Row]:
    """Purchases over 100 days by some of the named people; some may buy nothing."""
    return [
        (
            random.choice(names),
            str(random.randint(1, 6)),
            date_text(random.randint(14944, 15044)),
            random.choice(["8:05", "12:30"]),
            random.choice(["tea", "cake", "milk", "jam", "rice"]),
            price_text(random.randint(1, 99_999)),
            str(random.randint(1, 50)),
        )
        for _ in range(count if names else 0)
    ]


def random_person(random: Random, name: str) -> Person:
    country = random.choice(["France", "Japan", "Spain"])
    return name, random.choice("fm"), f"19{random.randint(50, 99)}/1/{random.randint(1, 28)}", country


@st.composite
def contests(draw: st.DrawFn) -> Contest:
    """Up to 12 customers of whom some may be dropped; purchases are kept in part, and new ones added.

    Hypothesis chooses the shape; the cells come from a seed, which is far quicker than drawing each.
    """
    n = draw(st.integers(1, 12))
    kept = draw(st.one_of(st.just(n), st.integers(0, n)))
    n_rows, n_fresh = draw(st.integers(0, 40)), draw(st.integers(0, 20))
    random = Random(draw(st.integers(0, 2**32)))
    people = tuple(random_person(random, str(100 + i)) for i in range(n))
    truth = tuple(random.sample(range(n), kept))
    people_after = tuple(
        (f"p{i}", *(people[who] if random.random() < 0.7 else random_person(random, ""))[1:])
        for i, who in enumerate(truth)
    )
    rows = tuple(random_rows(random, [person[0] for person in people], n_rows))
    pseudonym = {people[who][0]: f"p{i}" for i, who in enumerate(truth)}
    stayed = [(pseudonym[row[0]], *row[1:]) for row in rows if row[0] in pseudonym]
    fresh = random_rows(random, [person[0] for person in people_after], n_fresh)
    return Contest(people, rows, people_after, tuple(stayed[: random.randint(0, 40)] + fresh), truth)
