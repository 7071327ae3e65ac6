"""Shapes as SVG: inline for a page, whose style sheet colours it, or a file with its own colours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from contest.charts.chart import Chart, Dot, Polyline, Rect, Shape, Words

PALETTE = {
    "surface": ("#ffffff", "#1b1e25"),
    "ink": ("#1d1f24", "#ebe8e1"),
    "ink-soft": ("#565a63", "#a9abb3"),
    "line": ("#ddd8cb", "#31353f"),
    "ai": ("#23508f", "#9dbdf0"),
    "shu": ("#b0361d", "#f39a80"),
    "kin": ("#7d5800", "#e3bf69"),
    "koke": ("#3a6a35", "#a4cd93"),
}
"""The tokens that pictures use, light and dark: those of static/css/tokens.css."""

RULES = {
    "grid": "fill:none;stroke:var(--line)",
    "axis": "fill:none;stroke:var(--ink);stroke-width:1.5",
    "first": "fill:var(--ai);stroke:var(--surface)",
    "second": "fill:var(--kin);stroke:var(--surface)",
    "team": "fill:var(--ai);fill-opacity:0.75;stroke:var(--surface)",
    "mine": "fill:var(--shu);stroke:var(--surface)",
    "house": "fill:var(--surface);stroke:var(--ink-soft);stroke-width:2",
    "front": "fill:none;stroke:var(--koke);stroke-width:2;stroke-dasharray:6 4",
    "limit": "fill:none;stroke:var(--shu);stroke-width:2;stroke-dasharray:2 3",
    "heat": "fill:var(--ai)",
    "cold": "fill:var(--shu)",
    "plate": "fill:var(--surface);fill-opacity:0.85",
    "tick": "fill:var(--ink-soft);font-size:13px",
    "label": "fill:var(--ink);font-size:13px",
    "value": "fill:var(--ink);font-size:12px",
    "name": "fill:var(--ink);stroke:var(--surface);stroke-width:3;paint-order:stroke;font-size:13px",
}
"""Style → declarations. static/css/charts.css has the same, and a test compares them."""
LINES = {
    "line.first": "fill:none;stroke:var(--ai);stroke-width:2",
    "line.second": "fill:none;stroke:var(--kin);stroke-width:2;stroke-dasharray:5 2",
}
"""A line is stroked where a bar of the same series is filled; the second is dashed, not only coloured."""


def style_sheet() -> str:
    """The rules of all styles, as one line each."""
    rules = [f".c-{name}{{{text}}}" for name, text in RULES.items()]
    rules += [f".c-{name.replace('.', '.c-')}{{{text}}}" for name, text in LINES.items()]
    return "\n".join(rules)


def inline(chart: Chart) -> SafeString:
    """For a page: its ids are unique where the chart's name is."""
    return _markup(chart, "", links=chart.has_links)


def standalone(chart: Chart) -> str:
    """A file: with colours for light and dark, and the numbers' summary as its description."""
    light, dark = (";".join(f"--{name}:{pair[theme]}" for name, pair in PALETTE.items()) for theme in (0, 1))
    style = (
        f"<style>svg{{{light};background:var(--surface);font-family:system-ui,sans-serif}}\n"
        f"@media (prefers-color-scheme:dark){{svg{{{dark}}}}}\n{style_sheet()}</style>"
    )
    title = Words(chart.width / 2, -12, chart.title, "label")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _markup(chart, style, above=30, more=[title])


def _markup(
    chart: Chart, style: str, above: float = 0, more: Iterable[Shape] = (), *, links: bool = False
) -> SafeString:
    """With links it is a group, because the content of an image does not exist for a screen reader."""
    name = escape(chart.name)
    box = f"0 {-above:g} {chart.width:g} {chart.height + above:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="{"group" if links else "img"}" '
        f'aria-labelledby="{name}-title {name}-text">',
        f'<title id="{name}-title">{escape(chart.title)}</title>',
        f'<desc id="{name}-text">{escape(chart.summary)}</desc>',
        style,
        *(_linked(shape, links) for shape in [*more, *chart.shapes]),
        "</svg>",
    ]
    return mark_safe("".join(parts))  # noqa: S308 - every text is escaped here, numbers are formatted


def _linked(shape: Shape, links: bool) -> str:
    """A dot with an address as a link. The tab key skips it: the table beside the picture has the same."""
    if not (links and isinstance(shape, Dot) and shape.address):
        return _shape(shape)
    bare = _shape(replace(shape, note=""))
    return f'<a href="{escape(shape.address)}" tabindex="-1">{_note(shape.note)}{bare}</a>'


def _shape(shape: Shape) -> str:
    match shape:
        case Rect():
            faint = f' fill-opacity="{shape.opacity:.2f}"' if shape.opacity < 1 else ""
            return (
                f'<rect class="c-{shape.style}" x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" '
                f'height="{shape.height:g}"{faint}>{_note(shape.note)}</rect>'
            )
        case Dot():
            return (
                f'<circle class="c-{shape.style}" cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}">'
                f"{_note(shape.note)}</circle>"
            )
        case Polyline():
            points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
            return f'<polyline class="c-line c-{shape.style}" points="{points}"/>'
        case Words():
            turned = f' transform="rotate(-90 {shape.x:g} {shape.y:g})"' if shape.upright else ""
            return (
                f'<text class="c-{shape.style}" x="{shape.x:g}" y="{shape.y:g}" '
                f'text-anchor="{shape.anchor}"{turned}>{escape(shape.text)}</text>'
            )


def _note(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
