"""The pictures of a masked table: PP plots of the margins, curves of the relations."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pandas as pd

from scoring.masking.pp_plot import pp_plot

ORIGINAL, MASKED = "#1f4e79", "#c0392b"


def masking_plots(
    original: pd.DataFrame, masked: pd.DataFrame, confidential: Sequence[str], given: Sequence[str]
) -> str:
    """An SVG with one row per confidential column: its PP plot, then a quadratic curve on each given column.

    The same tables give the same text. The solid curve is fitted to the original, the dashed to the masked.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        size = (3.2 * (1 + len(given)), 2.9 * len(confidential))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(confidential), 1 + len(given), squeeze=False)
        for row, name in zip(panels, confidential, strict=True):
            _pp_panel(row[0], name, original[name], masked[name])
            for panel, term in zip(row[1:], given, strict=True):
                _curve_panel(panel, name, term, original, masked)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _pp_panel(panel, name: str, original: pd.Series, masked: pd.Series) -> None:  # type: ignore[no-untyped-def]
    panel.plot([0, 1], [0, 1], linestyle=":", color="#888888", linewidth=1)
    panel.plot(*pp_plot(original, masked), color=MASKED, linewidth=1.5)
    panel.set_title(f"PP plot of {name}", fontsize=9)
    panel.set_xlabel("share of originals", fontsize=8)
    panel.set_ylabel("share of masked", fontsize=8)


def _curve_panel(  # type: ignore[no-untyped-def]
    panel, name: str, term: str, original: pd.DataFrame, masked: pd.DataFrame
) -> None:
    low, high = np.quantile(original[term].to_numpy(dtype=float), (0.02, 0.98)).tolist()
    at = np.linspace(low, high, 60)
    shown = np.linspace(0, len(original) - 1, min(len(original), 300)).astype(np.int64)
    panel.scatter(original[term].iloc[shown], original[name].iloc[shown], s=3, color="#bbbbbb", linewidths=0)
    for table, colour, style in ((original, ORIGINAL, "-"), (masked, MASKED, "--")):
        centre = float(original[term].mean())
        curve = np.polynomial.polynomial.polyfit(table[term] - centre, table[name], 2)
        panel.plot(at, np.polynomial.polynomial.polyval(at - centre, curve), style, color=colour)
    panel.set_title(f"{name} on {term}", fontsize=9)
    panel.set_xlabel(term, fontsize=8)
    panel.set_ylabel(name, fontsize=8)
