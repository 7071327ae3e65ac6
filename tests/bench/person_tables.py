"""Three tables in which people have several records each: two real ones and one with heavy skew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from anonymizers.engines.gh_tree.coding import Units, code_table
from arithmetic import exp
from tests.conftest import SHARED_DATA


@dataclass(frozen=True, eq=False)
class PersonTable:
    title: str
    rows: pd.DataFrame
    qid: tuple[str, ...]
    sensitive: str

    def units(self) -> Units:
        return code_table(self.rows, "person", self.qid, [self.sensitive])


def margarine(data: Path = SHARED_DATA) -> PersonTable:
    """516 households, 4,470 choices; as the paper did for films, the secret is the choice with its price."""
    choices = pd.read_csv(data / "panel" / "margarine_choicePrice.csv")
    people = pd.read_csv(data / "panel" / "margarine_demos.csv")
    paid = choices.iloc[:, 2:].to_numpy()[np.arange(len(choices)), choices["choice"] - 1]
    choices["bought"] = choices["choice"].astype(str) + " at " + pd.Series(paid).astype(str)
    rows = choices[["hhid", "bought"]].merge(people, on="hhid").rename(columns={"hhid": "person"})
    qid = ("Income", "Fam_Size", "college", "whtcollar", "retired")
    return PersonTable("Margarine panel", rows, qid, "bought")


def retail(data: Path = SHARED_DATA) -> PersonTable:
    """Online Retail: a record an invoice, the secret its largest line; what a neighbour may know as QIDs.

    QIDs of a customer: first day, usual hour, usual value of an invoice (logarithm), country.
    """
    lines = pd.read_csv(data / "online_retail" / "online_retail.csv.gz", dtype={"InvoiceNo": str})
    good = lines["CustomerID"].notna() & ~lines["InvoiceNo"].str.startswith("C")
    good &= (lines["Quantity"] > 0) & (lines["UnitPrice"] > 0) & (lines["Country"] != "Unspecified")
    lines = lines[good]
    lines = lines.assign(value=lines["Quantity"] * lines["UnitPrice"])
    invoices = lines.sort_values("value", kind="stable").groupby("InvoiceNo", sort=True)
    rows = invoices.last()[["CustomerID", "StockCode", "InvoiceDate", "Country"]].reset_index(drop=True)
    time = pd.to_datetime(rows["InvoiceDate"])
    rows = rows.rename(columns={"CustomerID": "person", "StockCode": "top_item", "Country": "country"})
    rows["day"], rows["at"] = (time - time.min()).dt.days, time.dt.hour
    rows["total"] = np.log10(invoices["value"].sum().to_numpy())
    person = rows.groupby("person")
    rows["first_day"], rows["hour"] = person["day"].transform("min"), person["at"].transform("median")
    rows["value"] = person["total"].transform("median").round(2)
    rows["country"] = person["country"].transform("first")
    return PersonTable("Online Retail invoices", rows, ("first_day", "hour", "value", "country"), "top_item")


def skewed(n: int = 20_000, seed: int = 1) -> PersonTable:
    """Pareto counts (α = 1, up to 300 records a person): half of the people have one record or two."""
    rng = np.random.default_rng(seed)
    count = np.minimum(1 + rng.pareto(1.0, n), 300).astype(int)
    people = pd.DataFrame(
        {
            "person": np.arange(n),
            "age": rng.integers(18, 90, n),
            "income": np.round(exp(rng.normal(10, 0.6, n))),
            "zone": rng.integers(0, 100, n),
        }
    )
    rows = people.iloc[np.repeat(np.arange(n), count)].reset_index(drop=True)
    rows["item"] = (3000 * rng.random(len(rows)) ** 2).astype(int)
    return PersonTable("Skewed counts", rows, ("age", "income", "zone"), "item")
