"""A check of an upload of an installed game before it is handed in; nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, BinaryIO, cast

from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Entry, Round, Team
from contest.pages.dry_run import named_round, take_turn
from contest.play.table import Table
from contest.play.uploads import entry_files, plain_box, upload_box
from contest.services.seats import require_place
from datasets.archive import ArchiveError
from datasets.problems import Verdict
from games.checks import check_entry
from games.contract.broken import BrokenGame


def may_check(round_: Round) -> bool:
    """An uploaded game runs in the sandbox alone, where nobody can wait for it."""
    return round_.game is not None and not round_.game.is_uploaded


def check_upload(
    round_: Round,
    team: Team,
    archive: IO[bytes] | None,
    parts: Mapping[str, IO[bytes]],
    *,
    slot: str,
    variant: int,
) -> Verdict:
    """What the check of this round's game says of a zip, or of files that came one by one."""
    if not may_check(round_):
        raise Refused("no-dry-run", _("The game of this round checks files only once they are handed in."))
    take_turn(team)
    require_place(round_, team, slot, variant)
    verdict = _checked(round_, team, archive, parts, slot, variant)
    return named_round(verdict, round_, archive, parts)


def _checked(
    round_: Round,
    team: Team,
    archive: IO[bytes] | None,
    parts: Mapping[str, IO[bytes]],
    slot: str,
    variant: int,
) -> Verdict:
    table = Table(round_)
    files = entry_files(table.declared, slot)
    try:
        if archive is not None:
            box = upload_box(cast(BinaryIO, archive), files)
        else:
            box = plain_box(files, {name: part.read() for name, part in parts.items()})
    except ArchiveError as error:
        return error.verdict
    entry = Entry(round=round_, team=team, key="dry-run", slot=slot, variant=variant, upload_sha256="0" * 64)
    own = table.seat(table.seat_of(entry), "team")
    target = table.target(entry, upload=box, reader="judge")
    try:
        verdict = check_entry(table.game, table.world(), target, table.lookup(own))
        return verdict.explained(box.remarks)
    except BrokenGame:
        text = _("The game of this round could not check the files; its organisers have to look at it.")
        raise Refused("game-failed", text) from None
