"""Shapes as PNG, for slides: matplotlib draws them in the light theme."""

from __future__ import annotations

import io
import warnings
from typing import Any

from contest.charts.chart import Chart, Dot, Polyline, Rect, Words
from contest.charts.svg import LINES, PALETTE, RULES

SCALE = 2
FONTS = ["DejaVu Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic"]
"""The first one comes with matplotlib; of the others the first that the machine has writes Japanese."""
ANCHORS = {"start": "left", "middle": "center", "end": "right"}
HEAD = 30.0


def png(chart: Chart) -> bytes:
    """The picture with its title, two pixels per unit. The same chart gives the same bytes."""
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    known = {font.name for font in font_manager.fontManager.ttflist}
    with matplotlib.rc_context({"font.family": [name for name in FONTS if name in known]}):
        figure = Figure(figsize=(chart.width / 100, (chart.height + HEAD) / 100), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, chart.width), ylim=(chart.height, -HEAD))
        axes.axis("off")
        for order, shape in enumerate([Words(chart.width / 2, -10, chart.title, "label"), *chart.shapes]):
            _draw(axes, shape, order)
        target = io.BytesIO()
        with warnings.catch_warnings():
            # A machine without a Japanese font draws boxes; that is no reason to fail.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(target, format="png", dpi=100 * SCALE, metadata={"Software": None})
    return target.getvalue()


def _draw(axes: Any, shape: Rect | Dot | Polyline | Words, order: int) -> None:
    from matplotlib.patches import Circle, Rectangle

    look = _look(shape.style)
    match shape:
        case Rect():
            axes.add_patch(
                Rectangle((shape.x, shape.y), shape.width, shape.height, facecolor=look["fill"],
                          edgecolor=look["stroke"], linewidth=0.5, alpha=shape.opacity * look["opacity"],
                          zorder=order)
            )  # fmt: skip
        case Dot():
            axes.add_patch(
                Circle((shape.x, shape.y), shape.radius, facecolor=look["fill"], edgecolor=look["stroke"],
                       linewidth=look["width"] * 0.7, alpha=look["opacity"], zorder=order)
            )  # fmt: skip
        case Polyline():
            line = _look(f"line.{shape.style}") if f"line.{shape.style}" in LINES else look
            x, y = zip(*shape.points, strict=True)
            axes.plot(x, y, color=line["stroke"], linewidth=line["width"] * 0.7, zorder=order,
                      linestyle=(0, line["dash"]) if line["dash"] else "-")  # fmt: skip
        case Words():
            axes.text(
                shape.x, shape.y, shape.text, color=look["fill"], fontsize=9, ha=ANCHORS[shape.anchor],
                va="center" if shape.upright else "baseline", rotation=90 if shape.upright else 0,
                zorder=order, parse_math=False,
            )  # fmt: skip


def _look(style: str) -> dict[str, Any]:
    """Colours, width and dashes of a style, read from its declarations."""
    rule = (RULES | LINES)[style]
    parts = dict(part.split(":", 1) for part in rule.split(";"))
    dash = [float(number) for number in parts.get("stroke-dasharray", "").split()]
    return {
        "fill": _colour(parts.get("fill", "none")),
        "stroke": _colour(parts.get("stroke", "none")),
        "opacity": float(parts.get("fill-opacity", 1)),
        "width": float(parts.get("stroke-width", 1)),
        "dash": dash,
    }


def _colour(value: str) -> str:
    return PALETTE[value.removeprefix("var(--").removesuffix(")")][0] if value != "none" else "none"
