"""A round of a game in a folder: everything, as its organisers keep it, or what one team may read of it.

``round.json`` says which game is played, with which parameters and teams. The files of the round are in
``round``, those of seat 2 in ``seats/2``, those of a target in ``targets/KEY/upload``, ``published`` and
``secret``, an answer with its results in ``answers/NAME``.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from games.contract.boxes import FolderBox, MemoryBox, contents, write_files
from games.contract.broken import BadAnswer
from games.contract.declaration import Moment, Scope, is_shown
from games.contract.folders import Reader, Writer
from games.contract.game import Game
from games.contract.values import Cell, Target, Verdict
from games.rehearsal import Entered, Rehearsal

ROUND, SEATS, TARGETS, ANSWERS = "round", "seats", "targets", "answers"
FACTS, TARGET, CELLS = "round.json", "target.json", "cells.json"
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
"""The name of a team, a target or an attacker in a folder."""


class BadRound(ValueError):
    """A folder that is no round; the text says why."""


@dataclass(frozen=True)
class Facts:
    """What ``round.json`` holds. Without ``seed`` the folder is a team's, and has no secrets."""

    game: str
    version: str
    teams: tuple[str, ...]
    seats: tuple[int, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    seed: str | None = None
    rule: str = ""
    """By which the round is decided; the game's first where none is named."""
    house_seed: str = "0"
    """Of house attacks, where it is revealed."""


def read_facts(folder: Path) -> Facts:
    try:
        loaded = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        return Facts(**{**loaded, "teams": tuple(loaded["teams"]), "seats": tuple(map(int, loaded["seats"]))})
    except FileNotFoundError:
        raise BadRound(
            f"There is no {FACTS} in {folder}. `kakurenbo game build` makes a round in a folder."
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadRound(f"{folder / FACTS} cannot be read: {type(error).__name__}.") from None


def require_key(key: str) -> str:
    if not KEY.fullmatch(key):
        raise BadRound(f"got {key!r}, expected 1 to 60 letters, digits, '-', '_' or '.', such as tanuki.")
    return key


def write_round(folder: Path, round_: Rehearsal) -> None:
    """Write a whole new round, secrets included."""
    for team in filter(None, round_.teams):
        require_key(team)
    write_files(folder / ROUND, round_.round_files)
    for number, files in round_.seat_files.items():
        write_files(folder / SEATS / str(number), files)
    _write_facts(folder, round_, tuple(round_.seat_files), round_.seed)
    for key, entered in round_.entries.items():
        write_entry(folder, key, entered)


def _write_facts(folder: Path, round_: Rehearsal, seats: tuple[int, ...], seed: str | None) -> None:
    declared = round_.declared
    named = (declared.name, declared.version, round_.teams, seats, round_.params, round_.facts, seed)
    write_facts(folder, Facts(*named, round_.rule))


def write_facts(folder: Path, facts: Facts) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(vars(facts), indent=2, ensure_ascii=False, default=_plain)
    (folder / FACTS).write_text(text + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    """Numbers of NumPy as those of JSON."""
    return value.item() if hasattr(value, "item") else str(value)


def write_entry(folder: Path, key: str, entered: Entered) -> None:
    """Store an entry as a target; an earlier one under the same key is replaced."""
    target = entered.target
    assert target is not None
    place = folder.joinpath(TARGETS, *map(require_key, key.split("/")))
    shutil.rmtree(place, ignore_errors=True)
    for part in ("upload", "published", "secret"):
        write_files(place / part, contents(getattr(target, part)))
    facts = {
        "seat": target.seat and target.seat.number,
        "slot": target.slot,
        "variant": target.variant,
        "labels": dict(target.labels),
        "measures": dict(entered.measures),
        "verdict": entered.verdict._asdict(),
    }
    text = json.dumps(facts, indent=2, ensure_ascii=False, default=_plain)
    (place / TARGET).write_text(text + "\n", encoding="utf-8")


def write_answer(folder: Path, attacker: str, files: Mapping[str, bytes], cells: tuple[Cell, ...]) -> None:
    place = folder / ANSWERS / require_key(attacker)
    shutil.rmtree(place, ignore_errors=True)
    write_files(place / "files", files)
    Writer(place).write(CELLS, cells)


def read_round(folder: Path, game: Game) -> Rehearsal:
    """The round, or what of it is in the folder."""
    facts = read_facts(folder)
    if facts.game != game.declaration.name:
        raise BadRound(f"{folder} holds a round of {facts.game}, not of {game.declaration.name}.")
    seats = {number: read_files(folder / SEATS / str(number)) for number in facts.seats}
    round_files = read_files(folder / ROUND)
    _require_declared(game, folder, "round", round_files)
    for files in seats.values():
        _require_declared(game, folder, "seat", files)
    made = Rehearsal.restored(game, facts.teams, facts.params, facts.seed or "", round_files, seats)
    made.has_secrets = facts.seed is not None
    made.rule = facts.rule
    made.facts = facts.facts
    for file in sorted((folder / TARGETS).rglob(TARGET)):
        key = file.parent.relative_to(folder / TARGETS).as_posix()
        made.entries[key] = _read_entry(key, file.parent, made)
    for place in _folders(folder / ANSWERS):
        try:
            made.cells += Reader(place).read(CELLS)
        except BadAnswer as error:
            raise BadRound(f"{place}: {error}") from None
    return made


def _require_declared(game: Game, folder: Path, scope: Scope, files: Mapping[str, bytes]) -> None:
    for name in files:
        if game.declaration.file(name, scope) is None:
            raise BadRound(f"{folder} holds a file {name!r}, which {game.declaration.name} does not declare.")


def _read_entry(key: str, place: Path, made: Rehearsal) -> Entered:
    try:
        facts = json.loads((place / TARGET).read_text(encoding="utf-8"))
        verdict = Verdict(
            tuple(facts["verdict"]["because"]), *(facts["verdict"][k] for k in ("utility", "parts"))
        )
        seat, slot, variant, labels = (facts[name] for name in ("seat", "slot", "variant", "labels"))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadRound(f"{place / TARGET} cannot be read: {type(error).__name__}.") from None
    boxes = [MemoryBox(read_files(place / part)) for part in ("upload", "published", "secret")]
    at = made.seat(seat) if seat in made.seat_files else None
    target = Target(key, slot, variant, labels, at, *boxes)
    return Entered((), target, facts["measures"], verdict)


def read_files(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by their paths within it; none where there is no folder."""
    return contents(FolderBox(folder)) if folder.is_dir() else {}


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def write_for_team(round_: Rehearsal, seat: int, moment: Moment, out: Path) -> None:
    """What the team of a seat may read at a moment of the round, as a folder of its own."""
    declared = round_.declared

    def readable(name: str, scope: Scope, is_own: bool) -> bool:
        file = declared.file(name, scope)
        assert file is not None, name
        return is_shown(file.shown, "all", moment) or (is_own and is_shown(file.shown, "team", moment))

    round_.seat(seat)
    write_files(out / ROUND, {k: v for k, v in round_.round_files.items() if readable(k, "round", False)})
    for number, files in round_.seat_files.items():
        seen = {name: content for name, content in files.items() if readable(name, "seat", number == seat)}
        write_files(out / SEATS / str(number), seen)
    _write_facts(out, round_, tuple(round_.seat_files), None)
    for target in round_.targets() if moment != "open" else ():
        bare = Entered(
            (), target._replace(seat=round_.seat(target.seat.number, "all") if target.seat else None)
        )
        write_entry(out, target.key, bare)
