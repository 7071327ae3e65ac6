"""The picture that shared links show: what is played, and the first three places."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest.charts.png import FONTS
from contest.charts.svg import PALETTE

WIDTH, HEIGHT = 1200, 630
"""In pixels, as other sites want it."""
LEFT, RIGHT = 80, 1120
LONGEST_TITLE, LONGEST_NAME = 36, 34
"""Characters of a line; a Japanese one is as wide as two others."""


@dataclass(frozen=True)
class ShareCard:
    """``rows`` are place, name and number of the first ones; ``note`` is said where there are none."""

    title: str
    subtitle: str
    rows: Sequence[tuple[str, str, str]]
    note: str


def share_png(card: ShareCard) -> bytes:
    """The picture as PNG. The same card gives the same bytes."""
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    known = {font.name for font in font_manager.fontManager.ttflist}
    with matplotlib.rc_context({"font.family": [name for name in FONTS if name in known]}):
        figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), facecolor=_colour("surface"))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
        axes.axis("off")
        _draw(axes, card)
        target = io.BytesIO()
        with warnings.catch_warnings():
            # A machine without a Japanese font draws boxes; that is no reason to fail.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(target, format="png", dpi=100, metadata={"Software": None})
    return target.getvalue()


def _draw(axes: Any, card: ShareCard) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((0, 0), WIDTH, 18, facecolor=_colour("ai"), edgecolor="none"))
    _write(axes, LEFT, 120, cut(card.title, LONGEST_TITLE), 37, "ink", weight="bold")
    _write(axes, LEFT, 186, cut(card.subtitle, 2 * LONGEST_TITLE), 22, "ink-soft")
    for number, (place, name, value) in enumerate(card.rows):
        y = 300 + 92 * number
        axes.plot([LEFT, RIGHT], [y - 64, y - 64], color=_colour("line"), linewidth=1.5)
        _write(axes, LEFT, y, place, 32, "kin", weight="bold")
        _write(axes, LEFT + 90, y, cut(name, LONGEST_NAME), 29, "ink")
        _write(axes, RIGHT, y, value, 29, "ai", ha="right")
    if not card.rows:
        _write(axes, LEFT, 330, card.note, 26, "ink-soft")
    _write(axes, LEFT, 586, "Kakurenbo", 20, "ink-soft")


def _write(axes: Any, x: float, y: float, text: str, size: float, colour: str, **look: str) -> None:
    axes.text(x, y, text, fontsize=size, color=_colour(colour), va="baseline", parse_math=False, **look)


def _colour(token: str) -> str:
    return PALETTE[token][0]


def cut(text: str, most: int) -> str:
    """As much of a text as fits, with an ellipsis where something is left out.

    >>> cut("Foxes", 6), cut("Foxes and owls", 6), cut("隠れん坊", 6)
    ('Foxes', 'Foxes…', '隠れん…')
    """
    room = most
    for number, character in enumerate(text):
        room -= 2 if ord(character) > 0x2E7F else 1
        if room < 0:
            return text[:number].rstrip() + "…"
    return text
