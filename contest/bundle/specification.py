"""What a bundle says, as data: two bundles that say the same are equal."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contest.bundle.declared import CONTEST_DEFAULTS
from contest.declarations.round import DEFAULTS
from datasets.documents import Path
from games.formats import OLDEST, TABLE_FIELDS
from games.formats.rules import FileRules
from games.formats.sources import WAYS
from scoring.rules import Limit

KNOWN_SEEDS = (
    "Keep the seeds that the bundle names. Anybody who has them can compute who is who in the house entries."
)
"""What an organiser accepts, on the page, in the API or on the command line, before a contest is created with
seeds that are written down."""


KNOWLEDGE = "knowledge"
"""The key of the files that attackers get besides the tables."""


@dataclass(frozen=True)
class PhaseSpec:
    kind: str
    starts_at: datetime.datetime
    ends_at: datetime.datetime


@dataclass(frozen=True)
class Baseline:
    """A house entry: made by an anonymizer with these parameters and this seed, or one that is drawn."""

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True)
class DataSpec:
    """A data set: ``source`` is ``files`` or the key of a way to make it, with its settings."""

    name: str
    source: Mapping[str, Mapping[str, Any]]
    description: str = ""
    format: str = OLDEST

    @property
    def file_names(self) -> tuple[str, ...]:
        """The files beside the bundle that it is made of."""
        if "files" in self.source:
            return tuple(file["name"] for _, file in named_files(self.source["files"]))
        return tuple(self.source[way.key]["file"] for way in WAYS if way.file and way.key in self.source)


def named_files(files: Mapping[str, Any]) -> list[tuple[Path, Mapping[str, str]]]:
    """The files of a data set, each with its place under ``files``."""
    tables: list[tuple[Path, Mapping[str, str]]] = [
        ((table,), files[table]) for table in TABLE_FIELDS if table in files
    ]
    return tables + [((KNOWLEDGE, part), file) for part, file in files.get(KNOWLEDGE, {}).items()]


@dataclass(frozen=True)
class GameSpec:
    """The game that a round is played by: the name of an installed one, or a zip beside the bundle.

    ``files`` are what organisers bring, by their names in the game: the names and hashes of files beside the
    bundle. ``parameters`` are those that differ from the game's defaults. With ``samples`` the house plays
    everything that the game offers, beside what the round lists.
    """

    name: str = ""
    file: str = ""
    sha256: str = ""
    rule: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    samples: bool = False

    @property
    def file_names(self) -> tuple[str, ...]:
        """The files beside the bundle that it needs."""
        own = (self.file,) if self.file else ()
        return (*own, *(file["name"] for file in self.files.values()))


@dataclass(frozen=True)
class RoundSpec:
    """``data`` names a data set of the bundle; it is empty where a game makes the round's data."""

    slug: str
    name: str
    data: str
    phases: tuple[PhaseSpec, ...]
    settings: Mapping[str, Any] = field(default_factory=lambda: DEFAULTS)
    """The declared settings by their names, all of them."""
    seed: int | None = None
    rules: FileRules = field(default_factory=FileRules)
    limits: tuple[Limit, ...] = ()
    attacks: tuple[str, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    game: GameSpec | None = None

    @property
    def starts_at(self) -> datetime.datetime:
        return min(phase.starts_at for phase in self.phases)

    @property
    def names_seeds(self) -> bool:
        """Whether a seed is written down that would otherwise be drawn in secret."""
        return any(seed is not None for seed in (self.seed, *(it.seed for it in self.baselines)))


@dataclass(frozen=True)
class Bundle:
    slug: str
    title: str
    summary: str
    time_zone: str
    data: tuple[DataSpec, ...]
    rounds: tuple[RoundSpec, ...]
    settings: Mapping[str, Any] = field(default_factory=lambda: CONTEST_DEFAULTS)
    """The other declared settings by their names, all of them."""

    @property
    def starts_at(self) -> datetime.datetime:
        return min(round_.starts_at for round_ in self.rounds)

    @property
    def names_seeds(self) -> bool:
        return any(round_.names_seeds for round_ in self.rounds)


def shifted(phases: Iterable[PhaseSpec], by: datetime.timedelta) -> tuple[PhaseSpec, ...]:
    """The same phases at another time."""
    return tuple(PhaseSpec(phase.kind, phase.starts_at + by, phase.ends_at + by) for phase in phases)


def later(round_: RoundSpec, by: datetime.timedelta) -> RoundSpec:
    """The same round at another time: its phases, and the moment from which its board stands still."""
    frozen_at = round_.settings.get("board_frozen_at")
    settings = {**round_.settings, **({"board_frozen_at": frozen_at + by} if frozen_at else {})}
    return dataclasses.replace(round_, phases=shifted(round_.phases, by), settings=settings)


def moved(bundle: Bundle, starts_at: datetime.datetime) -> Bundle:
    """The same contest with its first phase at another time and everything else as long after it."""
    by = starts_at - bundle.starts_at
    rounds = tuple(later(round_, by) for round_ in bundle.rounds)
    settings = {
        name: value + by if isinstance(value, datetime.datetime) else value
        for name, value in bundle.settings.items()
    }
    return dataclasses.replace(bundle, rounds=rounds, settings=settings)
