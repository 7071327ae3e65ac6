"""What the sandbox costs an uploaded game: one start per cell of a matrix, or one for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from attacks.sandbox import run_files
from games.contract.boxes import EMPTY, MemoryBox
from games.contract.game import Game
from games.contract.values import Question
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal
from games.sandboxed import NotIsolated, SandboxedGame

PAIR = Path(__file__).parent.parent / "games" / "pair"
CELLS = 24


def questions() -> tuple[Rehearsal, list[Question]]:
    """Cells of a matrix: every one about another entry of the same kind."""
    round_ = Rehearsal(load_folder(PAIR), {}, ("aki", "haru", "natsu"))
    for seat in range(3):
        round_.enter(seat, round_.anonymize("flip", seat))
    answer = MemoryBox(round_.attack("by-age", 3))
    targets = [entered.target for entered in round_.entries.values() if entered.target]
    asked = [
        Question(("mia", "aia")[n % 2], round_.seat(3), targets[n % 3]._replace(upload=EMPTY), answer)
        for n in range(CELLS)
    ]
    return round_, asked


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    round_, asked = questions()
    world = round_.world()
    caged = SandboxedGame(PAIR, read_folder(PAIR), partial(run_files, accept_uncounted=True))
    try:
        caged.judge(world, *asked[0])  # the self-test of the sandbox is over after this one
    except NotIsolated as error:
        print(error)
        return

    def each(game: Game) -> list[object]:
        return [game.judge(world, *question) for question in asked]

    alone = seconds(lambda: each(caged))
    together = seconds(lambda: list(caged.judge_all(world, asked)))
    plain = seconds(lambda: each(round_.game))
    print(f"{CELLS} cells, a start each: {alone / CELLS:.3f} s per cell")
    print(
        f"{CELLS} cells, one start: {together / CELLS:.4f} s per cell, {alone / together:.1f} times as fast"
    )
    print(f"{CELLS} cells in this process: {plain / CELLS:.5f} s per cell")
