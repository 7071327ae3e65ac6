"""What a commitment is about, as it is now.

Published hashes are verified for ever, so no shape may change. Shape 1 is that of version 0.1, with a master
table and transactions; shape 2 names files and numbers as the game does. Of a round that is played by a game
it lists the hash of the seed of its data, the names of targets, and the boards as the game has counted them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.board import queries
from contest.models import Commitment, Entry, Round, Sealed, StoredBoard
from contest.models.sealed import SEED, TRUTH
from games.formats.older_columns import master_and_transactions

SHAPE = 2
"""The shape of new commitments."""
Facts = list[dict[str, Any]]


def facts_of(round_: Round, what: Commitment.What, shape: int = SHAPE) -> Facts:
    """The facts in an order that depends on nothing else.

    Entries are named by team and number, not by primary key: that is the same in every installation.
    """
    if what == Commitment.What.SEED:
        return [{"seed": round_.seed, **_seed_of_data(round_)}]
    if what == Commitment.What.ENTRIES:
        files = _files_1 if shape == 1 else _files_2
        return [{"team": entry.team.name, "entry": entry.number, **files(entry)} for entry in _frozen(round_)]
    if round_.game_id is not None:
        return [_counted(board) for board in _final_boards(round_)]
    found = _found_1 if shape == 1 else _found_2
    return [
        {
            "rank": place.rank,
            "team": entry.team.name,
            "entry": entry.number,
            "total": place.total,
            "utility": entry.utility,
            **found(entry),
        }
        for place, entry in queries.places(round_, show_attacks=True)
    ]


def _seed_of_data(round_: Round) -> dict[str, Any]:
    """Of the seed of a game's data the hash alone: what is secret for ever may follow from the seed."""
    if round_.game_id is None:
        return {}
    row = Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND, name=SEED).first()
    return {"sealed": {SEED: row.sha256} if row else {}}


def _final_boards(round_: Round) -> list[StoredBoard]:
    final = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
    return list(final.order_by("position"))


def _counted(board: StoredBoard) -> dict[str, Any]:
    """A board without what differs between installations."""
    rows = [{name: row[name] for name in ("key", "place", "values")} for row in board.rows]
    return {"board": board.name, "columns": board.columns, "rows": rows}


def file_facts(round_: Round, seat: int | None, files: Mapping[str, str]) -> Facts:
    """Files of a round or of one of its seats, by name and hash."""
    owner = {"scope": "round"} if seat is None else {"scope": "seat", "seat": seat}
    return [{**owner, "name": name, "sha256": sha256} for name, sha256 in sorted(files.items())]


def files_today(round_: Round, committed: Facts) -> Facts:
    """What the files that were committed are today; those that are gone are left out."""
    found = []
    for row in committed:
        sealed = Sealed.objects.filter(round=round_, scope=row["scope"], name=row["name"])
        if "seat" in row:
            sealed = sealed.filter(seat__number=row["seat"])
        hashes = list(sealed.values_list("sha256", flat=True))
        if row["scope"] == "round" and row["name"] in round_.dataset.files:
            hashes.append(round_.dataset.files[row["name"]])
        found += [{**row, "sha256": sha256} for sha256 in hashes]
    return found


def _frozen(round_: Round) -> list[Entry]:
    frozen = Entry.objects.filter(round=round_, frozen_at__isnull=False).order_by("pk")
    return list(frozen.select_related("team", "round__dataset").prefetch_related("sealed"))


def _files_1(entry: Entry) -> dict[str, Any]:
    names = entry.round.dataset.spec.public_files
    master, transactions = master_and_transactions(names, entry.published)
    return {"master": master, "transactions": transactions, "truth": _sealed(entry).get(TRUTH, "")}


def _files_2(entry: Entry) -> dict[str, Any]:
    named = {"slot": entry.slot, "published": entry.published, "sealed": _sealed(entry)}
    return named if entry.round.game_id is None else {**named, "target": entry.key}


def _sealed(entry: Entry) -> dict[str, str]:
    return {file.name: file.sha256 for file in entry.sealed.all()}


def _found_1(entry: Entry) -> dict[str, Any]:
    return {"hits": entry.hits}


def _found_2(entry: Entry) -> dict[str, Any]:
    return {"slot": entry.slot, "risk": entry.risk, "numbers": entry.numbers}


def committed_files(row: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The published and the sealed files that a row of frozen entries names, in either shape."""
    if "published" in row:
        return dict(row["published"]), dict(row["sealed"])
    # A format without a master table has no hash of one.
    public = {name: row[name] for name in ("master", "transactions") if row[name]}
    return public, {"truth": row["truth"]} if row["truth"] else {}
