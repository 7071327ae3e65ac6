"""Snowballing linkage on the example of "Reidentification Risk in Panel Data", Table 1."""

from __future__ import annotations

import numpy as np

from attacks.linkage.snowball import nobody_linked, snowball
from datasets.tables import NO_GUESS
from games.shop.attacks.re_sno import re_sno
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import basket_view
from tests.games.shop.attacks.tables import dataset, reordered

PANEL = {
    "A": [(2, 2, 2), (2, 0, 1), (2, 2, 0)],
    "B": [(2, 2, 0), (2, 2, 1), (3, 0, 2)],
    "C": [(2, 0, 1), (2, 2, 1), (3, 1, 0)],
    "D": [(3, 1, 0), (3, 0, 2)],
}
"""Table 1: a household's transactions as week, units of Lays, units of Ruffles."""


def panel(households: dict[str, list[tuple[int, int, int]]]) -> PurchaseData:
    people = [(name, "f", "1970/1/1", "UK") for name in households]
    lines = [
        (name, f"{name}{number}", f"2011/1/{week}", "9:00", brand, "1", units)
        for name, transactions in households.items()
        for number, (week, lays, ruffles) in enumerate(transactions)
        for brand, units in (("lays", lays), ("ruffles", ruffles))
        if units
    ]
    return dataset(people, lines)


def test_all_households_of_table_1_are_linked_in_the_papers_iterations() -> None:
    # Section 3.1 and Figure 3: A in iteration 1, B and C in 2, D in 3; sno-unicity is 100 %.
    data = panel(PANEL)
    links = snowball(basket_view(data, data, days=True), nobody_linked(4))
    assert links.rows.tolist() == [0, 1, 2, 3]
    assert links.iteration.tolist() == [1, 2, 2, 3]


def test_the_attack_links_the_households_in_any_order_of_rows() -> None:
    data = panel(PANEL)
    rng = np.random.default_rng(1)
    truth = rng.permutation(4)
    released = reordered(data, truth, rng.permutation(data.transactions.n_rows))
    assert re_sno(data, released, rng).rows.tolist() == truth.tolist()


def test_people_who_share_every_purchase_with_another_are_not_linked() -> None:
    twins = panel({"A": [(1, 1, 0)], "B": [(1, 1, 0)], "C": [(2, 0, 3)]})
    links = snowball(basket_view(twins, twins, days=True), nobody_linked(3))
    assert links.rows.tolist() == [NO_GUESS, NO_GUESS, 2]


def test_more_unique_purchases_win_where_links_contradict() -> None:
    original = panel({"A": [(1, 1, 0), (2, 1, 0)], "B": [(3, 1, 0)]})
    released = panel({"p": [(1, 1, 0), (2, 1, 0), (3, 1, 0)], "q": [(4, 4, 4)]})
    links = snowball(basket_view(original, released, days=True), nobody_linked(2))
    assert links.rows.tolist() == [0, NO_GUESS]


def test_a_receipt_is_one_token_whatever_the_order_of_its_lines() -> None:
    data = panel({"A": [(1, 2, 3)], "B": [(1, 3, 2)]})
    turned = reordered(data, np.arange(2), np.arange(4)[::-1])
    view = basket_view(data, turned, days=True)
    assert view.n_tokens == 2
    assert view.original.tokens.tolist() == view.released.tokens.tolist()
