"""Who may see a reveal, and how much of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404

from contest.access.organisers import is_organiser
from contest.access.rounds import round_for
from contest.access.viewers import Viewer
from contest.models import Reveal, Round


def reveal_of(round_: Round) -> Reveal | None:
    """A reveal that has begun."""
    return Reveal.objects.filter(round=round_).first()


def sees_reveal(user: Viewer, round_: Round) -> bool:
    """Everybody sees a reveal from its start on; organisers see its page before, with both orders."""
    if round_.reveal_in_steps and Reveal.objects.filter(round=round_).exists():
        return True
    return is_organiser(user, round_.contest)


def revealed_round_for(user: Viewer, contest_slug: str, round_slug: str) -> Round:
    """A round whose reveal somebody may see."""
    round_ = round_for(user, contest_slug, round_slug)
    if not sees_reveal(user, round_):
        raise Http404
    return round_


def revealed_places(reveal: Reveal | None) -> Sequence[dict[str, Any]]:
    """The places that everybody knows, the best one first. The others are in no answer to anybody."""
    return reveal.places[: reveal.shown][::-1] if reveal is not None else []
