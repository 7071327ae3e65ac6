"""`panel-delete`: records whose quasi-identifier too few panelists share are removed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import distinct_holders
from anonymizers.release import CannotProtect
from anonymizers.table.panel_records import REFERENCE
from anonymizers.table_method import (
    Columns,
    TableMethod,
    TableResult,
    columns_of,
    only_column,
    refuse_missing,
)


def panel_delete(
    table: pd.DataFrame, columns: Columns, rng: np.random.Generator, *, k: int = 5
) -> TableResult:
    """Delete the records whose quasi-identifier fewer than k different panelists have.

    These are the records with up to k − 2 duplicates across different panelists; what remains is
    k-anonymous. Panelists may lose all their records; the report counts them. A period that was named counts
    as a quasi-identifier.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022), Table 6, Figure 4(a).

    >>> panel = pd.DataFrame({"who": list("AAB"), "tea": [1, 2, 1]})
    >>> panel_delete(panel, {"id": "who", "qid": "tea"}, np.random.default_rng(0), k=2).table["who"].tolist()
    ['A', 'B']
    """
    id = only_column(columns, "id")
    qid = list(dict.fromkeys([*columns_of(columns, "qid"), *columns_of(columns, "period")]))
    refuse_missing("panel-delete", table, [id, *qid])
    key = np.asarray(table.groupby(qid, sort=True, observed=True).ngroup(), dtype=np.int64)
    person = np.asarray(pd.factorize(table[id], sort=True)[0], dtype=np.int64)
    released = table[distinct_holders(key, person) >= k].copy()
    if released.empty:
        raise CannotProtect(
            f"panel-delete would delete every record: no quasi-identifier is shared by {k} panelists. "
            f"Choose a smaller k or coarser quasi-identifiers."
        )
    report = {
        "records": len(table),
        "records_deleted": len(table) - len(released),
        "panelists_without_records": int(table[id].nunique() - released[id].nunique()),
    }
    return TableResult(released, report)


PANEL_DELETE = TableMethod(
    name="panel-delete",
    title="Record deletion in a panel",
    meaning="Records whose quasi-identifier fewer than k panelists share are removed.",
    function=panel_delete,
    reference=f"{REFERENCE}, Table 6 and Figure 4(a)",
    version=1,
    parameters=(Parameter("k", "int", 5, "Number of panelists who must share a quasi-identifier.", low=2),),
    optional=("period",),
)
