"""Uploads that teams have handed in, read again by those who check them.

The job that checks an entry stores the first problems of each file. The whole list can be long, so it is
made again from the upload when its team asks for it.
"""

from __future__ import annotations

from typing import Any

from contest.files import vault
from contest.models import Entry
from contest.play.table import Table
from contest.play.uploads import UploadBox, entry_files, upload_box
from datasets.archive import ArchiveError, Limits, open_upload
from datasets.problems import Verdict, listed_in_full
from games.checks import check_entry
from games.contract.broken import BrokenGame
from games.formats import CheckedUpload
from games.formats.rules import FileRules


def check_stored(entry: Entry, original: Any) -> CheckedUpload:
    """Check the upload of an entry against the original of its round; nothing is written."""
    spec = entry.round.dataset.spec
    rules = FileRules(**entry.round.file_rules)
    try:
        with vault.upload_of(entry) as upload:
            limits = Limits(file_bytes=rules.max_bytes)
            files = open_upload(
                upload, spec.upload_names, limits, ignore_others=True, aliases=spec.upload_aliases
            )
    except ArchiveError as error:
        return CheckedUpload(error.verdict, None)
    try:
        checked = spec.check_upload(files, original, rules)
    finally:
        for file in files.values():
            file.close()
    return CheckedUpload(checked.verdict.explained(files.remarks), checked.neutral)


def read_upload(table: Table, entry: Entry) -> UploadBox:
    """The files of an entry of a game; `ArchiveError` where they cannot be read."""
    with vault.upload_of(entry) as file:
        return upload_box(file, entry_files(table.declared, entry.slot))


def every_problem(entry: Entry, original: Any) -> Verdict | None:
    """All problems of a refused entry; None where they cannot be found again.

    Rules or data may have changed since: then the stored list is the one that the team was told. An uploaded
    game runs in the sandbox alone, where nobody can wait for it.
    """
    game = entry.round.game
    if not entry.upload_sha256 or (game is not None and game.is_uploaded):
        return None
    with listed_in_full():
        verdict = check_stored(entry, original).verdict if game is None else _of_game(entry)
    return verdict if verdict is not None and verdict.total == entry.problem_total else None


def _of_game(entry: Entry) -> Verdict | None:
    table = Table(entry.round)
    try:
        target = table.target(entry, upload=read_upload(table, entry), reader="judge")
        own = table.seat(table.seat_of(entry), "team")
        return check_entry(table.game, table.world(), target, table.lookup(own))
    except ArchiveError as error:
        return error.verdict
    except BrokenGame:
        return None
