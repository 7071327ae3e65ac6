"""What the verbs of a game are given, and what they give back.

Nothing here knows of databases or of the web. A verb is given named files (`Box`) and writes named files
(`Out`). It sees a secret only where its work needs one; a box that it may not see is empty. All randomness
comes from the seed or the generator that it is given, so a second call gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeVar

from datasets import problems

T = TypeVar("T")
Figures = Mapping[str, float | None]
"""Numbers by name; None is undefined."""


FileVerdict = problems.Verdict
"""The located problems of files, as the readers of `datasets` give them."""


class Box(Protocol):
    """Named files to read: the same in a worker, in the kit and in the sandbox."""

    def names(self) -> Sequence[str]:
        """Sorted."""

    def open(self, name: str) -> BinaryIO:
        """Raises `KeyError` where there is no such file."""

    def load(self, name: str, read: Callable[[BinaryIO], T]) -> T:
        """A file as ``read`` makes it; a file that is asked for again in the same way is not read again."""

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` makes of several files; asked for again under the same key, it is not made again."""


class Out(Protocol):
    """Where a verb writes: declared names only, and no more bytes than declared."""

    def create(self, name: str) -> BinaryIO: ...


class World(NamedTuple):
    """A round: its parameters, and the files that belong to nobody in particular."""

    params: Mapping[str, Any]
    public: Box
    secret: Box


class Seat(NamedTuple):
    """A place at the table with its data. Without a team it is a spare one, for the house."""

    number: int
    team: str
    files: Box
    secret: Box


class Target(NamedTuple):
    """What is attacked: an entry, or what organisers brought, which has no seat."""

    key: str
    slot: str
    variant: int
    labels: Mapping[str, str]
    seat: Seat | None
    upload: Box
    published: Box
    secret: Box


class Fault(NamedTuple):
    """Something wrong in an upload: the code of a message that the game declares, and where it is.

    ``got`` is a cell of the upload, which is quoted; ``values`` fill the message.
    """

    code: str
    file: str
    line: int | None = None
    column: str | None = None
    got: str | None = None
    values: Mapping[str, str | int | float] = {}


Wrong = Fault | FileVerdict
"""What a game finds wrong: a fault in its own words, or the located problems of a reader of `datasets`."""


class Result(NamedTuple):
    """What one answer to one challenge achieves against one target.

    ``risk`` runs from 0 to 1; ``baseline`` is that of blind guessing. ``evidence`` holds arrays that only the
    tally reads again; ``found`` among them are the people found.
    """

    risk: float | None
    numbers: Figures = {}
    baseline: float | None = None
    interval: tuple[float, float] | None = None
    evidence: Mapping[str, Any] = {}


class Question(NamedTuple):
    """What a judge is asked: an answer to a challenge about a target. ``by`` is the seat of who answers."""

    challenge: str
    by: Seat | None
    target: Target
    answer: Box


class Bars(NamedTuple):
    """How often each class occurs, once or before and after: one number from 0 up per class and series.

    ``name`` is that of a declared picture. One that is drawn several times says in ``part`` of what.
    """

    name: str
    classes: Sequence[str]
    series: Mapping[str, Sequence[float]]
    part: str = ""


class Heatmap(NamedTuple):
    """One matrix, or two side by side: a list of numbers per row; None is undefined."""

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    panels: Mapping[str, Sequence[Sequence[float | None]]]
    part: str = ""


class Curves(NamedTuple):
    """Curves from the left to the right, each as its x and its y, and points that are marked."""

    name: str
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]] = {}
    part: str = ""


Drawing = Bars | Heatmap | Curves
"""The numbers of a picture. Every number is finite; series, panels, curves and points have declared names."""


class Verdict(NamedTuple):
    """Whether an entry is useful enough: the limits that it breaks, and its utility."""

    because: tuple[str, ...] = ()
    utility: float | None = None
    parts: Figures = {}


class Hidden(NamedTuple):
    """A team and a slot in the tally, also one without an entry."""

    team: str
    target: Target | None
    state: Literal["counts", "invalid", "absent", "void", "house"]
    received: float = 0.0
    verdict: Verdict | None = None
    adjusted: Figures = {}


class Cell(NamedTuple):
    """One result of the matrix: who attacked whom in which challenge."""

    attacker: str
    target: str
    challenge: str
    result: Result


class Row(NamedTuple):
    """A row of a board. Smaller chains come first, equal ones share a place; None has no place."""

    key: str
    values: Figures
    chain: tuple[float, ...] | None


class Board(NamedTuple):
    """A table of rows, with the columns that the game declares."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    shown: Literal["all", "own row", "organisers"] = "all"
