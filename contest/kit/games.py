"""The kit of a round that is played by a game: the round as its reader may see it now, the game itself, its
rules, samples and programs to start from."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import translation

from contest import access
from contest.kit.game_notebook import game_notebook
from contest.kit.library import Library, library
from contest.kit.packing import packed, texts
from contest.models import Attack, Entry, Round
from contest.pages.games.data import opened
from contest.pages.games.programs import takes_programs
from contest.pages.games.rules import rules_context, rules_text
from contest.pages.games.samples import sample
from contest.play.packages import open_files
from contest.play.programs import hider_starter, seeker_starter
from contest.play.table import Table
from contest.services.attacks import targets_of
from games.contract.boxes import EMPTY, MemoryBox, write_files
from games.contract.values import Seat, Target
from games.programs import HIDER, SEEKER
from games.rehearsal import Entered
from games.round_folder import KEY, ROUND, SEATS, Facts, read_files, write_entry, write_facts

SAMPLE_KEY = "1"
"""A target in the samples of answers."""


def game_kit(user: access.Viewer, round_: Round) -> bytes:
    table, made_of = Table(round_), library()
    with tempfile.TemporaryDirectory(prefix="kakurenbo-kit-") as name:
        facts = _write_round(user, table, Path(name))
        files = {f"round/{inner}": content for inner, content in read_files(Path(name)).items()}
    game = open_files(table.package)
    files |= {f"game/{inner}": content for inner, content in (game or {}).items()}
    files |= _samples(table) | _starters(table)
    files |= texts("kit/game", lambda: _words(table, facts, game is not None, made_of))
    with translation.override("en"):
        files["notebook.ipynb"] = game_notebook(_words(table, facts, game is not None, made_of))
    return packed(round_, files, made_of)


def _write_round(user: access.Viewer, table: Table, folder: Path) -> Facts:
    """The round in a folder as the reader may see it: files, seats and targets."""
    write_files(folder / ROUND, _read(access.round_files(user, table.round)))
    seats = _write_seats(user, table, folder)
    team = access.team_of(user, table.round.contest)
    for entry in targets_of(table.round, team) if access.targets_are_public(table.round) else ():
        write_entry(folder, entry.key, Entered((), _target(user, entry, seats)))
    facts = Facts(
        table.declared.name,
        table.declared.version,
        tuple(seats.get(number, f"seat-{number}") for number in range(max(seats, default=-1) + 1)),
        tuple(seats),
        table.params,
        dict(table.round.dataset.facts),
        None,
        table.rule,
        str(table.round.seed) if table.round.revealed_at is not None else "0",
    )
    write_facts(folder, facts)
    return facts


def _write_seats(user: access.Viewer, table: Table, folder: Path) -> dict[int, str]:
    """The seats of which the reader may read something, with what they are called: the own one first."""
    own = access.seat_of(user, table.round)
    names: dict[int, str] = {}
    if own is not None:
        team = own.team.name if own.team else ""
        names[own.number] = team if KEY.fullmatch(team) else f"team-{own.number}"
    elif not table.declared.files_of("seat"):
        names[0] = "me"
    for one in access.seat_files(user, table.round):
        assert one.seat is not None
        names.setdefault(one.seat, f"seat-{one.seat}")
        write_files(folder / SEATS / str(one.seat), _read([one]))
    return names


def _target(user: access.Viewer, entry: Entry, seats: Mapping[int, str]) -> Target:
    """A target with its published files; its seat only where its files may be read."""
    published = MemoryBox(_read(access.entry_files(user, entry)))
    row = Table(entry.round).seat_of(entry)
    number = row.number if row is not None and row.number in seats else None
    seat = None if number is None else Seat(number, seats[number], EMPTY, EMPTY)
    return Target(entry.key, entry.slot, entry.variant, entry.labels, seat, EMPTY, published, EMPTY)


def _read(files: list[access.ReadableFile]) -> dict[str, bytes]:
    found = {}
    for one in files:
        with opened(one) as source:
            found[one.name] = source.read()
    return found


def _samples(table: Table) -> dict[str, bytes]:
    """The first lines of every file that teams hand in, invented from its columns."""
    declared = table.declared
    found: dict[str, str] = {}
    for file in declared.files_of("entry", "upload"):
        for slot in declared.slots:
            found |= {f"samples/entry/{name}": sample(file) for name in file.names(slot=slot)}
    for file in declared.files_of("answer", "upload"):
        keys = (SAMPLE_KEY,)
        found |= {f"samples/answer/{name}": sample(file, keys) for name in file.names(keys)}
    return {name: f"{text}\n".encode() for name, text in found.items() if text}


def _starters(table: Table) -> dict[str, bytes]:
    found = {}
    if takes_programs(table.round, "seek"):
        for challenge in table.declared.challenges:
            found[f"starters/{challenge.name}/{SEEKER}.py"] = seeker_starter(table, challenge)
    if takes_programs(table.round, "hide"):
        found[f"starters/{HIDER}.py"] = hider_starter(table)
    return found


def _words(table: Table, facts: Facts, has_game: bool, made_of: Library) -> dict[str, Any]:
    """What README and RULES say, in the language of the moment."""
    declared = table.declared
    active = Attack.objects.filter(round=table.round, kind=Attack.Kind.HOUSE, is_active=True).order_by("pk")
    return {
        **rules_context(table.round),
        "text": rules_text(table),
        "has_game": has_game,
        "wheel": made_of.wheel_name,
        "seat": facts.seats[0] if facts.seats else None,
        "is_revealed": table.round.revealed_at is not None,
        "house_seed": facts.house_seed,
        "slot": declared.slots[0],
        "method": declared.methods[0].name if declared.methods else None,
        "attack": active.values_list("name", flat=True).first(),
        "secret_measures": [number.name for number in declared.measures if number.needs_secret],
        "takes_seekers": takes_programs(table.round, "seek"),
        "takes_hiders": takes_programs(table.round, "hide"),
    }
