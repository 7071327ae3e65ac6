"""k-MM beside the protections of Table 6 on two real panels: the order of methods of Figure 8 and Table 7.

Margarine: a record is a purchase, its quasi-identifier the number of the purchase and the brand; the receipts
of 2016: month and units of the top five items. `KAKURENBO_PLOT=FOLDER` draws it.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.table_registry import run_table_method
from games.shop.data.baskets import baskets
from games.shop.data.folder import read_original
from scoring.panel.brand_choice import BrandChoice, brand_choice, coefficient_mapd
from scoring.panel.brand_metrics import brand_metrics, mapd
from scoring.panel.choice_data import choice_data

DATA = Path(__file__).resolve().parents[3] / "shared/data"
LEVELS = (2, 4, 7)
METRICS = ("coefficients", "market share", "SCR", "switching", "changed cells", "MSD")


def margarine() -> tuple[pd.DataFrame, list[str]]:
    table = pd.read_csv(DATA / "panel" / "margarine_choicePrice.csv")
    brands = [f"b{j}" for j in range(10)]
    for j, name in enumerate(brands):
        table[name] = (table["choice"] == j + 1).astype(int)
        table[f"p{j}"] = np.log(table.iloc[:, 2 + j])
    table["trip"] = table.groupby("hhid").cumcount()
    return table.rename(columns={"hhid": "who", "trip": "period"}), brands


def receipts() -> tuple[pd.DataFrame, list[str]]:
    table = baskets(read_original(DATA / "pwscup2016"), 5, 30).table
    return table.rename(columns={"customer": "who"}), [f"item{j}" for j in range(5)]


def losses(
    before: pd.DataFrame, after: pd.DataFrame, brands: list[str], fitted: BrandChoice | None
) -> dict[str, float]:
    """MAPD (%) of brand metrics; changed cells (%) and MSD a record where records can be paired."""
    one, other = (brand_metrics(table, "who", brands) for table in (before, after))
    found = {
        "market share": mapd(one.market_share, other.market_share),
        "SCR": mapd(one.requirements, other.requirements),
        "switching": mapd(one.switching, other.switching),
    }
    if len(before) == len(after):
        columns = ["period", *brands]
        apart = after[columns].to_numpy(dtype=float) - before[columns].to_numpy(dtype=float)
        found |= {"changed cells": 100 * float((apart != 0).mean())}
        found |= {"MSD": float((apart**2).sum(axis=1).mean())}
    if fitted is not None:
        found["coefficients"] = coefficient_mapd(fitted, _coefficients(after, brands), ("log price",))
    return found


def _coefficients(table: pd.DataFrame, brands: list[str]) -> BrandChoice:
    data = choice_data(table, "who", brands, {"log price": [f"p{j}" for j in range(len(brands))]})
    return brand_choice(data, np.random.default_rng(1), 1000, 500)


def compare(table: pd.DataFrame, brands: list[str]) -> dict[str, dict[str, float]]:
    """By method and level, the losses."""
    roles = {"id": "who", "qid": ["period", *brands]}
    runs: list[tuple[str, dict[str, Any]]] = [
        (name, {"k": k}) for name in ("kmm", "panel-cluster", "panel-delete") for k in LEVELS
    ]
    runs += [("panel-swap", {"share": 0.2}), ("panel-dirichlet", {"epsilon": 2.0})]
    fitted = _coefficients(table, brands) if "p0" in table else None
    found = {}
    for name, settings in runs:
        columns = roles if name == "kmm" else roles | {"period": "period"}
        after = run_table_method(name, table, columns, 1, settings).table
        label = name + "".join(f" {key} = {value:g}" for key, value in settings.items())
        found[label] = losses(table, after, brands, fitted)
        cells = "".join(f"{found[label].get(metric, float('nan')):>15.3f}" for metric in METRICS)
        print(f"  {label:<28}{cells}", flush=True)
    return found


def as_svg(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """A panel a metric, a group of bars a data set: mean over k where there are several."""
    import matplotlib
    from matplotlib.figure import Figure

    names = ("kmm", "panel-swap", "panel-dirichlet", "panel-delete", "panel-cluster")
    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 6.4), layout="constrained")
        for axes, metric in zip(figure.subplots(2, 3).ravel(), METRICS, strict=True):
            for number, name in enumerate(names):
                heights = [
                    float(np.mean([loss.get(metric, np.nan) for label, loss in runs.items()
                                   if label.split()[0] == name]))
                    for runs in results.values() if any(metric in loss for loss in runs.values())
                ]  # fmt: skip
                places = np.arange(len(heights)) + 0.16 * number
                axes.bar(places, heights, width=0.15, label=name, color=f"C{number}")
            axes.set(title=metric, yscale="log", xticks=[])
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
        figure.suptitle(
            "Loss by data set (left: margarine, right: receipts), mean over k; no bar: 0 or undefined"
        )
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def main() -> None:
    if not DATA.is_dir():
        print("The real panels are not on this machine; nothing is measured.")
        return
    results = {}
    for title, make in (("margarine", margarine), ("receipts of 2016", receipts)):
        print(f"{title:<30}" + "".join(f"{metric:>15}" for metric in METRICS))
        results[title] = compare(*make())
    if os.environ.get("KAKURENBO_PLOT"):
        plot = Path(os.environ["KAKURENBO_PLOT"], "kmm-methods.svg")
        plot.write_text(as_svg(results), encoding="utf-8")


if __name__ == "__main__":
    main()
