"""Yesterday's files again: a team is asked before the same bytes cost it another attempt."""

from __future__ import annotations

from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files.storage import Stored
from contest.models import Entry, Round, Team

SAME_FILES = "same-files"


def require_new_files(round_: Round, team: Team, upload: Stored, *, slot: str = "", variant: int = 0) -> None:
    """Refuse an upload whose bytes an earlier entry of the team has, unless that one failed on our side."""
    earlier = (
        Entry.objects.filter(round=round_, team=team, upload_sha256=upload.sha256, slot=slot, variant=variant)
        .exclude(state=Entry.State.FAILED)
        .order_by("-number")
        .first()
    )
    if earlier is not None:
        text = _(
            "These are the files of entry #%(number)s again: nothing would change. "
            "Tick “Hand in all the same” if you mean it."
        )
        raise Refused(SAME_FILES, text % {"number": earlier.number})
