"""The kit's notebook: the same steps as its README, in cells that run one after the other."""

from __future__ import annotations

import json
from typing import Any

SETUP = """\
from pathlib import Path

import kakurenbo

kakurenbo.activate()
from kakurenbo.commands.kit import attacked, judged_entry, read_kit, score

kit = read_kit(Path())
entry = Path("samples") / "{sample}"
"""
SCORE = """\
with judged_entry(kit, entry) as judged:
    scored = score(kit, judged)
scored
"""
ATTACK = """\
with judged_entry(kit, entry) as judged:
    found = attacked(kit, judged)
{name: result["hits"] for name, result in found["attacks"].items()}
"""
OWN = """\
from anonymizers.registry import run_anonymizer

original = kit.format.read_original(Path("data"))
limits = {limit.measure: limit.limit for limit in kit.limits}
made = run_anonymizer("{sample}", original, limits, seed=7, parameters={})
Path("my-entry").mkdir(exist_ok=True)
kit.format.write_entry(Path("my-entry"), made.release)
with judged_entry(kit, Path("my-entry")) as judged:
    mine = score(kit, judged)
mine
"""


def notebook(sample: str) -> bytes:
    cells = [
        _words("# Hide and seek, offline\nJupyter in the folder of the kit, with its library installed.\n\n"
               "キットのフォルダで、付属のライブラリを入れて開いてください。"),
        _code(SETUP.replace("{sample}", sample)),
        _words("## The score of a sample entry, as the platform would say it\nサンプルの評価値"),
        _code(SCORE),
        _words("## The round's attacks on it\nこのラウンドの攻撃"),
        _code(ATTACK),
        _words("## An entry of your own\n自分のエントリー"),
        _code(OWN.replace("{sample}", sample)),
    ]  # fmt: skip
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
    content = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.rstrip("\n").splitlines(keepends=True),
    }
