"""The verbs of a game that is a Codabench bundle: judging is its scoring program, run as on Codabench.

A program finds the reference data in ``input/ref``, a submission in ``input/res`` and writes ``scores.json``
or ``scores.txt`` into ``output``, all below ``/app`` or where the words of its command say.
"""

from __future__ import annotations

import io
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import yaml

from datasets.archive import Limits
from datasets.archive_tree import read_tree
from games.codabench.bundle import COMPUTED, FILE, METADATA, Bundle, Column, read_bundle
from games.codabench.convert import MOST_BYTES, SUBMISSION
from games.contract.boxes import FolderBox, write_files
from games.contract.game import Game
from games.contract.values import Board, Box, Cell, Figures, Hidden, Result, Row, Seat, Target, World

APP = Path("/app")
"""Where Codabench puts everything; the sandbox has a link of this name into its private space."""
DETAILS = "detailed_results.html"
MOST_DETAILS = 4 * 1024 * 1024
LIMITS = Limits(file_bytes=MOST_BYTES, total_bytes=4 * MOST_BYTES, members=10_000)


class ProgramFailed(RuntimeError):
    """The scoring program did not do its work."""


class CodabenchGame(Game):
    bundle: ClassVar[Path]

    def read(self) -> Bundle:
        names = frozenset(FolderBox(self.bundle).names())
        return read_bundle((self.bundle / FILE).read_text(encoding="utf-8"), names)

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The tasks of the phase that is played."""
        bundle = self.read()
        played = bundle.phases[world.params["phase"]]
        for task in bundle.tasks:
            if task.index in played:
                yield f"task-{task.index}", {"task": task.name[:100]}

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        return {}

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[tuple[str, str]]:
        """A submission is one to every task."""
        return ((target.key, "submission") for target in targets)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        bundle = self.read()
        task = next(task for task in bundle.tasks if target.key == f"task-{task.index}")
        with answer.open(SUBMISSION) as file:
            submission = read_tree(io.BytesIO(file.read()), LIMITS, SUBMISSION)
        with _place() as place:
            write_files(place / "input" / "res", submission)
            _copy(self.bundle, task.reference, place / "input" / "ref")
            _copy(self.bundle, task.program, place / "program")
            (place / "output").mkdir()
            _run(place)
            numbers = _numbers(bundle.columns, _scores(place / "output"))
            return Result(None, numbers, evidence=_details(place / "output"))

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        columns = self.read().columns
        found: dict[str, list[Figures]] = {}
        for cell in cells():
            found.setdefault(cell.attacker, []).append(cell.result.numbers)
        rows = []
        for attacker, figures in sorted(found.items()):
            means = {column.key: _mean([one.get(column.key) for one in figures]) for column in columns}
            rows.append(Row(attacker, means, _chain(columns, means)))
        rows.sort(key=lambda row: (row.chain is None, row.chain or (), row.key))
        yield Board("main", tuple(column.key for column in columns if not column.is_hidden), rows)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) and known else None


def _chain(columns: Sequence[Column], means: Figures) -> tuple[float, ...] | None:
    """The primary column first, then from left to right; without the primary one there is no place."""
    chain = []
    for column in columns:
        value = means[column.key]
        if value is None:
            value = math.inf if column.lower_wins else -math.inf
        chain.append(value if column.lower_wins else -value)
    if math.isinf(chain[0]):
        return None
    return tuple(np.nan_to_num(chain, posinf=sys.float_info.max).tolist())


@contextmanager
def _place() -> Iterator[Path]:
    """An empty folder for one run: ``/app`` where the sandbox has it."""
    if APP.is_symlink():
        APP.readlink().mkdir(exist_ok=True)
        for part in APP.iterdir():
            shutil.rmtree(part)
        yield APP
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _copy(bundle: Path, part: str, folder: Path) -> None:
    """A part of the bundle, which is a folder or a zip."""
    if (bundle / part).is_dir():
        shutil.copytree(bundle / part, folder, copy_function=shutil.copyfile)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
    else:
        write_files(folder, read_tree(io.BytesIO((bundle / part).read_bytes()), LIMITS, part))


def _run(place: Path) -> None:
    program = place / "program"
    metadata = next((program / name for name in METADATA if (program / name).is_file()), None)
    command = yaml.safe_load(metadata.read_text(encoding="utf-8")).get("command") if metadata else None
    if not isinstance(command, str) or not command.strip():
        raise ProgramFailed(f"The scoring program has no {METADATA[0]} with a command.")
    for folder in ("program", "input", "output"):
        command = command.replace(f"${folder}", str(place / folder))
        if place != APP:
            command = command.replace(f"/app/{folder}", str(place / folder))
    words = shlex.split(command)
    if Path(words[0]).name in ("python", "python2", "python3"):
        words[0] = sys.executable
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, cwd=program, env=environment, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise ProgramFailed(f"The scoring program ended with {done.returncode}.")


def _scores(output: Path) -> dict[str, Any]:
    """``scores.json``, or the lines ``key: value`` of ``scores.txt``, as programs of CodaLab's time write."""
    if (output / "scores.json").is_file():
        found = json.loads((output / "scores.json").read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ProgramFailed("scores.json holds no mapping.")
        return found
    if not (output / "scores.txt").is_file():
        raise ProgramFailed("The scoring program wrote neither scores.json nor scores.txt.")
    lines = (output / "scores.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _numbers(columns: Sequence[Column], scores: Mapping[str, Any]) -> dict[str, float | None]:
    by_index: dict[int, float | None] = {}
    for column in columns:
        if column.computation:
            parts = [value for index in column.of if (value := by_index[index]) is not None]
            complete = len(parts) == len(column.of)
            by_index[column.index] = float(COMPUTED[column.computation](parts)) if complete else None
        else:
            by_index[column.index] = _number(scores.get(column.key))
    return {column.key: by_index[column.index] for column in columns}


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _details(output: Path) -> dict[str, Any]:
    """What the program wrote for people; it has read the secret, so it is for organisers alone."""
    file = output / DETAILS
    if not file.is_file() or file.stat().st_size > MOST_DETAILS:
        return {}
    return {DETAILS: np.frombuffer(file.read_bytes(), dtype=np.uint8)}
