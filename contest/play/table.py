"""A round as its game sees it: each verb gets the boxes that it may see, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from contest.files import vault
from contest.models import Entry, GamePackage, Phase, Round, Sealed, Seat
from contest.models.sealed import SEED
from contest.play.boxes import EMPTY, joined, public_box, sealed_box
from contest.play.packages import declaration_of, game_of
from games.checks import Place, lookup_in
from games.contract import values
from games.contract.declaration import MOMENTS, Declaration, File, Moment, Scope, is_shown
from games.contract.files import Lookup
from games.contract.game import Game
from games.contract.values import Box, Target, World
from games.rehearsal import generator

Reader = Literal["judge", "team", "all", "programs"]


def moment_of(round_: Round) -> Moment | None:
    """Which moment a round has reached; None before its first phase has begun."""
    if round_.revealed_at is not None:
        return "reveal"
    if round_.frozen_at is not None:
        return "publish"
    return "open" if round_.has_begun else None


def has_hiding(round_: Round) -> bool:
    """Whether teams hand in entries; otherwise the organisers bring all targets."""
    return Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).exists()


def reaches(moment: Moment, wanted: Moment) -> bool:
    return MOMENTS.index(wanted) <= MOMENTS.index(moment)


class Table:
    """One round with its game, or with another version of it that is tried. It reads rows when a verb needs
    them; `Sealed` rows are read once."""

    def __init__(self, round_: Round, package: GamePackage | None = None) -> None:
        if round_.game is None:
            raise ValueError(f"Round {round_.pk} has no game.")
        self.round, self.package = round_, package or round_.game

    @cached_property
    def declared(self) -> Declaration:
        return declaration_of(self.package)

    @cached_property
    def game(self) -> Game:
        return game_of(self.package)

    @property
    def params(self) -> dict[str, Any]:
        defaults = self.declared.defaults
        return {**defaults, **{name: value for name, value in self.round.params.items() if name in defaults}}

    @property
    def rule(self) -> str:
        """The rule by which the round is decided."""
        return self.round.ranking

    @cached_property
    def seed(self) -> str:
        """What the game draws its secrets from; in the vault, because secrets follow from it."""
        row = next((row for row in self._sealed("round") if row.name == SEED), None)
        if row is None:
            raise ValueError(f"Round {self.round.pk} has no seed yet.")
        with vault.open_secret(row.sha256) as file:
            return file.read().decode("ascii")

    def rng(self, verb: str, *place: object) -> np.random.Generator:
        """The randomness of a call from which secrets follow."""
        return generator(self.seed, verb, *place)

    def public_rng(self, verb: str, *place: object) -> np.random.Generator:
        """The randomness of house attacks, whose seed is revealed with the results."""
        return generator(str(self.round.seed), verb, *place)

    def world(self, *, secret: bool = True, moment: Moment = "publish") -> World:
        """The round: what everybody may read at a moment, and the rest where the verb needs it."""
        rows = [row for row in self._sealed("round") if row.name != SEED]
        opened = [row for row in rows if self._is_shown(row, "round", "all", moment)]
        hidden = [row for row in rows if row not in opened]
        public = joined(public_box(self.round.dataset.files), sealed_box(opened))
        return World(self.params, public, sealed_box(hidden) if secret else EMPTY)

    def round_text(self, name: str) -> str:
        """The text of a file of the round, whoever may read it."""
        world = self.world()
        with joined(world.public, world.secret).open(name) as file:
            return file.read().decode("utf-8")

    def seat(
        self, seat: Seat | None, reader: Reader = "judge", moment: Moment = "publish"
    ) -> values.Seat | None:
        """A seat as the judge, its own team or anybody sees it."""
        if seat is None:
            return None
        rows = self._sealed("seat", seat.pk)
        team = seat.team.name if seat.team else ""
        if reader == "judge":
            hidden = [row for row in rows if self._file(row, "seat").shown.is_secret]
            own = [row for row in rows if row not in hidden]
            return values.Seat(seat.number, team, sealed_box(own), sealed_box(hidden))
        seen = [
            row
            for row in rows
            if self._is_shown(row, "seat", "all", moment) or self._is_shown(row, "seat", reader, moment)
        ]
        return values.Seat(seat.number, team, sealed_box(seen), EMPTY)

    def target(
        self, entry: Entry, *, upload: Box = EMPTY, secret: bool = False, reader: Reader = "all"
    ) -> Target:
        """An entry as attackers see it, or with what check, measure and judge need besides."""
        rows = self._sealed("entry", entry.pk) if secret else []
        return Target(
            key=entry.key,
            slot=entry.slot,
            variant=entry.variant,
            labels=entry.labels,
            seat=self.seat(self.seat_of(entry), reader),
            upload=upload,
            published=public_box(entry.published),
            secret=sealed_box(rows),
        )

    def seat_of(self, entry: Entry) -> Seat | None:
        """The seat of an entry's team; the house plays on a spare one, the organisers' targets on none."""
        if entry.is_brought:
            return None
        found = Seat.objects.filter(round=self.round, team=entry.team_id).select_related("team").first()
        return found or (self.spare_seat() if entry.team.is_house else None)

    def spare_seat(self) -> Seat | None:
        """The seat of house entries and house attacks."""
        return Seat.objects.filter(round=self.round, is_spare=True).order_by("number").first()

    def lookup(self, seat: values.Seat | None) -> Lookup:
        """The files that declarations refer to, as the team of a seat sees them."""
        places: list[Place] = [(self.world(secret=False).public, "round")]
        if seat is not None:
            places.insert(0, (seat.files, "seat"))
        return lookup_in(self.declared, places)

    def _file(self, row: Sealed, scope: Scope) -> File:
        file = self.declared.file(row.name, scope)
        if file is None:
            raise ValueError(f"{row.name!r} is no file that {self.package} declares.")
        return file

    def _is_shown(self, row: Sealed, scope: Scope, reader: str, moment: Moment) -> bool:
        return is_shown(self._file(row, scope).shown, reader, moment)

    def _sealed(self, scope: str, owner: int | None = None) -> Sequence[Sealed]:
        key = (scope, owner)
        if key not in self._rows:
            rows = Sealed.objects.filter(round=self.round, scope=scope)
            if owner is not None:
                rows = rows.filter(**{scope: owner})
            self._rows[key] = list(rows.order_by("name"))
        return self._rows[key]

    @cached_property
    def _rows(self) -> dict[tuple[str, int | None], list[Sealed]]:
        return {}


def parts_of(declared: Declaration, scope: Scope, made: Mapping[str, bytes]) -> tuple[set[str], set[str]]:
    """The names of files that everybody may read from the opening on, and of all others."""
    public = {name for name in made if _is_open(declared.file(name, scope))}
    return public, set(made) - public


def _is_open(file: File | None) -> bool:
    return file is not None and is_shown(file.shown, "all", "open")
