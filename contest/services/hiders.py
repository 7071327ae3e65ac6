"""Hiders: programs that teams hand in as entries. What they make goes the way of any upload."""

from __future__ import annotations

import io
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from attacks.sandbox import ProgramError, read_program
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored, submitted
from contest.jobs import queue
from contest.language.translation import say
from contest.models import Entry, Job, Round, Team, User
from contest.play.programs import private_inputs
from contest.play.table import Table
from contest.play.uploads import entry_files, most_bytes
from contest.services.entries import submit_entry
from contest.services.team_attacks import MAX_PROGRAM_BYTES
from games.programs import HIDER

NOTHING_YET = 1024
"""More bytes than an empty zip has."""


def require_hider(program: bytes) -> None:
    """Refuse at once what no sandbox could run."""
    try:
        read_program(program, HIDER)
    except ProgramError as error:
        raise Refused("bad-program", say(error.message)) from None


def submit_hider(
    round_: Round,
    team: Team,
    user: User,
    program: Stored,
    *,
    note: str = "",
    slot: str = "",
    variant: int = 0,
) -> Entry:
    """Accept a program that makes an entry of a game from data that its authors may not have seen."""
    if round_.game_id is None:
        raise Refused("no-hiders", _("This round takes files, not programs that make them."))
    with transaction.atomic():
        nothing = vault.keep_parts({}, NOTHING_YET)
        entry = submit_entry(
            round_, team, user, nothing, note=note, slot=slot, variant=variant, has_program=True
        )
        inputs = submitted.put(io.BytesIO(private_inputs(Table(round_), team, "open")))
        Entry.objects.filter(pk=entry.pk).update(program_sha256=program.sha256, inputs_sha256=inputs.sha256)
        entry.refresh_from_db()
        queue.enqueue_job(Job.Kind.HIDE, entry=entry, owner_id=team.pk)
    return entry


def keep_program(file: Any) -> Stored:
    require_hider(file.read(MAX_PROGRAM_BYTES + 1))
    file.seek(0)
    return submitted.put(file, MAX_PROGRAM_BYTES)


def record_made(claim: queue.Claim, entry: Entry, made: Stored | None, reason: Any, log: str) -> None:
    """A hider has ended: a check elsewhere looks at what it made, or tells the team why there is nothing."""
    with claim.finish():
        Entry.objects.filter(pk=entry.pk, made_sha256="").update(
            made_sha256=made.sha256 if made else "", program_reason=reason, program_log=log[:100_000]
        )
        queue.enqueue_job(Job.Kind.CHECK, entry=entry, owner_id=entry.team_id)


def take_made(entry: Entry) -> None:
    """What a hider made becomes the upload of its entry, in the vault."""
    declared = Table(entry.round).declared
    with submitted.open(entry.made_sha256) as file:
        stored = vault.keep_archive(file, most_bytes(entry_files(declared, entry.slot)))
    Entry.objects.filter(pk=entry.pk).update(upload_sha256=stored.sha256, upload_bytes=stored.size)
    entry.refresh_from_db()
