"""What people who watch a contest see: the newest public events, read once however many look.

Everything here is what everybody may see, whoever asks: so one page in memory serves all.
"""

from __future__ import annotations

import functools
import hashlib
import time
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from contest.board.board_cache import LOOK_SECONDS, Fragment, newest_version, polled_round
from contest.board.single_flight_cache import Memo
from contest.models import Contest, Round
from contest.outside.event_feed import Event
from contest.outside.latest_events import latest_events, log_state, version_of
from contest.pages.event_words import in_words
from contest.pages.top_rows import TOP, Top, shown_podium, top_of

ON_PAGE = 60
BESIDE = 8
"""How many events a page of their own shows, and how many are shown beside something else."""


@dataclass(frozen=True)
class Told:
    """An event in words. ``key`` names it for ever, in every language."""

    event: Event
    words: str

    @property
    def key(self) -> str:
        team = self.event.facts.get("team_id")
        return f"{self.event.kind}-{self.event.id}" + (f"-{team}" if team else "")


@dataclass(frozen=True)
class Watched:
    """The newest events of a round or a contest, in the reader's language, and who won where it is over."""

    version: str
    events: list[Told]
    top: Top | None


_states: Memo[tuple[Any, ...]] = Memo(64)
_watched: Memo[Watched] = Memo(128)
_fragments: Memo[Fragment] = Memo(256)


def watched(contest: Contest, round_: Round | None) -> Watched:
    """The newest events; the log is asked twice per second at most, and read when it has grown."""
    moment = int(time.monotonic() / LOOK_SECONDS)
    key = (contest.pk, round_.pk if round_ else None, moment)
    state = _states.get(key, functools.partial(log_state, contest, round_))
    names = (contest.slug, contest.time_zone, round_.slug if round_ else None)
    return _watched.get((state, *names, get_language()), lambda: _watch(contest, round_))


def _watch(contest: Contest, round_: Round | None) -> Watched:
    events = latest_events(contest, round_, ON_PAGE)
    told = [Told(event, in_words(event, contest)) for event in events]
    if round_ is None:
        return Watched(version_of(events), told, None)
    top = top_of(round_, TOP)
    # The podium appears and changes by the same poll.
    won = "-".join(f"{row.place}:{row.name}:{row.value}" for row in top.podium)
    ending = hashlib.sha256(won.encode()).hexdigest()[:8] if won else ""
    return Watched(version_of(events) + ending, told, top)


def events_fragment(round_: Round, seen: Watched, most: int) -> Fragment:
    """The list of events, rendered once for each version, language and length."""
    contest = round_.contest
    place = (get_language(), timezone.get_current_timezone_name(), contest.time_zone)
    key = (contest.slug, round_.slug, round_.pk, seen.version, most, *place)
    return _fragments.get(key, lambda: _render(round_, seen, most))


def _render(round_: Round, seen: Watched, most: int) -> Fragment:
    context = {
        "contest": round_.contest,
        "round": round_,
        "version": seen.version,
        "events": seen.events[:most],
        "is_short": most < ON_PAGE,
        **(shown_podium(seen.top) if seen.top else {}),
    }
    return Fragment.of(render_to_string("contest/_events.html", context))


def is_newest(contest_slug: str, round_slug: str, shown: str) -> bool:
    """Whether a page shows the newest events of a round that everybody may see, without asking who looks."""
    if newest_version(contest_slug, round_slug, 0) is None:
        return False
    round_ = polled_round(AnonymousUser(), contest_slug, round_slug, "")
    return watched(round_.contest, round_).version == shown
