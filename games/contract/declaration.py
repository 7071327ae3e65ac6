"""What a game declares, as plain values: its files, numbers, challenges, rules, methods and examples.

The declaration is data (`game.yaml`), so that the platform reads it without running any code of the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from datasets.lookup import find_by_name
from datasets.setting import Setting
from datasets.tokens import Headed

Moment = Literal["open", "publish", "reveal", "never"]
"""Of a round: it opens, it hands its entries over to the attackers, it reveals what was secret."""
Text = Mapping[str, str]
"""Words by language; a language that is missing falls back to English, or to the only one there is."""
Scope = Literal["round", "seat", "entry", "answer"]
Maker = Literal["organiser", "build", "allot", "upload", "publish"]
Kind = Literal["text", "int", "real", "date", "choice"]
Told = Literal["at once", "band", "mean", "tally"]
ProgramKind = Literal["seek", "hide"]
"""Programs of teams: a seeker answers about targets, a hider makes entries."""


def in_language(text: Text, language: str) -> str:
    """
    >>> in_language({"en": "patients", "ja": "患者"}, "ja"), in_language({"en": "patients"}, "ja")
    ('患者', 'patients')
    """
    return text.get(language) or text.get("en") or next(iter(text.values()), "")


@dataclass(frozen=True)
class Shown:
    """From which moment on a file may be read, and by whom. Three times never is the vault."""

    all: Moment = "never"
    team: Moment = "never"
    """The team whose seat or entry it belongs to."""
    programs: Moment = "never"
    """Programs in the sandbox only: their authors then get no log."""

    @property
    def is_secret(self) -> bool:
        return (self.all, self.team, self.programs) == ("never",) * 3


MOMENTS: tuple[Moment, ...] = ("open", "publish", "reveal", "never")


def is_shown(shown: Shown, reader: str, moment: Moment) -> bool:
    """Whether a reader (all, team, programs) may read a file at a moment of the round."""
    since: Moment = getattr(shown, reader)
    return since != "never" and MOMENTS.index(since) <= MOMENTS.index(moment)


VISIBILITIES = {
    "public": Shown("open", "open", "open"),
    "team": Shown(team="open"),
    "published": Shown("publish", "open", "publish"),
    "secret": Shown(),
}
"""Words for the usual cases."""


@dataclass(frozen=True)
class Column:
    """A column of a declared file: what its cells may hold."""

    name: str
    kind: Kind = "text"
    span: tuple[float, float] | None = None
    """The least and the largest number, or the first and the last day since 1970-01-01."""
    decimals: int | None = None
    """At most so many digits after the point."""
    domain: tuple[str, ...] | str = ()
    """The legal texts, or ``B.csv:zip``: whatever occurs in that column."""
    longest: int = 50
    """Bytes of a cell at most."""
    empty: bool = False
    unique: bool = False
    per_target: bool = False
    """Repeated once per target, under the target's key: the wide answers to all targets at once."""


@dataclass(frozen=True)
class File:
    """A file of a game.

    ``name`` may hold ``{i}`` (see ``count``), ``{slot}`` or ``{target}``. ``rows`` is a number or the name of
    a file that has as many. A file without columns is bytes that only the game reads. Of the organisers'
    files, those with ``{target}`` come once per target that they bring.
    """

    name: str
    scope: Scope
    made: Maker
    shown: Shown = Shown()
    columns: tuple[Column, ...] = ()
    rows: int | str | None = None
    header: Headed = "optional"
    order: Literal["kept", "sorted"] = "sorted"
    """What the default `publish` does with the rows of an upload."""
    column_order: Literal["declared", "free"] = "declared"
    """Free: the header may name the columns in any order. It is for files whose header is required."""
    count: int = 1
    """How many files ``{i}`` stands for, counted from 0."""
    committed: bool = False
    """Its hash is public from the moment it is made."""
    required: bool = True
    reader: Literal["declared", "game"] = "declared"
    """Who checks an upload of it: the platform by its columns, or the game's own `check` and `cover`."""
    max_bytes: int = 64 * 1024 * 1024
    meaning: Text = field(default_factory=dict, hash=False)

    def names(self, targets: tuple[str, ...] = (), slot: str = "") -> tuple[str, ...]:
        """The names that it stands for.

        >>> File("C_{i}.csv", "entry", "upload", count=3).names()
        ('C_0.csv', 'C_1.csv', 'C_2.csv')
        >>> File("{target}/Q.csv", "answer", "upload").names(("a", "b"))
        ('a/Q.csv', 'b/Q.csv')
        """
        named = self.name.replace("{slot}", slot)
        several = [named.replace("{target}", key) for key in targets] if "{target}" in named else [named]
        counted = range(self.count) if "{i}" in named else (0,)
        return tuple(name.replace("{i}", str(number)) for name in several for number in counted)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches every name that it stands for; its group ``target`` is the key, which may be a path."""
        number = "(?:" + "|".join(str(number) for number in range(self.count)) + ")"
        text = re.escape(self.name).replace(r"\{i\}", number).replace(r"\{slot\}", "[^/]+")
        text = text.replace(r"\{target\}", "(?P<target>[^/]+(?:/[^/]+)*)", 1)
        return re.compile(text.replace(r"\{target\}", "(?P=target)"))

    def targets_in(self, names: Iterable[str]) -> set[str]:
        """The keys for which ``{target}`` stands in names of files.

        >>> sorted(File("{target}/Q.csv", "round", "organiser").targets_in(["a/Q.csv", "a/b/Q.csv", "Q.csv"]))
        ['a', 'a/b']
        """
        if "{target}" not in self.name:
            return set()
        return {match["target"] for match in map(self.pattern.fullmatch, names) if match}


@dataclass(frozen=True)
class Number:
    """Any figure: a measure, a part of a result, a column of a board."""

    name: str
    title: Text = field(default_factory=dict)
    meaning: Text = field(default_factory=dict)
    better: Literal["lower", "higher", ""] = ""
    decimals: int = 4
    low: float | None = None
    high: float | None = None
    absent: float | None = None
    """What an undefined value counts as."""
    told: Told = "at once"
    """How it is reported before the results."""
    bands: tuple[float, ...] = ()
    needs_secret: bool = False
    """The kit cannot compute it and says so."""
    version: int = 1


@dataclass(frozen=True)
class Challenge:
    """One question that attackers answer about an entry."""

    name: str
    title: Text
    question: Text
    answer: tuple[str, ...]
    """The files, of scope ``answer``, with which it is answered."""
    numbers: tuple[Number, ...] = ()
    slot: str = ""
    starter: str = ""
    """A file of the game: a program that answers it, to start from. Without it one is made from the files."""


@dataclass(frozen=True)
class Picture:
    """A picture of an entry, or of a judged answer: its words, and from when on whom it is shown.

    The verbs `pictures` and `answer_pictures` give its numbers. Of an answer, ``team`` is the team that
    answers. Organisers see every picture; without ``shown`` nobody else does.
    """

    name: str
    kind: Literal["bars", "heatmap", "curves"]
    title: Text
    of: Literal["entry", "answer"] = "entry"
    challenge: str = ""
    """Of answers: the challenge that has it, all of them where empty."""
    shown: Shown = Shown()
    meaning: Text = field(default_factory=dict)
    x: Text = field(default_factory=dict)
    y: Text = field(default_factory=dict)
    words: Mapping[str, Text] = field(default_factory=dict)
    """What its series, panels, curves and points are called, and any labels that have a translation."""
    steps: bool = False
    """Whether the value of a curve holds until its next point."""


@dataclass(frozen=True)
class Rule:
    """How a round is decided. A round names one of its game's rules."""

    name: str
    formula: Text
    version: int = 1
    boards: tuple[str, ...] = ("main",)


@dataclass(frozen=True)
class BoardWords:
    """How a board that the game counts, and its columns, are called where it is shown."""

    name: str
    title: Text = field(default_factory=dict)
    columns: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Method:
    """A house method that makes entries, or a house attack that answers challenges."""

    name: str
    title: Text
    meaning: Text = field(default_factory=dict)
    parameters: tuple[Setting, ...] = ()
    challenges: tuple[str, ...] = ()
    """Those that an attack answers."""
    version: int = 1


@dataclass(frozen=True)
class Term:
    """A word of the game that newcomers do not know; pages explain it where it appears."""

    name: str
    meaning: Text
    title: Text = field(default_factory=dict)


@dataclass(frozen=True)
class Seats:
    """Places at the table, each with its data; 0 means one per team, with nothing of its own."""

    count: int = 0
    spare: int = 0
    """Kept for the house's own entries and attacks."""
    placing: Literal["order", "drawn", "hash"] = "order"
    salt: str = ""
    """Where teams are placed by a hash: the committed file of the round whose text follows their names."""
    variants: int = 1
    """How many alternatives a seat has; a team enters one of them."""


@dataclass(frozen=True)
class Example:
    """An upload of files with what must come of it.

    ``refused`` holds the codes of its problems. ``measures`` and ``results`` hold expected numbers, the
    latter by challenge; ``answer`` is a folder with an answer to the entry. Without an entry the answer is
    one to the organisers' targets: ``refused`` holds its problems, ``target`` names the one of ``results``.
    """

    name: str
    entry: str = ""
    target: str = ""
    refused: tuple[str, ...] = ()
    measures: Mapping[str, float | None] = field(default_factory=dict)
    answer: str = ""
    results: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Declaration:
    """Everything that a game says about itself without running."""

    name: str
    version: str
    title: Text
    people: Text
    """What the hidden people are called: customers, patients."""
    files: tuple[File, ...]
    challenges: tuple[Challenge, ...]
    hidden: Text = field(default_factory=dict)
    """What is hidden, from whom, and why: one sentence for people who see the game's boards first."""
    terms: tuple[Term, ...] = ()
    measures: tuple[Number, ...] = ()
    rules: tuple[Rule, ...] = ()
    boards: tuple[BoardWords, ...] = ()
    """Words for boards and columns whose names do not speak for themselves."""
    facts: Mapping[str, Text] = field(default_factory=dict)
    """What the facts about a round's data, which ``build`` returns, are called."""
    parameters: tuple[Setting, ...] = ()
    methods: tuple[Method, ...] = ()
    attacks: tuple[Method, ...] = ()
    pictures: tuple[Picture, ...] = ()
    slots: tuple[str, ...] = ("",)
    seats: Seats = Seats()
    phases: Literal["hide and seek", "seek"] = "hide and seek"
    texts: Mapping[str, str] = field(default_factory=dict)
    """Markdown files with the rules, by language."""
    presets: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    rehearsal: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the round that the laws and examples are played in, where a real one is too large."""
    programs: tuple[ProgramKind, ...] = ("seek", "hide")
    """Which programs teams may hand in."""
    starter: str = ""
    """A file of the game: a program that makes an entry, to start from, as `Challenge` has one."""
    open_code: bool = False
    """Whether teams get the game's code and files, without its folder ``data``, in their kits. Those of the
    house are open anyway."""
    needs: tuple[str, ...] = ()
    """Libraries beyond those of the platform."""
    messages: Mapping[str, Text] = field(default_factory=dict)
    """What the game's own checks may say to teams, by code; values stand as ``%(name)s``."""
    unchanged: str = "unchanged"
    """The house method that hands the data back as they are, where there is one."""
    laws_off: Mapping[str, Text] = field(default_factory=dict)
    """Laws that do not hold here, each with a reason that is shown on the rules page."""

    def file(self, name: str, scope: Scope | None = None) -> File | None:
        """The declaration under which a file of this name falls; two scopes may have files of one name."""
        found = (file for file in self.files if scope in (None, file.scope))
        return next((file for file in found if file.pattern.fullmatch(name)), None)

    def files_of(self, scope: Scope, *makers: Maker) -> tuple[File, ...]:
        """The files of a scope, or those of them that are made in one of these ways."""
        found = (file for file in self.files if file.scope == scope)
        return tuple(file for file in found if not makers or file.made in makers)

    def takes(self, kind: ProgramKind) -> bool:
        """Whether teams may hand in programs of a kind; there are no hiders where nobody hides."""
        return kind in self.programs and (kind == "seek" or self.phases != "seek")

    def challenge(self, name: str) -> Challenge:
        return find_by_name(self.challenges, name, "challenge")

    def entry_pictures(self) -> tuple[Picture, ...]:
        return tuple(picture for picture in self.pictures if picture.of == "entry")

    def answer_pictures(self, challenge: str) -> tuple[Picture, ...]:
        """The pictures of an answer to a challenge."""
        found = (picture for picture in self.pictures if picture.of == "answer")
        return tuple(picture for picture in found if picture.challenge in ("", challenge))

    def rule(self, name: str) -> Rule:
        return find_by_name(self.rules, name, "rule")

    def board_title(self, board: str) -> Text:
        return next((one.title for one in self.boards if one.name == board), {})

    def board_numbers(self, board: str) -> dict[str, Number]:
        """What columns of a board are: as it says itself, else as other boards, measures and results do."""
        found: dict[str, Number] = {}
        boards = sorted(self.boards, key=lambda one: one.name != board)
        declared = [
            *(one.columns for one in boards),
            self.measures,
            *(challenge.numbers for challenge in self.challenges),
        ]
        for number in (number for numbers in declared for number in numbers):
            found.setdefault(number.name, number)
        return found

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters of a round whose organisers change none."""
        return {setting.name: setting.default for setting in self.parameters}
