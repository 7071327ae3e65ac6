"""A reveal of results, led by an organiser: place by place, from the last one upwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board.two_orders import PlacedRow, both_orders
from contest.errors import Refused
from contest.models import Reveal, Round, User
from contest.records import audit
from contest.records.locks import lock_play, lock_teams
from contest.services.still_boards import release_board, results_are_due


def start_reveal(round_: Round, user: User) -> Reveal:
    """Fix the order of the places, of which none is shown yet; a reveal that has begun begins again."""
    with transaction.atomic():
        fresh = _locked(round_)
        _require_counted(fresh)
        orders = both_orders(fresh)
        if not orders.true:
            raise Refused("nothing-to-reveal", _("Nobody has a place on a board that everybody may see."))
        before = Reveal.objects.filter(round=fresh).first()
        Reveal.objects.filter(round=fresh).delete()
        made = Reveal.objects.create(
            round=fresh,
            started_at=timezone.now(),
            version=before.version + 1 if before else 1,
            column=orders.column,
            places=_in_order(orders.true, {row.key: row.place for row in orders.frozen}),
        )
        after = {"places": len(made.places)}
        audit.record("reveal.started", fresh, contest=fresh.contest, actor=user, after=after)
    return made


def _in_order(rows: Iterable[PlacedRow], frozen: dict[str, int]) -> list[dict[str, Any]]:
    """From the last place upwards; of those who share one, by name."""
    return [
        {
            "name": row.name,
            "is_house": row.is_house,
            "frozen": frozen.get(row.key),
            "place": row.place,
            "value": row.value,
        }
        for row in sorted(rows, key=lambda row: (-row.place, row.name))
    ]


def move_reveal(round_: Round, user: User, by: int, seen: int) -> None:
    """Show one place more, or one less; ``seen`` is how many the organiser saw."""
    with transaction.atomic():
        fresh = _locked(round_)
        reveal = _running(fresh)
        if reveal.shown != seen:
            raise Refused("changed-meanwhile", _("Somebody else has moved the reveal meanwhile."))
        if not 0 <= seen + by <= len(reveal.places):
            raise Refused("no-more-places", _("There is no further place in this direction."))
        Reveal.objects.filter(pk=reveal.pk).update(shown=seen + by, version=F("version") + 1)
        facts: dict[str, Any] = {"before": {"shown": seen}, "after": {"shown": seen + by}}
        audit.record("reveal.moved", fresh, contest=fresh.contest, actor=user, **facts)


def end_reveal(round_: Round, user: User) -> None:
    """Reveal everything: from now on the results are public everywhere."""
    now = timezone.now()
    with transaction.atomic():
        fresh = _locked(round_)
        reveal = _running(fresh)
        Reveal.objects.filter(pk=reveal.pk).update(shown=len(reveal.places), version=F("version") + 1)
        Round.objects.filter(pk=fresh.pk).update(reveal_ended_at=now)
        audit.record("reveal.ended", fresh, contest=fresh.contest, actor=user, after={"at": now.isoformat()})
        release_board(fresh, now)
    round_.refresh_from_db()


ACTS = ("start", "next", "back", "end")


def act_on_reveal(round_: Round, user: User, act: str, seen: int) -> None:
    """One of the steps by its name, for pages and the API."""
    if act == "start":
        start_reveal(round_, user)
    elif act == "end":
        end_reveal(round_, user)
    else:
        move_reveal(round_, user, 1 if act == "next" else -1, seen)


def _locked(round_: Round) -> Round:
    lock_teams(round_.contest_id)
    lock_play(round_.pk)
    return Round.objects.select_related("contest", "dataset", "game").get(pk=round_.pk)


def _require_counted(round_: Round) -> None:
    if not round_.awaits_reveal:
        raise Refused("no-reveal", _("The results of this round do not wait for a reveal."))
    if not results_are_due(round_, timezone.now()):
        raise Refused("not-yet", _("The reveal begins when the results phase has begun."))
    if round_.tallied_at is None or round_.still_since is None:
        raise Refused("not-counted", _("Not everything is counted yet; wait a moment."))


def _running(round_: Round) -> Reveal:
    _require_counted(round_)
    reveal = Reveal.objects.filter(round=round_).first()
    if reveal is None:
        raise Refused("not-started", _("The reveal has not begun."))
    if round_.tallied_at is not None and round_.tallied_at > reveal.started_at:
        raise Refused("counted-again", _("The results were counted again meanwhile; begin the reveal again."))
    return reveal
