"""Risk against loss: gh-tree and its peers over a range of thresholds, compared at equal risk."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from anonymizers.engines.gh_tree.coding import Units
from anonymizers.engines.gh_tree.figures import average_normalised_error, group_figures
from anonymizers.engines.gh_tree.partition import Rule, partition

TARGETS = (0.25, 0.20, 0.15, 0.10, 0.05)
"""The levels of MaxGIDR of Tables 11 and 12 of Kartal, Li (2020)."""
METHODS = ("gh-tree", "person-k", "mondrian")
Risk = Literal["max_gidr", "max_gsar"]


@dataclass(frozen=True)
class Point:
    """One run: which thresholds, and what came out of it."""

    method: str
    threshold: float
    """g* of gh-tree, K of person-k, k of mondrian."""
    h: float
    l: float  # noqa: E741
    groups: int
    max_gidr: float
    avg_gidr: float
    max_gsar: float
    avg_gsar: float
    ane: float


def measured(units: Units, method: str, threshold: float, h: float = 1.0, l: float = 1.0) -> Point:  # noqa: E741
    """Split by one method and measure the groups. All keep the records of a person together."""
    if method == "gh-tree":
        rule = Rule("balance-variance", g=threshold, h=h, diversity=l)
    elif method == "person-k":
        rule = Rule("widest", people=int(threshold), h=h, diversity=l)
    else:
        rule = Rule("widest", k=int(threshold), h=h, diversity=l)
    split = partition(units, rule)
    figures = group_figures(units, split.group, split.n_groups)
    ane = average_normalised_error(units.attributes, split.group, split.n_groups)
    exposure, affiliation = figures.exposure, figures.affiliation
    return Point(
        method, threshold, h, l, split.n_groups, float(exposure.max()), float(exposure.mean()),
        float(affiliation.max()), float(affiliation.mean()), ane,
    )  # fmt: skip


def whole_table(units: Units) -> tuple[float, float]:
    """g and h of the table as one group: nothing stricter can be required."""
    whole = group_figures(units, np.zeros(len(units.unit), dtype=np.int64), 1)
    return float(whole.balance[0]), float(whole.affiliation[0])


def thresholds(units: Units, method: str, steps: int) -> list[float]:
    """Evenly spaced on a logarithmic scale, from the weakest to the strictest that can hold."""
    if method == "gh-tree":
        most = 1 / max(1 - whole_table(units)[0], 1e-9)
        # The strictest step is the table's own g, which must not be missed by a rounding error.
        return [max(0.0, 1 - 1 / size - 1e-9) for size in np.geomspace(1.2, max(most, 1.2), steps)]
    most = units.n_people if method == "person-k" else len(units.unit)
    return sorted({float(round(size)) for size in np.geomspace(min(2, most), max(most, 2), steps)})


def sweep(
    units: Units, methods: Sequence[str] = METHODS, h: Sequence[float] = (1.0,), steps: int = 40
) -> Iterator[Point]:
    """Every method over its thresholds; gh-tree also over h*. What the whole table breaks is left out."""
    g_whole, h_whole = whole_table(units)
    for method in methods:
        for limit in h if method == "gh-tree" else (1.0,):
            if limit < h_whole:
                continue
            for threshold in thresholds(units, method, steps):
                if method != "gh-tree" or threshold <= g_whole:
                    yield measured(units, method, threshold, limit)


def least_loss(points: Sequence[Point], method: str, target: float, risk: Risk = "max_gidr") -> Point | None:
    """The run of a method with the smallest ANE whose risk is within the target."""
    within = [point for point in points if point.method == method and getattr(point, risk) <= target + 1e-12]
    return min(within, key=lambda point: point.ane, default=None)


def as_csv(points: Sequence[Point]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(Point.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    for point in points:
        writer.writerow(
            {name: f"{v:.6g}" if isinstance(v, float) else v for name, v in asdict(point).items()}
        )
    return text.getvalue()


def as_text(points: Sequence[Point], targets: Sequence[float] = TARGETS) -> str:
    """ANE (%) of every method at equal MaxGIDR, one line per target; a star where gh-tree loses least."""
    methods = list(dict.fromkeys(point.method for point in points))
    lines = ["MaxGIDR at most  " + "".join(f"{name:>22}" for name in methods) + "   ANE (%) with MaxGIDR (%)"]
    for target in targets:
        found = [least_loss(points, name, target) for name in methods]
        cells = [f"{100 * p.ane:.3f} ({100 * p.max_gidr:.2f})" if p else "cannot" for p in found]
        best = min((p for p in found if p), key=lambda p: p.ane, default=None)
        mark = " *" if best and best.method == "gh-tree" else ""
        lines.append(f"{100 * target:>14.1f} %" + "".join(f"{cell:>22}" for cell in cells) + mark)
    return "\n".join(lines)


def as_svg(points: Sequence[Point], title: str) -> str:
    """ANE over MaxGIDR and over MaxGSAR, one curve per method; the same points give the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    sensitive = any(point.max_gsar > 0 for point in points)
    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10 if sensitive else 6, 4.5), layout="constrained")
        panels = [("max_gidr", "MaxGIDR: a record of the group is this person's")]
        if sensitive:
            panels.append(("max_gsar", "MaxGSAR: a person of the group has this value"))
        for place, (risk, label) in enumerate(panels, start=1):
            axes = figure.add_subplot(1, len(panels), place)
            for number, (name, h) in enumerate(dict.fromkeys((p.method, p.h) for p in points)):
                own = sorted((getattr(p, risk), p.ane) for p in points if (p.method, p.h) == (name, h))
                label_of = name if h == 1 else f"{name}, h* = {h:g}"
                axes.plot(
                    *zip(*own, strict=True), marker=".", linewidth=1, color=f"C{number}", label=label_of
                )
            axes.set(xlabel=label, ylabel="ANE (lower is better)" if place == 1 else "", xlim=(0, 1.02))
        figure.suptitle(title)
        figure.axes[0].legend()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
