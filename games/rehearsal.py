"""A round of a game in memory, from its data to its boards: for laws, examples, the command line and tests.

Every verb is given exactly what it may see, as on the platform.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from datasets.problems import BadFiles, Problem
from games.checks import check_answer, check_entry, lookup_in
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut, NoSuchFile
from games.contract.broken import TOO_FEW_SEATS, BrokenGame
from games.contract.declaration import File, Moment, Scope, is_shown
from games.contract.files import Lookup, check_files
from games.contract.game import Game
from games.contract.guard import require_made, require_numbers, require_result
from games.contract.pictures import plain_pictures
from games.contract.values import (
    Board,
    Box,
    Cell,
    Figures,
    Hidden,
    Question,
    Seat,
    Target,
    Verdict,
    World,
)


class NoSeat(LookupError):
    """The round has no such seat, or its files are not here."""


@dataclass(frozen=True)
class Entered:
    """What came of an upload."""

    problems: tuple[Problem, ...] = ()
    target: Target | None = None
    measures: Figures = field(default_factory=dict)
    verdict: Verdict = field(default_factory=Verdict)


@dataclass(frozen=True)
class Answered:
    """What came of an answer."""

    problems: tuple[Problem, ...] = ()
    cells: tuple[Cell, ...] = ()


def generator(seed: str, *place: object) -> np.random.Generator:
    """The randomness of one call: from the round's seed, the verb and what it is called for."""
    digest = hashlib.sha256("\0".join([seed, *map(str, place)]).encode()).digest()
    return np.random.default_rng(list(digest))


def in_order(key: str) -> list[str | int]:
    """How keys of targets are sorted: numbers in them by their size, as a site counts its entries.

    >>> sorted(["10", "9", "tree_10", "tree_9"], key=in_order)
    ['9', '10', 'tree_9', 'tree_10']
    """
    parts = re.split(r"([0-9]+)", key)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


class Rehearsal:
    """One round: build and allot on making it, then entries, answers and boards.

    ``teams`` are named in the order of their seats; a seat whose name is empty is free, or the house's.
    """

    def __init__(
        self,
        game: Game,
        sources: Mapping[str, bytes],
        teams: Sequence[str],
        params: Mapping[str, Any] | None = None,
        seed: str = "rehearsal",
    ) -> None:
        self._begin(game, teams, params or {}, seed)
        self.sources = MemoryBox(sources)
        self.round_files = self._build()
        self.seat_files = {number: self._allot(number) for number in range(self._n_seats())}
        for key, labels in self.game.targets(self.world()):
            self._publish(Target(key, "", 0, labels, None, EMPTY, EMPTY, EMPTY))

    @classmethod
    def restored(
        cls, game: Game, teams: Sequence[str], params: Mapping[str, Any], seed: str,
        round_files: Mapping[str, bytes], seat_files: Mapping[int, Mapping[str, bytes]],
    ) -> Rehearsal:  # fmt: skip
        """A round that was made before, or as much of it as somebody may see."""
        made = cls.__new__(cls)
        made._begin(game, teams, params, seed)
        made.round_files = dict(round_files)
        made.seat_files = {number: dict(files) for number, files in seat_files.items()}
        return made

    def _begin(self, game: Game, teams: Sequence[str], params: Mapping[str, Any], seed: str) -> None:
        self.game, self.declared, self.seed, self.teams = game, game.declaration, seed, tuple(teams)
        self.params = {**self.declared.defaults, **params}
        self.facts: Mapping[str, Any] = {}
        self.has_secrets = True
        self.rule = ""
        self._worlds: dict[tuple[bool, Moment], World] = {}
        self._public: dict[Moment, MemoryBox] = {}
        self._seen_seats: dict[tuple[int, str], Seat] = {}
        self.entries: dict[str, Entered] = {}
        self.cells: list[Cell] = []
        self._questions: dict[tuple[str, ...], Question] = {}

    def _n_seats(self) -> int:
        seats = self.declared.seats
        if seats.count and len(self.teams) > seats.count:
            raise BrokenGame(TOO_FEW_SEATS(teams=len(self.teams), seats=seats.count))
        return (seats.count or len(self.teams)) + seats.spare

    def _build(self) -> dict[str, bytes]:
        declared, names = self.declared.files_of("round", "organiser"), self.sources.names()
        keys = set[str]().union(*(file.targets_in(names) for file in declared))
        brought = check_files(declared, self.sources, targets=tuple(sorted(keys)))
        if not brought.verdict.ok:
            raise BadFiles(brought.verdict)
        made = self.declared.files_of("round", "build")
        out = MemoryOut(made)
        self.facts = self.game.build(self.sources, self.params, generator(self.seed, "build"), out)
        require_made(made, out.files)
        return self.sources.files | out.files

    def _allot(self, number: int) -> dict[str, bytes]:
        made = self.declared.files_of("seat", "allot")
        out = MemoryOut(made)
        if made:
            self.game.allot(self.world(), number, generator(self.seed, "allot", number), out)
        require_made(made, out.files)
        return out.files

    def world(self, secret: bool = True, moment: Moment = "publish") -> World:
        """The round with its secrets or without; the same boxes each time, so that nothing is read twice."""
        if (secret, moment) not in self._worlds:
            self._worlds[secret, moment] = self._world(secret, moment)
        return self._worlds[secret, moment]

    def _world(self, secret: bool, moment: Moment) -> World:
        files = self.round_files
        public = self._public.setdefault(
            moment, self._part(files, "round", lambda file: is_shown(file.shown, "all", moment))
        )
        hidden = self._part(files, "round", lambda file: not is_shown(file.shown, "all", moment))
        return World(self.params, public, hidden if secret else EMPTY)

    def seat(self, number: int, reader: str = "judge") -> Seat:
        """A seat as the judge, its own team (``team``) or anybody (``all``) sees it once attacks begin."""
        if (number, reader) not in self._seen_seats:
            self._seen_seats[number, reader] = self._seat(number, reader, "publish")
        return self._seen_seats[number, reader]

    def _seat(self, number: int, reader: str, moment: Moment) -> Seat:
        if number not in self.seat_files:
            known = ", ".join(map(str, sorted(self.seat_files))) or "none"
            raise NoSeat(f"There is no seat {number} here. Seats: {known}.")
        files = self.seat_files[number]
        team = self.teams[number] if number < len(self.teams) else ""
        if reader == "judge":
            own = self._part(files, "seat", lambda file: not file.shown.is_secret)
            return Seat(number, team, own, self._part(files, "seat", lambda file: file.shown.is_secret))
        readable = self._part(
            files,
            "seat",
            lambda file: is_shown(file.shown, "all", moment) or is_shown(file.shown, reader, moment),
        )
        return Seat(number, team, readable, EMPTY)

    def _part(self, files: Mapping[str, bytes], scope: Scope, wanted: Callable[[File], bool]) -> MemoryBox:
        chosen = {}
        for name, content in files.items():
            file = self.declared.file(name, scope)
            assert file is not None, name
            if wanted(file):
                chosen[name] = content
        return MemoryBox(chosen)

    def enter(
        self, seat: int, upload: Mapping[str, bytes], slot: str = "", variant: int = 0, key: str = ""
    ) -> Entered:
        """Check an upload, publish it and measure it; the latest upload of a seat and slot counts."""
        key = key or f"{self.seat_name(seat)}{slot and '-'}{slot}"
        target = Target(key, slot, variant, {}, self.seat(seat), MemoryBox(upload), EMPTY, EMPTY)
        problems = self.problems_of(target)
        if problems:
            return Entered(problems)
        return self._publish(target)

    def _publish(self, target: Target) -> Entered:
        """Make the files of a target and measure it; the organisers' own have no utility."""
        made = self.declared.files_of("entry", "publish", "upload")
        out = MemoryOut(made)
        try:
            self.game.publish(self.world(), target, generator(self.seed, "publish", target.key), out)
        except NoSuchFile:
            if self.has_secrets:
                raise
            return self._measured(target)  # What attackers would see is made from secrets.
        published = out.box(file for file in made if is_shown(file.shown, "all", "publish"))
        secret = out.box(file for file in made if not is_shown(file.shown, "all", "publish"))
        entered = self._measured(target._replace(published=published, secret=secret))
        self.entries[target.key] = entered
        return entered

    def _measured(self, target: Target) -> Entered:
        """The measures of a target, without those that need a secret where there is none."""
        measured = self.declared.measures if target.seat else ()
        names = [number.name for number in measured if self.has_secrets or not number.needs_secret]
        measures = self._figures(target, names)
        is_whole = target.seat is not None and len(measures) == len(measured)
        verdict = self.game.verdict(self._rule(), measures, self.params) if is_whole else Verdict()
        return Entered((), target, measures, verdict)

    def _figures(self, target: Target, names: Sequence[str]) -> Figures:
        try:
            measures = self.game.measure(self.world(), target, names) if names else {}
        except NoSuchFile:
            if self.has_secrets:
                raise
            if len(names) == 1:
                return {}
            apart = [self._figures(target, [name]) for name in names]
            return {name: value for found in apart for name, value in found.items()}
        require_numbers(names, measures)
        return measures

    def _rule(self) -> str:
        return self.rule or (self.declared.rules[0].name if self.declared.rules else "")

    def seat_name(self, number: int) -> str:
        """The team of a seat, or the house."""
        return (self.teams[number] if number < len(self.teams) else "") or f"house-{number}"

    def made(self) -> Iterator[tuple[Scope, Mapping[str, bytes]]]:
        """Everything that the game made, by scope."""
        yield "round", self.round_files
        for files in self.seat_files.values():
            yield "seat", files
        for entered in self.entries.values():
            assert entered.target is not None
            for box in (entered.target.published, entered.target.secret):
                yield "entry", box.files  # type: ignore[attr-defined]

    def lookup(self, seat: int) -> Lookup:
        """The files that others may refer to, as a seat sees them."""
        own, public = self.seat(seat, "team").files, self.world(secret=False).public
        return lookup_in(self.declared, ((own, "seat"), (public, "round")))

    def problems_of(self, entry: Target) -> tuple[Problem, ...]:
        """What is wrong with an upload, by the declaration of its files and by the game's own check."""
        assert entry.seat is not None
        return check_entry(self.game, self.world(), entry, self.lookup(entry.seat.number)).problems

    def targets(self, but: int | None = None) -> list[Target]:
        """What attackers see of every entry, or of all but those of one seat."""
        seen = [self._seen(target) for target in self._entered_targets()]
        return [target for target in seen if target.seat is None or target.seat.number != but]

    def _entered_targets(self) -> list[Target]:
        entered = (self.entries[key].target for key in sorted(self.entries, key=in_order))
        return [target for target in entered if target is not None]

    def _seen(self, target: Target) -> Target:
        seat = target.seat and self.seat(target.seat.number, "all")
        return target._replace(seat=seat, upload=EMPTY, secret=EMPTY)

    def answer(
        self, by: int, files: Mapping[str, bytes], attacker: str = "", *, others: bool = False
    ) -> Answered:
        """Check an answer as a whole, then judge every cell that it covers.

        With ``others`` the own entries are no targets, as of the teams of a site.
        """
        box, targets = MemoryBox(files), self.targets(by if others else None)
        world, seat = self.world(secret=False), self.seat(by, "team")
        verdict, covered = check_answer(self.game, world, seat, box, targets, self.lookup(by))
        if not verdict.ok:
            return Answered(verdict.problems)
        cells = tuple(self._judged(attacker or self.seat_name(by), by, covered, box))
        again = {cell[:3] for cell in cells}
        self.cells = [cell for cell in self.cells if cell[:3] not in again] + list(cells)
        return Answered((), cells)

    def _judged(
        self, attacker: str, by: int, covered: Sequence[tuple[str, str]], answer: Box
    ) -> Iterator[Cell]:
        questions = []
        for key, challenge in covered:
            target = self.entries[key].target
            assert target is not None
            questions.append(Question(challenge, self.seat(by), target._replace(upload=EMPTY), answer))
        results = self.game.judge_all(self.world(), questions) if questions else ()
        for question, result in zip(questions, results, strict=True):
            key, challenge = question.target.key, question.challenge
            require_result([number.name for number in self.declared.challenge(challenge).numbers], result)
            self._questions[attacker, key, challenge] = question
            yield Cell(attacker, key, challenge, result)

    def pictures(self, key: str) -> list[dict[str, Any]]:
        """The pictures of an entry as plain data; the organisers' own targets have none."""
        target, declared = self.entries[key].target, self.declared.entry_pictures()
        if target is None or target.seat is None or not declared:
            return []
        return plain_pictures(declared, self.game.pictures(self.world(), target))

    def answer_pictures(self, cell: Cell) -> list[dict[str, Any]]:
        """The pictures of an answer that was judged here."""
        declared = self.declared.answer_pictures(cell.challenge)
        if not declared:
            return []
        judged = ((self._questions[cell[:3]], cell.result),)
        (drawn,) = self.game.answer_pictures_all(self.world(), judged)
        return plain_pictures(declared, drawn)

    def attack(self, name: str, by: int, *, others: bool = False) -> dict[str, bytes]:
        """The files of a house attack's answer to all entries, or to those of others."""
        targets = self.targets(by if others else None)
        return self._attacked(name, by, targets, generator(self.seed, "attack", name))

    def attack_each(self, name: str, by: int, *, others: bool = False) -> dict[str, bytes]:
        """The same as the platform does it: one target after the other, each with its own randomness."""
        found: dict[str, bytes] = {}
        for target in self.targets(by if others else None):
            found |= self._attacked(name, by, [target], generator(self.seed, "attack", name, target.key))
        return found

    def _attacked(
        self, name: str, by: int, targets: Sequence[Target], rng: np.random.Generator
    ) -> dict[str, bytes]:
        out = MemoryOut(self.declared.files_of("answer"))
        self.game.attack(name, self.world(secret=False), self.seat(by, "team"), targets, rng, out)
        return out.files

    def oracle(self, by: int) -> dict[str, bytes] | None:
        """The files of an answer made from the secrets; None where the game offers none."""
        out, rng = MemoryOut(self.declared.files_of("answer")), generator(self.seed, "oracle", by)
        offered = self.game.oracle(self.world(), self.seat(by), self._entered_targets(), rng, out)
        return out.files if offered else None

    def anonymize(self, name: str, seat: int, params: Mapping[str, Any] | None = None) -> dict[str, bytes]:
        """The files of a house entry."""
        out = MemoryOut(self.declared.files_of("entry", "upload"))
        place = self._seat(seat, "team", "open")
        method = next(method for method in self.declared.methods if method.name == name)
        given = {setting.name: setting.default for setting in method.parameters} | dict(params or {})
        rng = generator(self.seed, "anonymize", name, seat)
        self.game.anonymize(name, self.world(secret=False, moment="open"), place, given, rng, out)
        return out.files

    def hidden(self) -> list[Hidden]:
        """Every team and slot, also those without an entry, and the organisers' targets."""
        brought = (target for target in self._entered_targets() if target.seat is None)
        rows = [Hidden(target.key, _bare(target), "house") for target in brought]
        for number, team in ((number, team) for number, team in enumerate(self.teams) if team):
            for slot in self.declared.slots:
                entered = self._entered(number, slot)
                if entered is None or entered.target is None:
                    rows.append(Hidden(team, None, "absent"))
                    continue
                state = "invalid" if entered.verdict.because else "counts"
                bare = _bare(entered.target)
                rows.append(Hidden(team, bare, state, float(number), entered.verdict))  # type: ignore[arg-type]
        return rows

    def _entered(self, seat: int, slot: str) -> Entered | None:
        for entered in self.entries.values():
            target = entered.target
            if target and target.seat and (target.seat.number, target.slot) == (seat, slot):
                return entered
        return None

    def boards(self, rule: str = "") -> list[Board]:
        rule = rule or self._rule()
        cells: Callable[[], Iterator[Cell]] = lambda: iter(self.cells)  # noqa: E731
        boards = list(self.game.tally(rule, self.params, self.hidden(), cells, {}))
        for board in boards:
            for row in board.rows:
                require_numbers(board.columns, row.values)
        return boards


def _bare(target: Target) -> Target:
    """A target without its files."""
    return target._replace(upload=EMPTY, published=EMPTY, secret=EMPTY, seat=None)
