"""What the picture of a shared link shows: the top of a board as everybody may see it now."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.utils.translation import gettext as _

from contest import access
from contest.board.single_flight_cache import Memo
from contest.charts.share_card import ShareCard, share_png
from contest.models import Contest, Round
from contest.pages.top_rows import STEPS, TOP, top_of


@dataclass(frozen=True)
class SharePicture:
    """A picture that is drawn when it is asked for, once for each version of what it shows."""

    card: ShareCard

    @property
    def version(self) -> str:
        return hashlib.sha256(repr(self.card).encode()).hexdigest()[:32]

    def png(self) -> bytes:
        return _pictures.get(self.version, lambda: share_png(self.card))


_pictures: Memo[bytes] = Memo(64)


def picture_of_round(round_: Round) -> SharePicture:
    top = top_of(round_, TOP)
    placed = [row for row in top.rows if row.place is not None and row.place <= STEPS][:STEPS]
    rows = tuple((str(row.place), row.name, row.value) for row in placed)
    subtitle = f"{round_.name} · {top.column}" if rows else round_.name
    return SharePicture(ShareCard(round_.contest.title, subtitle, rows, _("Nobody has a place yet.")))


def picture_of_contest(contest: Contest) -> SharePicture:
    """That of the last round that has begun; before, the contest's title alone."""
    begun = [round_ for round_ in access.announced_rounds(contest) if round_.has_begun]
    if begun:
        return picture_of_round(begun[-1])
    return SharePicture(ShareCard(contest.title, contest.summary, (), _("Nobody has a place yet.")))
