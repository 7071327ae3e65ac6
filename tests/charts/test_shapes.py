"""Charts as shapes: scales, fronts, files. Colours are those of the pages and safe for colour-blind eyes."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from contest.charts.axes import Scale, round_steps
from contest.charts.bars import Series, bars
from contest.charts.chart import Chart
from contest.charts.lines import share_lines
from contest.charts.png import png
from contest.charts.scatter import Spot, pareto_front, risk_map
from contest.charts.strips import Mark, Strip, strips
from contest.charts.svg import LINES, PALETTE, RULES, inline, standalone
from scoring.rules import Limit
from tests.conftest import ROOT
from tests.pages.test_colours import COLOURS, contrast

SVG = "{http://www.w3.org/2000/svg}"
MACHADO = {
    "protanopia": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998",
    "deuteranopia": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.011820 0.042940 0.968881",
    "tritanopia": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.303900",
}
"""G. Machado, M. Oliveira, L. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15(6), 2009: the matrices of severity 1, row by row, for linear RGB."""


def some_chart() -> Chart:
    return bars(
        "sizes", "Basket <sizes>", "Most are small.", ["1", "2–4"], [Series("receipts", [3, 1])],
        x_label="lines", y_label="receipts",
    )  # fmt: skip


@pytest.mark.parametrize("high", [1e-9, 0.07, 1.0, 3.0, 99.0, 100.0, 12_345.0, 9.9e8])
def test_round_steps_cover_the_range_with_few_round_numbers(high: float) -> None:
    steps = round_steps(high)
    assert steps[0] == 0 and steps[-1] >= high * (1 - 1e-9) and 2 <= len(steps) <= 8
    assert np.allclose(np.diff(steps), steps[1])
    mantissa = steps[1] / 10 ** np.floor(np.log10(steps[1]) + 1e-9)
    assert min(abs(mantissa - digit) for digit in (1, 2, 5, 10)) < 1e-6


def test_a_bar_is_as_high_as_its_count() -> None:
    chart = some_chart()
    root = ElementTree.fromstring(standalone(chart).split("\n", 1)[1])
    high, low = [float(rect.get("height") or 0) for rect in root.iter(f"{SVG}rect")]
    assert high == pytest.approx(3 * low, abs=0.3)
    assert Scale(0, 10, 100, 0)(2.5) == 75


def test_a_front_holds_exactly_those_whom_nobody_beats() -> None:
    """Against the definition, pair by pair."""
    rng = np.random.default_rng(5)
    spots = [Spot(str(n), float(x), float(y)) for n, (x, y) in enumerate(rng.integers(0, 12, (60, 2)))]
    beaten = {a.label for a in spots for b in spots if b.x >= a.x and b.y >= a.y and (b.x, b.y) != (a.x, a.y)}
    front = pareto_front(spots, higher_is_better=True)
    best = {(spot.x, spot.y) for spot in spots if spot.label not in beaten}
    assert {(spot.x, spot.y) for spot in front} == best and len(front) == len(best)


def test_a_map_over_a_measure_shows_its_limit_and_the_table_says_who_is_on_the_front() -> None:
    spots = [Spot("Tanuki", 0.2, 40.0), Spot("Neko", 0.5, 90.0), Spot("Inu", 0.6, 10.0)]
    chart = risk_map("m", "Map", spots, x_label="Moved", higher_is_better=False, limit=0.7)
    assert [row[0] for row in chart.rows if row[-1] == "yes"] == ["Tanuki", "Neko"]
    assert 'class="c-line c-limit"' in inline(chart) and "Neko with 90.0 %" in chart.summary


def test_a_point_leads_to_its_entry_on_a_page_and_nowhere_in_a_file() -> None:
    spots = [Spot("Neko <b>", 10.0, 90.0, address="/entry/1/?a=1&b=2"), Spot("Inu", 20.0, 10.0)]
    chart = risk_map("m", "Map", spots, x_label="Utility", higher_is_better=True)
    root = ElementTree.fromstring(inline(chart))
    links = list(root.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == ["/entry/1/?a=1&b=2"]
    assert links[0].find(f"{SVG}title").text == "Neko <b>: 10, 90.0 %"  # type: ignore[union-attr]
    assert root.get("role") == "group" and root.get("aria-labelledby") == "m-title m-text"
    assert "<a " not in standalone(chart) and 'role="img"' in standalone(chart)


def test_lines_of_shares_have_a_dot_at_each_place() -> None:
    chart = share_lines(
        "g", "Growth", "Two lines.", [1, 2], [("found", [0.5, 1.0]), ("unique", [0.0, 0.25])],
        x_label="items", y_label="people, %",
    )  # fmt: skip
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', inline(chart))]
    low, high = heights[2], heights[1]
    assert heights == pytest.approx([(low + high) / 2, high, low, low + (high - low) / 4], abs=0.1)
    assert list(chart.rows) == [(1, 50.0, 0.0), (2, 100.0, 25.0)]


def test_a_strip_puts_an_entry_where_its_share_of_the_limit_is() -> None:
    moved, rows = Strip("Moved", Limit("moved", "<=", 0.5)), Strip("Rows", Limit("rows", "<=", 0.0))
    chart = strips("s", "Strips", [moved, rows], [Mark("Tanuki", [0.25, 0.0])])
    places = [float(x) for x in re.findall(r'cx="([\d.]+)"', inline(chart))]
    limit = float(re.findall(r'class="c-line c-limit" points="([\d.]+),', inline(chart))[0])
    assert places[0] == pytest.approx((200 + limit) / 2, abs=0.2) and places[1] == 200


def test_a_file_brings_title_text_and_both_themes_and_no_markup_from_names() -> None:
    text = standalone(some_chart())
    root = ElementTree.fromstring(text.split("\n", 1)[1])
    assert root.find(f"{SVG}title").text == "Basket <sizes>"  # type: ignore[union-attr]
    assert root.find(f"{SVG}desc").text == "Most are small."  # type: ignore[union-attr]
    assert "prefers-color-scheme:dark" in text and "<sizes>" not in text
    assert png(some_chart()).startswith(b"\x89PNG") and png(some_chart()) == png(some_chart())


def test_a_table_as_csv_holds_the_numbers_and_no_formula() -> None:
    chart = risk_map("m", "M", [Spot("=1+1", 10.0, 50.0)], x_label="u", higher_is_better=True)
    lines = list(csv.reader(io.StringIO(chart.as_csv())))
    assert lines[1][:3] == ["'=1+1", "10.0", "50.0"]


def test_files_and_pages_have_the_same_colours_and_rules() -> None:
    assert {name: COLOURS[name] for name in PALETTE} == PALETTE
    sheet = (ROOT / "contest/static/css/charts.css").read_text()
    for name, rule in (RULES | LINES).items():
        selector = f".c-{name.replace('.', '.c-')} {{"
        found = sheet.split(f"\n{selector}\n", 1)[1].split("}", 1)[0]
        assert [
            line.strip().rstrip(";").replace(": ", ":") for line in found.strip().splitlines()
        ] == rule.split(";")


def seen(colour: str, matrix: str) -> np.ndarray:
    """CIE L*a*b* (D65) of a colour as somebody sees it."""
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    if matrix:
        linear = np.clip(np.array(matrix.split(), dtype=float).reshape(3, 3) @ linear, 0, 1)
    to_xyz = [(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)]
    xyz = np.array(to_xyz) @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", ["common", *MACHADO])
def test_before_and_after_look_different_to_everybody(eyes: str, theme: int) -> None:
    """ΔE*ab of 20 is a plain difference (2.3 is just noticeable); every mark stands out from its ground."""
    matrix = MACHADO.get(eyes, "")
    for one, other in (("ai", "kin"), ("ai", "shu")):
        gap = seen(PALETTE[one][theme], matrix) - seen(PALETTE[other][theme], matrix)
        assert np.linalg.norm(gap) > 20, (one, other)
    for name in ("ai", "kin", "shu", "koke"):
        assert contrast(PALETTE[name][theme], PALETTE["surface"][theme]) >= 3
