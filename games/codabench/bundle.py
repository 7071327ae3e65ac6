"""What a Codabench bundle says (``competition.yaml``, version 2), as far as a round here needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from datasets.documents import Document, Path
from datasets.messages import Message, Template
from games.contract.reading import BadGame

FILE = "competition.yaml"
METADATA = ("metadata.yaml", "metadata")
COMPUTED: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum,
    "min": min,
    "max": max,
    "avg": lambda values: math.fsum(values) / len(values),
}

A_BUNDLE = Template("codabench.bundle", "a mapping that describes a competition")
A_TEXT = Template("codabench.text", "a text")
A_LIST = Template("codabench.list", "a list of mappings with at least one item")
AN_INDEX = Template("codabench.index", "a whole number that no earlier item has")
A_PART = Template("codabench.part", "a folder or a zip of the bundle")
AN_ORDER = Template("codabench.order", "asc or desc")
A_COMPUTATION = Template("codabench.computation", "sum, avg, min or max of earlier columns")
A_TASK = Template("codabench.task", "the index of a task")
NO_INGESTION = Template("codabench.ingestion", "no ingestion program: submissions are results, not code")


@dataclass(frozen=True)
class Column:
    """A column of the leaderboard; a computed one comes from others."""

    key: str
    title: str
    index: int
    decimals: int
    lower_wins: bool = False
    is_hidden: bool = False
    computation: str = ""
    of: tuple[int, ...] = ()


@dataclass(frozen=True)
class Task:
    index: int
    name: str
    reference: str
    program: str


@dataclass(frozen=True)
class Bundle:
    title: str
    description: str
    tasks: tuple[Task, ...]
    phases: tuple[tuple[int, ...], ...]
    """The tasks of each phase, by index."""
    columns: tuple[Column, ...]


def read_bundle(text: str, names: frozenset[str]) -> Bundle:
    """Read ``competition.yaml``; ``names`` are the files of the bundle. `BadGame` says all that is wrong."""
    document = Document(text, FILE, A_BUNDLE())
    found = None if document.problems else _Reading(document, names).bundle()
    if found is None or document.problems:
        raise BadGame(document.problems)
    return found


class _Reading:
    def __init__(self, document: Document, names: frozenset[str]) -> None:
        self.document, self.names = document, names

    def bundle(self) -> Bundle | None:
        data = self.document.data
        if not isinstance(data, Mapping):
            self.document.add((), "bad-value", A_BUNDLE())
            return None
        tasks = tuple(self.task(path, one) for path, one in self.items(("tasks",), data.get("tasks")))
        known = frozenset(task.index for task in tasks)
        phases = tuple(
            self.phase(path, one, known) for path, one in self.items(("phases",), data.get("phases"))
        )
        board = "leaderboards" if "leaderboards" in data else "leaderboard"
        first = next(self.items((board,), data.get(board)), None)
        columns: list[Column] = []
        if first is not None:
            for path, one in self.items((*first[0], "columns"), first[1].get("columns")):
                columns.append(self.column(path, one, columns))
        title = self.text(("title",), data.get("title"))
        description = str(data.get("description") or "")
        return Bundle(title, description, tasks, phases, tuple(sorted(columns, key=lambda one: one.index)))

    def bad(self, path: Path, expected: Message, got: Any = None) -> None:
        self.document.add(path, "bad-value", expected, got)

    def items(self, path: Path, data: Any) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        if not isinstance(data, list) or not data or not all(isinstance(one, Mapping) for one in data):
            self.bad(path, A_LIST())
            return
        seen = set()
        for place, one in enumerate(data):
            index = one.get("index", place)
            if not isinstance(index, int) or isinstance(index, bool) or index in seen or index < 0:
                self.bad((*path, place, "index"), AN_INDEX(), index)
            seen.add(str(index))
            yield (*path, place), {**one, "index": index if isinstance(index, int) else place}

    def text(self, path: Path, data: Any) -> str:
        if not isinstance(data, str) or not data.strip():
            self.bad(path, A_TEXT(), data)
            return ""
        return data

    def task(self, path: Path, data: Mapping[str, Any]) -> Task:
        if data.get("ingestion_program"):
            self.bad((*path, "ingestion_program"), NO_INGESTION())
        reference = self.part((*path, "reference_data"), data.get("reference_data"))
        program = self.part((*path, "scoring_program"), data.get("scoring_program"))
        name = str(data.get("name") or f"Task {data['index']}")
        return Task(data["index"], name, reference, program)

    def part(self, path: Path, data: Any) -> str:
        name = str(data or "").removeprefix("./").rstrip("/")
        if (name not in self.names and not any(one.startswith(f"{name}/") for one in self.names)) or not name:
            self.bad(path, A_PART(), data)
        return name

    def phase(self, path: Path, data: Mapping[str, Any], known: frozenset[int]) -> tuple[int, ...]:
        tasks = data.get("tasks")
        for task in tasks if isinstance(tasks, list) and tasks else [None]:
            if not isinstance(task, int) or task not in known:
                self.bad((*path, "tasks"), A_TASK(), task)
        return tuple(tasks) if isinstance(tasks, list) else ()

    def column(self, path: Path, data: Mapping[str, Any], earlier: list[Column]) -> Column:
        key = self.text((*path, "key"), data.get("key"))
        order = data.get("sorting", "desc")
        if order not in ("asc", "desc"):
            self.bad((*path, "sorting"), AN_ORDER(), order)
        computation, of = str(data.get("computation") or ""), data.get("computation_indexes") or []
        indexes = [one.index for one in earlier]
        if computation and (computation not in COMPUTED or not of or any(one not in indexes for one in of)):
            self.bad((*path, "computation"), A_COMPUTATION(), computation)
        decimals = data.get("precision", 2)
        return Column(
            key,
            str(data.get("title") or key),
            data["index"],
            decimals if isinstance(decimals, int) and 0 <= decimals <= 15 else 2,
            order == "asc",
            data.get("hidden") is True,
            computation,
            tuple(of) if isinstance(of, list) else (),
        )
