"""The tokens' contrast by the formula of WCAG 2.2: AA asks for 4.5 for text and 3 for borders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "contest" / "static" / "css" / "tokens.css"
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", TOKENS.read_text()
    )
}
GROUNDS = ("paper", "surface", "sunken")
ON_ITS_OWN_TINT = ("ai", "koke", "shu", "kin")


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula_gives_the_known_ratios() -> None:
    """Black on white is 21; #767676 is the well-known lightest grey that passes AA on white (4.54)."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("ink", ["ink", "ink-soft", "ai", "koke", "shu", "kin"])
def test_text_can_be_read(ink: str, ground: str, theme: int) -> None:
    assert contrast(COLOURS[ink][theme], COLOURS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ON_ITS_OWN_TINT)
def test_badges_and_notes_can_be_read(ink: str, theme: int) -> None:
    tint = COLOURS[f"{ink}-soft"][theme]
    assert contrast(COLOURS[ink][theme], tint) >= 4.5
    assert contrast(COLOURS["ink"][theme], tint) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_buttons_and_borders_can_be_seen(theme: int) -> None:
    assert contrast(COLOURS["on-ai"][theme], COLOURS["ai"][theme]) >= 4.5
    for ground in GROUNDS:
        assert contrast(COLOURS["line-strong"][theme], COLOURS[ground][theme]) >= 3
