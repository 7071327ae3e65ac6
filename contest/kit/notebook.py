"""The kit's notebook: the same steps as its README, in cells that run one after the other."""

from __future__ import annotations

import json
from typing import Any

SETUP = """\
import csv
from collections import Counter
from itertools import islice
from pathlib import Path

import kakurenbo

kakurenbo.activate()
from kakurenbo.commands.kit import attacked, judged_entry, read_kit, score

kit = read_kit(Path())
original = kit.format.read_original(Path("data"))
facts = kit.format.facts(original)
facts
"""
RULES = """\
for limit in kit.limits:
    print(limit.measure, limit.operator, limit.limit)
print("attacks:", ", ".join(kit.attacks))
print("seed of the attacks:", kit.seed if kit.seed is not None else "secret until the reveal")
"""
LOOK = """\
tables = {}
for path in sorted(Path("data").glob("*.csv")):
    with path.open(encoding="utf-8", newline="") as file:
        tables[path.name] = list(csv.reader(file))
for name, rows in tables.items():
    print(name, len(rows), "rows; different values in each column:",
          [len(set(column)) for column in zip(*rows, strict=True)])
    for row in islice(rows, 3):
        print("   ", row)
"""
PLOT = """\
from html import escape


def show(name, svg):
    "Writes a picture to plots/, and shows it where this runs in Jupyter."
    Path("plots").mkdir(exist_ok=True)
    Path("plots", name + ".svg").write_text(svg, encoding="utf-8")
    try:
        from IPython.display import SVG, display
    except ImportError:
        print("written: plots/" + name + ".svg")
    else:
        display(SVG(svg))


def bars(name, title, heights):
    "One bar for each pair of a label and a number."
    heights = list(heights)
    most = max((height for _, height in heights), default=1) or 1
    parts = []
    for place, (label, height) in enumerate(heights):
        y = 30 + 22 * place
        parts.append(f'<text x="190" y="{y + 12}" text-anchor="end">{escape(str(label))}</text>')
        parts.append(f'<rect x="200" y="{y}" width="{300 * height / most:.1f}" height="15" fill="#23508f"/>')
        parts.append(f'<text x="{206 + 300 * height / most:.1f}" y="{y + 12}">{height:g}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="{40 + 22 * len(heights)}" '
    style = 'font-family="sans-serif" font-size="12">'
    show(name, head + style + f'<text x="10" y="16">{escape(title)}</text>' + "".join(parts) + "</svg>")


def points(name, title, places):
    "Utility to the right, safety upwards; one point for each label."
    parts = ['<rect x="40" y="30" width="300" height="300" fill="none" stroke="#888"/>']
    for label, (utility, safety) in places.items():
        x, y = 40 + 3 * utility, 330 - 3 * safety
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#23508f"/>')
        parts.append(f'<text x="{x + 8:.1f}" y="{y - 4:.1f}">{escape(label)}</text>')
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="520" height="350" '
    style = 'font-family="sans-serif" font-size="12">'
    show(name, head + style + f'<text x="10" y="16">{escape(title)}</text>' + "".join(parts) + "</svg>")


people = Counter(row[0] for row in tables[max(tables, key=lambda name: len(tables[name]))])
spread = Counter(min(9, count // 20) for count in people.values())
bars("rows", "Rows per person",
     [(f"{20 * k} to {20 * k + 19}" if k < 9 else "180 or more", spread[k]) for k in sorted(spread)])
"""
SCORE = """\
entry = Path("samples") / "{sample}"
with judged_entry(kit, entry) as judged:
    scored = score(kit, judged)
scored
"""
ATTACK = """\
with judged_entry(kit, entry) as judged:
    found = attacked(kit, judged)
hits = {name: result["hits"] for name, result in found["attacks"].items()}
bars("attacks", "People found in the sample, by attack", hits.items())
hits
"""
OWN = """\
from games.formats.limits import upper_limits
from games.formats.methods import run_anonymizer

made = run_anonymizer("{sample}", original, upper_limits(kit.limits), seed=7, parameters={})
Path("my-entry").mkdir(exist_ok=True)
kit.format.write_entry(Path("my-entry"), made.release)
with judged_entry(kit, Path("my-entry")) as judged:
    mine = score(kit, judged)
mine
"""
MAP = """\
places = {}
for folder in [*sorted(Path("samples").iterdir()), Path("my-entry")]:
    with judged_entry(kit, folder) as judged:
        utility = score(kit, judged)["utility"]
        judgements = attacked(kit, judged)["attacks"].values()
    places[folder.name] = (utility, 100 - 100 * max((one["rate"] for one in judgements), default=0))
points("map", "Utility (to the right) and safety (upwards), out of 100", places)
places
"""


def notebook(sample: str) -> bytes:
    """Load, look, hide, score, attack and plot, in cells that run one after the other."""
    cells = [
        words_cell("# Hide and seek, offline\n"
                   "Jupyter in the folder of the kit, with its library installed.\n\n"
                   "キットのフォルダで、付属のライブラリを入れて開いてください。"),
        words_cell("## Load the round\nラウンドを読み込む"),
        code_cell(SETUP),
        words_cell("## Its rules; all of them are in RULES.md\nルール（全文は RULES.ja.md）"),
        code_cell(RULES),
        words_cell("## Look at the data\nデータを見る"),
        code_cell(LOOK),
        words_cell("## Plots; no other library is needed\n図（ほかのライブラリは不要です）"),
        code_cell(PLOT),
        words_cell("## The score of a sample entry, as the platform would say it\nサンプルの評価値"),
        code_cell(SCORE.replace("{sample}", sample)),
        words_cell("## The round's attacks on it\nこのラウンドの攻撃"),
        code_cell(ATTACK),
        words_cell("## Hide: an entry of your own\n匿名化：自分のエントリー"),
        code_cell(OWN.replace("{sample}", sample)),
        words_cell("## Where everyone hides\nみんなの隠れ場所"),
        code_cell(MAP),
        words_cell("## Hand it in\n"
                   "`kakurenbo submit my-entry`, or the page *Upload*: first with other parameters, "
                   "a secret seed, or a method of your own.\n\n"
                   "`kakurenbo submit my-entry` か「アップロード」のページから提出できます。"
                   "その前に、パラメータを変え、秘密のシードを使うか、自分の手法を試してください。"),
    ]  # fmt: skip
    return as_notebook(cells)


def as_notebook(cells: list[dict[str, Any]]) -> bytes:
    """Cells as a file that Jupyter opens."""
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
    content = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def words_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code_cell(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.rstrip("\n").splitlines(keepends=True),
    }
