"""`lp`: how surely a learned model names the store, or person, behind each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from datasets.store_panel import StorePanel
from scoring.measure import Measurement, RiskMeasure
from scoring.store_panel.identification import (
    RIDGE,
    VARIABLES,
    SubjectPeriods,
    identification,
    identification_holdout,
    subject_periods,
)
from scoring.store_panel.loss_of_protection import Protection

SHOWN = 5


def lp(
    table: pd.DataFrame,
    id: str,
    qid: Sequence[str],
    *,
    response: str,
    price: str,
    promotions: str | Sequence[str] = (),
    period: str | None = None,
    brand: str | None = None,
    history: pd.DataFrame | None = None,
    train: float | None = None,
    distinct: bool = False,
    intercept: bool = False,
    variables: Sequence[str] = VARIABLES,
    ridge: float = RIDGE,
) -> Measurement:
    """Maximum loss of protection, MLP = max_i √(n Σ_i′ P(Ŷ_i = ID_i′)²) − 1 (equations 7 and 8).

    From 0, all identities equally likely, to √n − 1, one certain; lower is better. P comes from a multinomial
    logit of the identity on ln response, ln price and promotions (model 2), by leaving out one period at a
    time; or, with ``train``, learned from the first share of the periods (of ``history``, a table with true
    responses, where given) and tested on the rest. ``distinct`` uses that a period's subjects differ. Detail:
    ALP, median, Gini impurity, entropy, share of subjects whose likeliest identity is right, the least
    protected subjects.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Section 2.4.1.
    """
    columns: dict[str, str | Sequence[str]] = {"id": id, "response": response, "price": price}
    columns |= {"promotions": promotions} if promotions else {}
    columns |= {"period": period} if period else {}
    columns |= {"brand": brand} if brand else {}
    panel = StorePanel.of(table, columns)
    data = subject_periods(panel, variables)
    options: dict[str, Any] = {"distinct": distinct, "intercept": intercept, "ridge": ridge}
    if train is None:
        if history is not None:
            raise ValueError("A history is learned from only with a share of periods to train on.")
        chances = identification(data, **options)
    else:
        known = data if history is None else _aligned(history, columns, panel, variables)
        chances = identification_holdout(*_split(known, data, train), **options)
    return _measurement(Protection.of(chances), panel, data)


def _aligned(
    history: pd.DataFrame,
    columns: Mapping[str, str | Sequence[str]],
    panel: StorePanel,
    variables: Sequence[str],
) -> SubjectPeriods:
    past = StorePanel.of(history, columns)
    if past.subject.labels.tolist() != panel.subject.labels.tolist():
        raise ValueError("The history must hold the same subjects as the table. Got other ones.")
    return subject_periods(past, variables)


def _split(
    known: SubjectPeriods, data: SubjectPeriods, train: float
) -> tuple[SubjectPeriods, SubjectPeriods]:
    """The known rows of the first share of the periods, and the released rows of the others."""
    n_periods = int(max(known.period.max(), data.period.max())) + 1
    first = round(train * n_periods)
    if not 0 < first < n_periods:
        raise ValueError(f"The share to train on must leave periods on both sides. Got {train} instead.")
    return _kept(known, known.period < first), _kept(data, data.period >= first)


def _kept(data: SubjectPeriods, rows: np.ndarray) -> SubjectPeriods:
    if not rows.any():
        raise ValueError("No rows are left on one side of the split of periods. Expected some on both.")
    return SubjectPeriods(
        data.x[rows], data.subject[rows], data.period[rows], data.n_subjects, data.n_dropped
    )


def _measurement(protection: Protection, panel: StorePanel, data: SubjectPeriods) -> Measurement:
    worst = np.argsort(-protection.loss, kind="stable")[:SHOWN]
    detail = {
        "alp": protection.alp,
        "median_lp": float(np.median(protection.loss)),
        "mlp": protection.mlp,
        "upper_bound": float(np.sqrt(data.n_subjects) - 1),
        "mean_gini": float(protection.gini.mean()),
        "mean_entropy_bits": float(protection.entropy.mean()),
        "found": protection.found,
        "found_by_chance": 1 / data.n_subjects,
        "subjects": data.n_subjects,
        "subject_periods": len(data.subject),
        "dropped_subject_periods": data.n_dropped,
        "least_protected": [
            {"subject": str(panel.subject.labels[i]), "lp": float(protection.loss[i])} for i in worst
        ],
    }
    return Measurement(protection.mlp, detail)


LP = RiskMeasure(
    name="lp",
    title="Maximum loss of protection",
    meaning="How surely a learned model names the store, or customer, behind the rows of a released table.",
    function=lp,
    low=0.0,
    high=None,
    better="lower",
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', 2017, equations 7 and 8",
    version=1,
    needs=("response", "price"),
    qid_optional=True,
)
