"""The notebook in the kit of a game's round: the commands of its README, in cells that run in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contest.kit.notebook import as_notebook, code_cell, words_cell

SETUP = """\
import shutil
from itertools import islice
from pathlib import Path

import kakurenbo

kakurenbo.activate()
from kakurenbo.main import main


def run(*words, needs_secret=False):
    "A command of the library. One that needs what only the organisers have says so and ends with 2."
    code = main([*words, "--round", "round"])
    assert code in ((0, 1, 2) if needs_secret else (0, 1)), words
    return code
"""
READ = """\
for path in sorted(Path("round").rglob("*.csv")):
    print(path)
    with path.open(encoding="utf-8") as file:
        print("".join(islice(file, 4)))
"""
HIDE = """\
shutil.rmtree("notebook-entry", ignore_errors=True)
run("anonymize", "{method}", "--seed", "7", "--out", "notebook-entry")
"""
CHECK = """\
run("check", "--entry", "notebook-entry"{slot})
"""
SCORE = """\
run("score", "--entry", "notebook-entry"{slot}, needs_secret={is_secret})
"""
STORE = """\
run("score", "--entry", "notebook-entry"{slot}, "--as", "mine", needs_secret=True)
"""
ATTACK = """\
shutil.rmtree("notebook-answer", ignore_errors=True)
if any(Path("round", "targets").glob("*")):
    run("attack", "{attack}", "--out", "notebook-answer")
else:
    print("There are no targets yet.")
"""
JUDGE = """\
if Path("notebook-answer").is_dir():
    run("judge", "--answer", "notebook-answer", needs_secret=True)
"""


def game_notebook(words: dict[str, Any]) -> bytes:
    """The steps that the README describes, as far as the round and its reader have them."""
    return as_notebook(list(_cells(words)))


def _cells(words: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield words_cell(
        f"# {words['title']}\nJupyter in the folder of the kit, with its library installed.\n\n"
        "キットのフォルダで、付属のライブラリを入れて開いてください。"
    )
    yield code_cell(SETUP)
    yield words_cell("## What you may read of the round now\n現在閲覧できるラウンドのファイル")
    yield code_cell(READ)
    if not words["has_game"]:
        return
    slot = f', "--slot", "{words["slot"]}"' if words["slot"] else ""
    if words["has_hiding"] and words["method"] and words["seat"] is not None:
        yield words_cell("## An entry by a house method\n運営側の手法によるエントリー")
        yield code_cell(HIDE.replace("{method}", words["method"]))
        yield code_cell(CHECK.replace("{slot}", slot))
        yield words_cell("## Its score, as the platform would say it\nその評価値")
        is_secret = str(bool(words["secret_measures"]))
        yield code_cell(SCORE.replace("{slot}", slot).replace("{is_secret}", is_secret))
        yield code_cell(STORE.replace("{slot}", slot))
    if words["attack"] and words["seat"] is not None:
        yield words_cell(
            "## A house attack on the targets, and what it finds\n対象への運営側の攻撃とその結果"
        )
        yield code_cell(ATTACK.replace("{attack}", words["attack"]))
        yield code_cell(JUDGE)
