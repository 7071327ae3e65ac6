"""`mi`: multiple imputation of confidential columns by parametric regression models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.masking.columns import Predictor, prepare, two_valued
from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.orders import given_orders, parse_order, powers
from anonymizers.engines.masking.regression import Regression, fit_regression, regression_draws
from anonymizers.table.gadp import as_original
from anonymizers.table_method import Columns, TableMethod, TableResult


def mi(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    copies: int,
    order: str,
    family: str,
) -> TableResult:
    """Release m copies with confidential values drawn from the posterior predictive of regression models.

    Flat priors: β ~ N(β̂, I⁻¹), and for normal models σ² ~ RSS / χ². ``family`` names the model or is
    auto: logistic for two values, Poisson for whole numbers from 0, normal otherwise. Columns are imputed one
    after another given the imputed ones before. The column ``copy`` counts the copies from 1.
    """
    wanted = parse_order(order)
    if wanted is None:
        raise ParameterError("The 'order' parameter of mi must be given. Got auto instead.")
    if "copy" in table.columns:
        raise ParameterError("mi adds a column 'copy', which the table already has. Rename that one.")
    prepared = prepare(table, columns, "none", -1)
    known = list(prepared.given)
    models: list[tuple[Regression, list[int]]] = []
    for secret in prepared.secrets:
        orders = given_orders(wanted, secret.name, known)
        terms = _terms([p.values for p in known], known, orders, len(table))
        kind = _family(secret.values) if family == "auto" else family
        models.append((fit_regression(secret.name, kind, secret.values, terms), orders))
        known.append(Predictor(secret.name, secret.values, dummy=two_valued(secret.values)))
    tables = []
    for copy in range(1, copies + 1):
        released, values = table.assign(copy=copy), [p.values for p in prepared.given]
        for secret, (model, orders) in zip(prepared.secrets, models, strict=True):
            drawn = regression_draws(model, _terms(values, known, orders, len(table)), rng)
            released[secret.name] = as_original(table[secret.name], secret.values, drawn)
            values.append(drawn)
        tables.append(released)
    report = {"copies": copies, "families": {m.name: m.family for m, _ in models}}
    return TableResult(pd.concat(tables, ignore_index=True), report | {"notes": list(prepared.warnings)})


def _family(values: Floats) -> str:
    if two_valued(values):
        return "logistic"
    return "poisson" if values.min() >= 0 and (values == np.rint(values)).all() else "normal"


def _terms(values: Sequence[Floats], known: Sequence[Predictor], orders: Sequence[int], n: int) -> Floats:
    """An intercept and the centred powers of the predictors that a model knows."""
    centres = [float(predictor.values.mean()) for predictor in known[: len(orders)]]
    terms = powers(values[: len(orders)], centres, orders)
    return np.column_stack([np.ones(n), terms]) if terms.size else np.ones((n, 1))


MI = TableMethod(
    name="mi",
    title="Parametric multiple imputation",
    meaning="Several copies with confidential values drawn from regression models.",
    function=mi,
    reference="Raghunathan et al., 'Multiple Imputation for Statistical Disclosure Limitation', 2003.",
    version=2,
    parameters=(
        Parameter("copies", "int", 5, "How many copies to release.", low=2, high=1000),
        Parameter("order", "text", "1", "Highest power: 1 to 4 for all, or pairs such as price:age=2."),
        Parameter("family", "choice", "auto", "The regression model.",
                  choices=("auto", "normal", "poisson", "logistic")),
    ),
    roles=("confidential",),
    optional=("given",),
)  # fmt: skip
