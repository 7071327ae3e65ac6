"""Protections of a store panel side by side: the intruder's gain and the user's loss (Tables 2 to 5)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from anonymizers.table_method import Columns
from anonymizers.table_registry import run_table_method
from datasets.store_panel import StorePanel
from scoring.store_panel.identification import identification, subject_periods
from scoring.store_panel.information_loss import InformationLoss, information_loss
from scoring.store_panel.loss_of_protection import Protection
from scoring.store_panel.pricing import optimal_markup, profit_ratio
from scoring.store_panel.scanpro import Effects, scanpro

KAPPAS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)


@dataclass(frozen=True)
class Protected:
    """One protection of the table: what an intruder learns from it and what its user loses."""

    name: str
    method: str
    parameters: Mapping[str, Any]
    mlp: float
    alp: float
    found: float
    loss: InformationLoss
    effects: Effects
    report: Mapping[str, Any]

    def markups(self) -> list[float | None]:
        return [optimal_markup(float(beta)) for beta in self.effects.elasticity]

    def profits(self, true: Effects) -> list[float | None]:
        pairs = zip(self.effects.elasticity.tolist(), true.elasticity.tolist(), strict=True)
        return [profit_ratio(estimated, beta) for estimated, beta in pairs]


def plans(kappas: Sequence[float], step: float) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Name, method and parameters of the seven benchmarks of Table 1 and of every κ."""
    yield "unprotected", "", {}
    yield "random noise", "response-noise", {}
    yield "rounding", "response-round", {"step": step}
    yield "top coding", "response-topcode", {}
    yield "20 % swapping", "response-swap", {"share": 0.2}
    yield "50 % swapping", "response-swap", {"share": 0.5}
    yield "market level", "market-level", {}
    for kappa in kappas:
        yield f"κ = {kappa:g}", "bayes-synthetic", {"kappa": kappa}


def compare(
    table: pd.DataFrame,
    columns: Columns,
    seed: int,
    kappas: Sequence[float] = KAPPAS,
    *,
    step: float = 100.0,
    intercept: bool = False,
    distinct: bool = False,
) -> Iterator[Protected]:
    """Protect the table in every way and measure each release; the same arguments give the same numbers.

    Of market-level data the loss of protection is 0 by definition: nothing in it belongs to a store.
    """
    true = scanpro(StorePanel.of(table, columns))
    for name, method, parameters in plans(kappas, step):
        released, report = table, {}
        if method:
            done = run_table_method(method, table, columns, seed, parameters)
            released, report = done.table, dict(done.report)
        shown = dict(columns)
        if method == "market-level" and "period" not in shown:
            shown["period"] = "period"
        panel = StorePanel.of(released, shown)
        effects = scanpro(panel)
        mlp, alp, found = 0.0, 0.0, 1 / len(np.unique(table[str(columns["id"])]))
        if method != "market-level":
            chances = identification(subject_periods(panel), intercept=intercept, distinct=distinct)
            protection = Protection.of(chances)
            mlp, alp, found = protection.mlp, protection.alp, protection.found
        loss = information_loss(effects, true)
        yield Protected(name, method, parameters, mlp, alp, found, loss, effects, report)


def as_csv(rows: Sequence[Protected]) -> str:
    """One line per protection: risk, loss, and for every brand elasticity, mark-up and profit ratio."""
    true = rows[0].effects
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    measures = list(asdict(rows[0].loss))
    heads = ("elasticity", "markup", "profit_ratio")
    brands = [f"{head} {brand}" for head in heads for brand in true.brands]
    writer.writerow(["protection", "mlp", "alp", "found", *measures, *brands])
    for row in rows:
        values = [row.mlp, row.alp, row.found, *asdict(row.loss).values(), *row.effects.elasticity.tolist()]
        words = ["NM" if value is None else f"{value:.6g}" for value in row.markups()]
        words += ["NA" if value is None else f"{value:.6g}" for value in row.profits(true)]
        writer.writerow([row.name, *(f"{value:.6g}" for value in values), *words])
    return text.getvalue()


def as_document(rows: Sequence[Protected]) -> list[dict[str, Any]]:
    """The rows as JSON values."""
    true = rows[0].effects
    return [
        {
            "protection": row.name, "method": row.method, "parameters": dict(row.parameters),
            "mlp": row.mlp, "alp": row.alp, "found": row.found, **asdict(row.loss),
            "elasticity": dict(zip(true.brands, row.effects.elasticity.tolist(), strict=True)),
            "multiplier": {
                brand: dict(zip(true.promotions, lifts, strict=True))
                for brand, lifts in zip(true.brands, row.effects.multiplier.tolist(), strict=True)
            },
            "markup": dict(zip(true.brands, row.markups(), strict=True)),
            "profit_ratio": dict(zip(true.brands, row.profits(true), strict=True)),
        }
        for row in rows
    ]  # fmt: skip


def as_svg(rows: Sequence[Protected]) -> str:
    """Risk against loss, as Figure 4: κ as a line, the benchmarks as points. Same rows, same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        ours = [row for row in rows if row.method == "bayes-synthetic"]
        axes.plot(
            [100 * row.loss.mapd_beta for row in ours], [row.mlp for row in ours], "o-", color="C0",
            label="bayes-synthetic",
        )  # fmt: skip
        others = [row for row in rows if row.method != "bayes-synthetic"]
        axes.scatter(
            [100 * row.loss.mapd_beta for row in others], [row.mlp for row in others], color="C3",
            marker="s", label="benchmarks",
        )  # fmt: skip
        for row in rows:
            place = (100 * row.loss.mapd_beta, row.mlp)
            axes.annotate(row.name, place, xytext=(5, 4), textcoords="offset points", fontsize=8)
        axes.set(xlabel="information loss: MAPD of price elasticities, %", ylabel="risk: MLP", ylim=(0, None))
        axes.margins(x=0.12)
        axes.legend()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def trace_svg(report: Mapping[str, Any], brand: str) -> str:
    """The trace of every scalar parameter of a brand, one line per chain."""
    import matplotlib
    from matplotlib.figure import Figure

    trace = report["brands"][brand]["trace"]
    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 1.4 * len(trace)), layout="constrained")
        for axes, (name, chains) in zip(
            np.ravel(figure.subplots(len(trace), 1, sharex=True)), trace.items(), strict=True
        ):
            for chain in chains:
                axes.plot(chain, linewidth=0.5)
            axes.set_ylabel(name)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
