"""``kakurenbo risk report``: who is at risk in a panel, as text, JSON and plots."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import pandas as pd

from kakurenbo.main import UsageError
from kakurenbo.output import write_text
from scoring.panel.risk_report import BINS, RiskReport, risk_report


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--spend", metavar="COL", help="the column of money spent (report)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the figures as SVG (report)")


def run_report(arguments: argparse.Namespace, table: pd.DataFrame) -> int:
    """Quasi-identifiers are units of brands, largest first; the period may be among them."""
    qid = [name for name in arguments.qid.split(",") if name]
    brands = [name for name in qid if name != arguments.period]
    if not brands:
        raise UsageError("risk report needs columns of units: --qid BRAND,BRAND and, if any, --period COL.")
    try:
        report = risk_report(table, arguments.id, brands, arguments.period, arguments.spend)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if arguments.svg is not None:
        write_text(arguments.svg, as_svg(report))
    print(json.dumps(report.as_document(), indent=2, allow_nan=False) if arguments.json else as_text(report))
    return 0


def as_text(report: RiskReport) -> str:
    lines = [f"{'brands':>7}{'people':>9}{'QIDs':>9}{'unicity':>10}{'sno-unicity':>13}  added"]
    lines += [
        f"{line['brands']:>7}{line['people']:>9}{line['quasi_identifiers']:>9}{line['unicity']:>10.1%}"
        f"{line['sno_unicity']:>13.1%}  {line['added']}"
        for line in report.growth
    ]
    lines += ["", f"{'iteration':>10}{'found':>8}{'mean IR':>10}{'median IR':>11}"]
    lines += [
        f"{line['iteration']:>10}{line['people']:>8}{line['mean']:>10.4f}{line['median']:>11.4f}"
        for line in report.by_iteration()
    ]
    if report.model is None:
        return "\n".join([*lines, "", "No model of who is at high risk: the data cannot carry it."])
    lines += ["", f"{'high risk goes with':<24}{'estimate':>10}{'error':>9}{'z':>8}{'p':>8}"]
    lines += [
        f"{row['name']:<24}{row['estimate']:>10.4g}{row['error']:>9.3g}{row['z']:>8.2f}{row['p']:>8.3f}"
        for row in report.model.rows()
    ]
    return "\n".join(lines)


def as_svg(report: RiskReport) -> str:
    """Figure 5, and the three panels of Figure 6; the same report gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 7), layout="constrained")
        growth, histogram, boxes, found = figure.subplots(2, 2).ravel()
        count = [line["brands"] for line in report.growth]
        for name, mark in (("sno_unicity", "s"), ("unicity", "o")):
            share = [100 * line[name] for line in report.growth]
            growth.plot(count, share, marker=mark, label=name.replace("_", "-"))
        growth.set(xlabel="brands in the quasi-identifier", ylabel="people found, %", ylim=(0, 101))
        growth.legend()
        edges = [i / BINS for i in range(BINS)]
        histogram.bar(edges, report.histogram(), width=1 / BINS, align="edge", edgecolor="white")
        histogram.set(xlabel="individual risk IR of those who can be found", ylabel="people")
        levels = [line["iteration"] for line in report.by_iteration()]
        if levels:
            boxes.boxplot([report.risk[report.iteration == level] for level in levels], tick_labels=levels)
        boxes.set(xlabel="iteration", ylabel="individual risk IR")
        found.bar(levels, [line["people"] for line in report.by_iteration()])
        found.set(xlabel="iteration", ylabel="people found")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
