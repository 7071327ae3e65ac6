"""`bayes-synthetic`: the response of every row redrawn from a posterior that one knob makes vaguer."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.bayes_synthetic.brand import Settings, Synthetic, synthesize
from anonymizers.engines.bayes_synthetic.model import Floats
from anonymizers.release import CannotProtect
from anonymizers.table.by_brand import with_response
from anonymizers.table_method import Columns, TableMethod, TableResult, columns_of, only_column
from datasets.store_panel import StorePanel
from datasets.tables import Coded, Integers


def bayes_synthetic(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    kappa: float,
    group_kappa: str,
    chains: int,
    burn_in: int,
    draws: int,
    rhat_limit: float,
    min_effective: float,
) -> TableResult:
    """Replace the response by one draw from the protected posterior predictive distribution, brand by brand.

    Model (3): ln S_it = μ + u_i + β ln P_it + Σ_l ln γ_l D_lit + ε_it, u_i ~ N(0, σ²_u), ε ~ N(0, τ²). Prior:
    (β, ln γ) ~ N(0, I/κ), σ²_u ~ IG(50κ, 1/(20κ)): a larger κ pulls all effects towards 0, so the
    synthetic response reveals less about the subject. One posterior draw (μ, β, ln γ, u, τ²) is taken, then
    ln S′ ~ N(μ + u + Xb, τ²); averages of draws would protect less (Appendix B). Everything but the response
    stays. ``group_kappa`` gives groups of subjects their own κ for u, for example ``large=10,small=1``.

    Refuses to release if any parameter's split R-hat exceeds the limit or its effective sample size is too
    small. The report holds the provider's diagnostics: it reveals the true data and is not for release.

    Reference: M. J. Schneider, S. Jagpal, S. Gupta, S. Li, Y. Yu, "A Flexible Method for Protecting Marketing
    Data: An Application to Point-of-Sale Data", 2017, Section 2.3, Appendix A and B.
    """
    try:
        panel = StorePanel.of(table, columns)
    except ValueError as error:
        raise CannotProtect(str(error)) from error
    group, names = _groups(table, columns, panel.subject)
    kappas = _group_kappas(group_kappa, names, kappa)
    settings = Settings(kappa, kappas, chains, burn_in, draws)
    brands = range(panel.brand.n_labels)
    # Every brand has its own generator, so the result does not depend on which thread is first.
    with ThreadPoolExecutor(max_workers=min(len(brands), os.cpu_count() or 1)) as pool:
        rows = [np.flatnonzero(panel.brand.codes == brand) for brand in brands]
        found = list(
            pool.map(lambda part: synthesize(panel, part[0], group, settings, part[1]),
                     zip(rows, rng.spawn(len(rows)), strict=True))
        )  # fmt: skip
    refuse_unconverged(found, panel.brand, rhat_limit, min_effective)
    response = np.empty(panel.n_rows)
    for part, done in zip(rows, found, strict=True):
        response[part] = done.response
    column = only_column(columns, "response")
    report = {
        "changed": f"{column} of {panel.n_rows} of {panel.n_rows} rows",
        "groups": dict(zip(names, kappas.tolist(), strict=True)),
        "brands": {str(panel.brand.labels[brand]): found[brand].report(panel) for brand in brands},
    }
    return TableResult(with_response(table, column, response), report)


def _groups(table: pd.DataFrame, columns: Columns, subject: Coded) -> tuple[Integers, list[str]]:
    """The group of every subject, and the groups' names."""
    if not columns_of(columns, "group"):
        return np.zeros(subject.n_labels, dtype=np.int64), ["all"]
    named = Coded.from_texts([str(value) for value in table[only_column(columns, "group")]])
    group = np.zeros(subject.n_labels, dtype=np.int64)
    group[subject.codes] = named.codes
    if (group[subject.codes] != named.codes).any():
        raise CannotProtect("A subject is in two groups. Expected the same group in all its rows.")
    return group, [str(name) for name in named.labels]


def _group_kappas(text: str, names: list[str], kappa: float) -> Floats:
    """κ of every group: the one given by name, else the common one.

    >>> _group_kappas("large=10", ["large", "small"], 1.0).tolist()
    [10.0, 1.0]
    """
    values = dict.fromkeys(names, kappa)
    for part in filter(None, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        number = pd.to_numeric(value, errors="coerce")
        if not equals or name not in values or not 1e-6 <= number <= 1e6:
            raise ParameterError(
                f"The 'group_kappa' parameter of bayes-synthetic must be GROUP=NUMBER,… with groups among "
                f"{', '.join(names)} and numbers from 1e-06 to 1e+06. Got {part.strip()} instead."
            )
        values[name] = float(number)
    return np.array(list(values.values()))


def refuse_unconverged(
    found: list[Synthetic], brands: Coded, rhat_limit: float, min_effective: float
) -> None:
    """Raise `CannotProtect` where a parameter of a brand did not converge."""
    for brand, done in zip(brands.labels, found, strict=True):
        if not (done.rhat <= rhat_limit and done.effective >= min_effective):
            raise CannotProtect(
                f"The chains of brand {brand} did not converge; nothing is released: R-hat {done.rhat:.3f} "
                f"(limit {rhat_limit:g}), effective draws {done.effective:.0f} (at least {min_effective:g}). "
                "Raise burn_in and draws."
            )


PARAMETERS = (
    Parameter("kappa", "float", 1.0, "Protection: 0.1 keeps most, 15 shrinks hard.", low=1e-6, high=1e6),
    Parameter("chains", "int", 4, "Chains, started far apart.", low=2, high=64),
    Parameter("burn_in", "int", 500, "Iterations dropped at the start of a chain.", low=0, high=10**6),
    Parameter("draws", "int", 1000, "Draws stored per chain.", low=4, high=10**6),
    Parameter("rhat_limit", "float", 1.05, "No release if a split R-hat exceeds this.", low=1, high=10),
    Parameter("min_effective", "float", 100.0, "No release with fewer effective draws.", low=0, high=1e6),
)

BAYES_SYNTHETIC = TableMethod(
    name="bayes-synthetic",
    title="Bayesian synthetic response",
    meaning="The response is redrawn from a random-effects model whose prior one knob, κ, tightens.",
    function=bayes_synthetic,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', 2017.",
    version=2,
    parameters=(
        *PARAMETERS,
        Parameter("group_kappa", "text", "", "κ by group of subjects, as large=10,small=1."),
    ),
    roles=("id", "response", "price"),
    optional=("period", "brand", "promotions", "group"),
)
