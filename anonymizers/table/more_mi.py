"""`more-mi`: several copies of a table, each masked by odds-ratio models drawn from their posterior."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter, ParameterError
from anonymizers.engines.masking.columns import members, prepare
from anonymizers.engines.masking.sequence import Masked, mask_part, masking_report
from anonymizers.table.more_p import PARAMETERS
from anonymizers.table_method import Columns, TableMethod, TableResult


def more_mi(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    copies: int,
    order: str,
    transform: str,
    decimals: int,
    cutoff: float,
) -> TableResult:
    """Release m copies of the table, each masked by a model drawn from its approximate posterior.

    Our own: Qian and Xie leave a multiple-imputation version of their method to future research. A draw from
    the posterior of (λ, γ) is the maximum of the likelihood with the rows weighted by independent
    exponentials, scaled to mean 1 (the weighted likelihood bootstrap), which needs no prior and no matrix of
    all λ. Estimates from the copies combine by the rules for partially synthetic data. The copies are stacked
    one below the other; the column ``copy`` counts them from 1.
    """
    if order == "auto":
        raise ParameterError("The 'order' parameter of more-mi must be given. Got auto instead.")
    if "copy" in table.columns:
        raise ParameterError("more-mi adds a column 'copy', which the table already has. Rename that one.")
    prepared = prepare(table, columns, transform, decimals)
    n = len(table)
    fitted = mask_part(prepared, order, rng)
    masked = [Masked((fit,), (empd,), (np.arange(n),), fit.secret.cells) for fit, _, empd in fitted]
    tables = []
    for copy in range(1, copies + 1):
        shares = rng.exponential(size=n)
        released = table.assign(copy=copy)
        for fit, codes, _ in mask_part(prepared, order, rng, shares / shares.mean()):
            donors = members(fit.codes, codes, rng)
            released[fit.secret.name] = table[fit.secret.name].to_numpy()[donors]
        tables.append(released)
    return TableResult(
        pd.concat(tables, ignore_index=True), {"copies": copies} | masking_report(masked, prepared, cutoff)
    )


MORE_MI = TableMethod(
    name="more-mi",
    title="Odds-ratio multiple imputation",
    meaning="Several copies masked by odds-ratio models drawn from their approximate posterior (ours).",
    function=more_mi,
    reference="Platform definition v1; the weighted likelihood bootstrap is Newton and Raftery's, 1994.",
    version=2,
    parameters=(
        Parameter("copies", "int", 5, "How many copies to release.", low=2, high=1000),
        *(parameter for parameter in PARAMETERS if parameter.name != "subsets"),
    ),
    roles=("confidential",),
    optional=("given",),
)
