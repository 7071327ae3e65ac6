"""What programs of teams may read of a round of a game, beyond what is public anyway."""

from __future__ import annotations

import json
from collections.abc import Mapping

from contest.models import Entry, Seat, Team
from contest.play.packages import game_text
from contest.play.table import Table
from datasets.zip_writer import zipped
from games.contract.boxes import contents
from games.contract.declaration import Challenge, File, Moment, is_shown
from games.starters import hider, seeker


def private_inputs(table: Table, team: Team, moment: Moment) -> bytes:
    """The files of the team's seat, and those of the round that only programs may read, as one zip.

    Seekers run once entries are handed over (``publish``), hiders while they are made (``open``).

    Attack machines have no vault, so they get a copy with the program.
    """
    files: dict[str, bytes] = {}
    row = Seat.objects.filter(round=table.round, team=team).select_related("team").first()
    for reader in ("team", "programs"):
        seat = table.seat(row, reader, moment)
        if seat is not None:
            files |= {f"mine/{name}": content for name, content in contents(seat.files).items()}
    world = table.world()
    opened = set(table.round.dataset.files)
    for box in (world.public, world.secret):
        for name, content in contents(box).items():
            file = table.declared.file(name, "round")
            if name not in opened and file is not None and _may_run_on(file, moment):
                files[f"round/{name}"] = content
    return zipped(files)


def _may_run_on(file: File, moment: Moment) -> bool:
    return is_shown(file.shown, "all", moment) or is_shown(file.shown, "programs", moment)


def hides_logs(table: Table, moment: Moment) -> bool:
    """Whether programs read what their authors may not: then these get no log, only how a run ended."""
    return any(
        is_shown(file.shown, "programs", moment)
        and not is_shown(file.shown, "all", moment)
        and not is_shown(file.shown, "team", moment)
        for file in table.declared.files
        if file.scope in ("round", "seat")
    )


def target_facts(entry: Entry) -> bytes:
    """What a program is told about its target."""
    facts: Mapping[str, object] = {"key": entry.key, "slot": entry.slot, "labels": entry.labels}
    return (json.dumps(facts, ensure_ascii=False, sort_keys=True) + "\n").encode()


def task_facts(table: Table, entry: Entry) -> bytes:
    """What a hider is told about the entry that it makes."""
    facts = {"slot": entry.slot, "variant": entry.variant, "parameters": table.params}
    return (json.dumps(facts, ensure_ascii=False, sort_keys=True, default=str) + "\n").encode()


def seeker_starter(table: Table, challenge: Challenge) -> bytes:
    """A program that answers a challenge, to start from: the game's own, else one made from its files."""
    own = game_text(table.package, challenge.starter) if challenge.starter else ""
    return (own or seeker(table.declared, challenge)).encode()


def hider_starter(table: Table) -> bytes:
    """A program that makes an entry, likewise."""
    own = game_text(table.package, table.declared.starter) if table.declared.starter else ""
    return (own or hider(table.declared)).encode()
