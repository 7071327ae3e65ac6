"""What the methods and attacks of a game make from what a seat may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from contest.models import Entry, Seat
from contest.play.boxes import EMPTY
from contest.play.table import Table
from games.contract import values
from games.contract.boxes import MemoryOut
from games.contract.declaration import Moment


def own_seat(table: Table, seat: Seat | None, moment: Moment = "publish") -> values.Seat:
    """A seat as its team sees it; where a game gives the house none, one without files."""
    return table.seat(seat, "team", moment) or values.Seat(0, "", EMPTY, EMPTY)


def hide_with(
    table: Table, seat: Seat | None, method: str, params: Mapping[str, Any], rng: np.random.Generator
) -> dict[str, bytes]:
    """The files of an entry that a method of the game makes."""
    out = MemoryOut(table.declared.files_of("entry", "upload"))
    world = table.world(secret=False, moment="open")
    table.game.anonymize(method, world, own_seat(table, seat, "open"), params, rng, out)
    return out.files


def seek_with(
    table: Table,
    seat: Seat | None,
    entries: Sequence[Entry],
    attack: str,
    rng: np.random.Generator,
    moment: Moment = "publish",
) -> dict[str, bytes]:
    """The files of an answer that an attack of the game makes from what may be read at a moment."""
    out = MemoryOut(table.declared.files_of("answer"))
    targets = [
        table.target(entry)._replace(seat=table.seat(table.seat_of(entry), "all", moment))
        for entry in entries
    ]
    world = table.world(secret=False, moment=moment)
    table.game.attack(attack, world, own_seat(table, seat, moment), targets, rng, out)
    return out.files
