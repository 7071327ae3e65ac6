"""`bayes-synthetic` on M and T: customers are the stores, weeks the periods, spend per week the response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.engines.bayes_synthetic.brand import Settings, synthesize
from anonymizers.table.bayes_synthetic import PARAMETERS, refuse_unconverged
from arithmetic import log
from datasets.store_panel import StorePanel
from datasets.tables import Coded, Integers, frozen
from games.shop.data.amounts import MAX_PRICE, MAX_QUANTITY
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish, with_rows

DAYS = 7


def bayes_synthetic(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    kappa: float,
    chains: int,
    burn_in: int,
    draws: int,
    rhat_limit: float,
    min_effective: float,
) -> Anonymized:
    """Redraw what every customer spends in a week, and scale the quantities of that week to it.

    ln spend_it = μ + u_i + β ln p_it + ε_it: i customers, t weeks from the first date of T in which i bought,
    p_it the mean unit price paid, u_i ~ N(0, σ²_u), with the prior of κ as for store panels. One posterior
    draw gives the synthetic spend S′_it. Every quantity of the week is multiplied by S′_it / S_it and rounded
    to at least 1 unit; where whole units miss by more than a tenth, the price takes the rest. Items, dates
    and receipts stay: against attacks on these, combine it with another method.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017; the adapter is
    platform definition v1.
    """
    rows = original.transactions
    week = (rows.day.astype(np.int64) - int(rows.day.min())) // DAYS
    cells, cell = np.unique(rows.customer * (week.max() + 1) + week, return_inverse=True)
    spent = np.bincount(cell, weights=rows.amount)
    panel = _panel(cells, int(week.max()) + 1, spent, np.bincount(cell, weights=rows.quantity))
    settings = Settings(kappa, np.array([kappa]), chains, burn_in, draws)
    group = np.zeros(panel.subject.n_labels, dtype=np.int64)
    done = synthesize(panel, np.arange(panel.n_rows), group, settings, rng)
    refuse_unconverged([done], panel.brand, rhat_limit, min_effective)
    ratio = (done.response / (spent / 100))[cell]
    quantity = np.clip(np.rint(rows.quantity * ratio), 1, MAX_QUANTITY)
    price = np.clip(np.rint(rows.amount * ratio / quantity), 1, MAX_PRICE)
    # The price moves only where whole units alone would miss the synthetic spend by more than a tenth.
    missed = np.abs(quantity * rows.price - rows.amount * ratio) > 0.1 * rows.amount * ratio
    scaled = replace(
        rows,
        quantity=frozen(quantity.astype(np.int64)),
        price=frozen(np.where(missed, price, rows.price).astype(np.int64)),
    )
    changed = int(((scaled.quantity != rows.quantity) | (scaled.price != rows.price)).sum())
    report = {
        "changed": f"quantity or price of {changed} of {rows.n_rows} rows, to {len(cells)} synthetic weeks",
        "rhat": done.rhat,
        "effective_draws": done.effective,
    }
    return Anonymized(publish(with_rows(original, scaled), rng), report)


def _panel(cells: Integers, n_weeks: int, spent: np.ndarray, units: np.ndarray) -> StorePanel:
    """The customer-weeks as a panel of one brand; spend and price in units of money."""
    subject, code = np.unique(cells // n_weeks, return_inverse=True)
    return StorePanel(
        subject=Coded.of(code, subject.astype(str)),
        period=frozen(cells % n_weeks),
        brand=Coded.of(np.zeros(len(cells)), np.array(["all"], dtype=object)),
        response=frozen(spent / 100),
        log_price=frozen(log(spent / units / 100)),
        promotions=np.empty((len(cells), 0)),
        promotion_names=(),
    )


BAYES_SYNTHETIC_SPENDING = Anonymizer(
    name="bayes-synthetic",
    title="Bayesian synthetic spending",
    meaning="What a customer spends in a week is redrawn from a model whose prior one knob, κ, tightens.",
    function=bayes_synthetic,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', 2017.",
    version=2,
    parameters=PARAMETERS,
)
