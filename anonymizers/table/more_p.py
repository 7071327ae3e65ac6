"""`more-p`: confidential columns drawn from odds-ratio models given the other columns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.masking.columns import prepare
from anonymizers.engines.masking.sequence import mask_in_sequence, masking_report
from anonymizers.table_method import Columns, TableMethod, TableResult

REFERENCE = "Qian and Xie, 'Drive More Effective Data-Based Innovations', NBER working paper 19586, 4.3."


def more_p(
    table: pd.DataFrame,
    columns: Columns,
    rng: np.random.Generator,
    *,
    order: str,
    transform: str,
    decimals: int,
    subsets: int,
    cutoff: float,
) -> TableResult:
    """Draw every confidential value from its conditional distribution given the other columns.

    The odds-ratio model f(x | s) ∝ η(x, s) f(x | s₀) has a free reference distribution on the observed values
    and the log-bilinear odds ratio ln η = Σ_v Σ_m γ_vm (x − x₀)(s_v − s_v0)^m, so it keeps margins of any
    shape and relations that are not monotone. The masked value is independent of the original given the other
    columns. The report holds EMPD, the expected distance between masked and original values.
    """
    prepared = prepare(table, columns, transform, decimals)
    masked = mask_in_sequence(prepared, order, subsets, rng)
    released = table.copy()
    for secret, one in zip(prepared.secrets, masked, strict=True):
        released[secret.name] = table[secret.name].to_numpy()[one.donors(rng)]
    return TableResult(released, masking_report(masked, prepared, cutoff))


PARAMETERS = (
    Parameter("order", "text", "1", "Highest power M: 1 to 4 for all, auto, or pairs such as price:age=2."),
    Parameter("transform", "choice", "none", "Model the values or their distribution functions.",
              choices=("none", "cdf")),
    Parameter("decimals", "int", -1, "Round what is modelled; -1 does not.", low=-1, high=12),
    Parameter("subsets", "int", 1, "Split the rows into this many random subsets.", low=1, high=1000),
    Parameter("cutoff", "float", 0.2, "Warn where EMPD is below this share of chance.", low=0, high=10),
)  # fmt: skip

MORE_P = TableMethod(
    name="more-p",
    title="Odds-ratio perturbation",
    meaning="Draws confidential values from odds-ratio models given the other columns.",
    function=more_p,
    reference=REFERENCE,
    version=2,
    parameters=PARAMETERS,
    roles=("confidential",),
    optional=("given",),
)
