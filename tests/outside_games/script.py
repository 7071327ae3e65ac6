"""What a script of a round is: who uploads and answers what, and what must come of it, as plain data.

Whoever plays it, in memory or on a site, hands each team its files, and each attacker what may be read of the
targets. Stated numbers hold whatever the game draws; the others are counted again from the secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes]
Figures = Mapping[str, float]
Place = tuple[str, str, str]
"""The attacker, the team whose entry is attacked, and the challenge."""
Boards = Mapping[str, list[tuple[str, Figures]]]
"""The rows of each board in their order, and the values that are stated of each."""


@dataclass(frozen=True)
class Asked:
    """What an attacker may read: the files of its seat, and those published of each target, by key."""

    targets: Mapping[str, Files]
    own: Files = field(default_factory=dict)
    mine: str = ""
    """The key of the attacker's own target."""

    @property
    def others(self) -> dict[str, Files]:
        return {key: files for key, files in self.targets.items() if key != self.mine}


@dataclass(frozen=True)
class Upload:
    """What a team hands in, made from the files that it was given."""

    make: Callable[[Files], Files]
    measures: Figures = field(default_factory=dict)
    utility: float | None = None
    variant: int = 0


@dataclass(frozen=True)
class Refused:
    """What is refused, with the codes of its problems."""

    make: Callable[[Any], Files]
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """A round of a game from outside. The order of the teams is that of their seats and uploads."""

    game: str
    project: Path | None
    """The folder of its package; None where `kakurenbo game new` makes it, or where it is a bundle."""
    teams: tuple[str, ...]
    sources: Files = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    uploads: Mapping[str, Upload] = field(default_factory=dict)
    answers: Mapping[str, Callable[[Asked], Files]] = field(default_factory=dict)
    refused_upload: Refused | None = None
    refused_answer: Refused | None = None
    house_methods: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    house_attacks: tuple[str, ...] = ()
    """They answer under their names, before the boards are made."""
    results: Mapping[Place, Figures] = field(default_factory=dict)
    """Stated by hand; other cells may come about, too."""
    recount: Callable[[str, Files, str, Files], Figures] | None = None
    """The numbers of a cell by other means: of a challenge, an answer, a target's key and its secrets."""
    boards: Callable[[Mapping[Place, float | None]], Boards] = lambda risks: {}
    """The boards from all risks."""

    @property
    def package(self) -> Path:
        """The folder with `game.yaml`, which is packed as the zip that organisers upload."""
        assert self.project is not None
        return self.project / self.game.replace("-", "_")


def rows(content: bytes, header: bool = True) -> list[list[str]]:
    """The cells of a table.

    >>> rows(b"a,b\\n1,2\\n")
    [['1', '2']]
    """
    lines = content.decode().splitlines()
    return [line.split(",") for line in lines[1 if header else 0 :]]


def table(header: str, cells: list[Any]) -> bytes:
    """A table with a header, or without where that is empty.

    >>> table("a,b", [[1, 2.5]])
    b'a,b\\n1,2.5\\n'
    """
    lines = [header] if header else []
    return "".join(f"{line}\n" for line in lines + [",".join(map(str, row)) for row in cells]).encode()
