"""The cells of a stored answer about one target, without knowing what its game asks."""

from __future__ import annotations

from itertools import islice
from typing import BinaryIO, cast

from django.db.models import Q

from contest.files.storage import submitted
from contest.models import AttackRun, Entry
from contest.play.boxes import EMPTY
from contest.play.table import Table
from contest.play.uploads import answer_files, upload_box
from datasets.archive import ArchiveError
from datasets.problems import BadFiles
from games.contract.declaration import Declaration, File
from games.contract.defaults import rows_of
from games.contract.tables import Columns, read_columns
from games.contract.values import Box

MOST_ROWS = 20_000
"""Of one file: what lies beyond is not compared."""

Cells = dict[tuple[str, str], str]
"""Texts by column and row; a row is named by its number, or by the column whose values occur once."""


def stored_answer(table: Table, run: AttackRun) -> Box:
    """The files of an answer: of a team's zip, or of what its program wrote about one target."""
    sha256 = run.answer_sha256 or run.attack.upload_sha256
    keys = [run.entry.key] if run.answer_sha256 else _keys(run)
    if not sha256:
        return EMPTY
    try:
        with submitted.open(sha256) as file:
            return upload_box(cast(BinaryIO, file), answer_files(table.declared, keys))
    except ArchiveError:
        return EMPTY


def _keys(run: AttackRun) -> list[str]:
    """The targets that a team's answer may be about: those of today, and those that it was judged about."""
    judged = Q(attack_runs__attack=run.attack_id)
    entries = Entry.objects.filter(Q(round=run.attack.round_id, is_official=True) | judged)
    return sorted({entry.key for entry in entries.select_related("team")})


def cells_of(declared: Declaration, answer: Box, key: str, challenge: str) -> Cells:
    """What an answer says about one target in one challenge; nothing of files that the game reads itself,
    except their lines."""
    found: Cells = {}
    wanted = declared.challenge(challenge).answer
    for file in (one for one in declared.files_of("answer") if one.name in wanted):
        for name in file.names((key,)):
            if name in answer.names():
                found |= _file_cells(declared, file, answer, name, key)
    return found


def _file_cells(declared: Declaration, file: File, answer: Box, name: str, key: str) -> Cells:
    if not file.columns or file.reader == "game":
        return _lines(answer, file, name)
    try:
        table = read_columns(declared, answer, name, "answer")
    except BadFiles:
        return _lines(answer, file, name)
    keyed = next((column.name for column in file.columns if column.unique and column.name in table), None)
    cells: Cells = {}
    for column in (one for one in _about(file, table, key) if one != keyed):
        for number, value in enumerate(islice(table[column], MOST_ROWS)):
            row = str(table[keyed][number]) if keyed else str(number)
            cells[f"{file.name}:{column}", row] = str(value)
    return cells


def _about(file: File, table: Columns, key: str) -> list[str]:
    """The columns that say something about a target: in a file for all targets, its own."""
    own = {column.name.replace("{target}", key) for column in file.columns if column.per_target}
    common = {column.name for column in file.columns if not column.per_target}
    return [name for name in table if name in (own or common)]


def _lines(answer: Box, file: File, name: str) -> Cells:
    with answer.open(name) as stream:
        lines = rows_of(stream.read(), file).split(b"\n")
    return {
        (file.name, str(number)): line.decode("utf-8", "replace")
        for number, line in enumerate(lines[:MOST_ROWS])
        if line
    }
