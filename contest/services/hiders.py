"""Hiders: programs that teams hand in as entries. What they make goes the way of any upload."""

from __future__ import annotations

import io
from typing import IO, Any

from django.db import transaction
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored, submitted
from contest.jobs import queue
from contest.models import Entry, Job, Round, Team, User
from contest.play.programs import private_inputs
from contest.play.table import Table
from contest.play.uploads import entry_files, most_bytes
from contest.services import team_attacks
from contest.services.entries import submit_entry
from games.programs import HIDER

NOTHING_YET = 1024
"""More bytes than an empty zip has."""


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
    if not Table(round_).declared.takes("hide"):
        raise Refused("no-hiders", _("The game of this round takes files, not programs that make them."))
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


def keep_program(file: IO[bytes]) -> Stored:
    return team_attacks.keep_program(file, HIDER)


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
