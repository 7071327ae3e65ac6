"""The overall result, computed and rendered once for each state of what everybody may see of a contest.

The state names the versions of the public boards, and nothing of a round whose results are not public: so
neither a page nor its version tells that something happened there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Max
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from contest import access
from contest.board.award_words import basis_in_words
from contest.board.board_cache import ROWS_A_PAGE, Fragment
from contest.board.overall import Overall, OverallLine, public_overall, shows_totals
from contest.board.overall_words import rule_in_words
from contest.board.single_flight_cache import Memo
from contest.board.tracks import track_titles
from contest.models import Award, Contest, Round, StoredBoard, Team

_fragments: Memo[Fragment] = Memo(256)
_results: Memo[Overall] = Memo(64)


@dataclass(frozen=True)
class OverallLook:
    """Somebody who looks at the overall result; ``state`` names everything that all readers see alike."""

    contest: Contest
    team: Team | None
    state: Hashable
    is_revealed: bool
    awards: list[Award] = field(default_factory=list)
    still_rounds: list[Round] = field(default_factory=list)

    @property
    def version(self) -> str:
        return hashlib.sha256(repr(self.state).encode()).hexdigest()[:16]

    def overall(self) -> Overall:
        return _results.get(self.state, lambda: public_overall(self.contest))

    def mine(self) -> OverallLine | None:
        if self.team is None:
            return None
        return next((line for line in self.overall().lines if line.team_id == self.team.pk), None)


def look_at_overall(contest: Contest, team: Team | None) -> OverallLook:
    """The state is read before the rows, so what is stored under it is never older than it."""
    rounds = access.announced_rounds(contest)
    newest = _newest_boards(rounds)
    seen = tuple(_state_of(round_, newest) for round_ in rounds)
    is_revealed = access.results_are_revealed(contest)
    awards = list(access.given_awards(contest)) if is_revealed else []
    state = (contest.pk, contest.slug, seen, is_revealed, tuple(award.pk for award in awards))
    still_rounds = [round_ for round_ in rounds if access.stands_still(round_) and shows_totals(round_)]
    return OverallLook(contest, team, state, is_revealed, awards, still_rounds)


def _newest_boards(rounds: Sequence[Round]) -> dict[int, int]:
    """The newest final board of each round of a game: boards are replaced as a whole, never changed."""
    games = [round_.pk for round_ in rounds if round_.game_id is not None]
    final = StoredBoard.objects.filter(round__in=games, view=StoredBoard.View.FINAL) if games else None
    if final is None:
        return {}
    return dict(final.order_by().values_list("round").annotate(newest=Max("pk")))


def _state_of(round_: Round, newest: dict[int, int]) -> tuple[Any, ...]:
    known = (round_.pk, round_.slug, round_.name, round_.position, round_.weight)
    if not shows_totals(round_):
        return known
    # Of a board that stands still, neither a newer one nor its number may be seen.
    board = None if access.stands_still(round_) else newest.get(round_.pk)
    return (*known, round_.ranking, round_.game_id, round_.board_version, round_.still_since, board)


def overall_fragment(look: OverallLook, wanted_page: str | None, track: str = "") -> Fragment:
    """The part of the page that changes, rendered once for each state, page, team, language and track."""
    page: Page[OverallLine] = Paginator(look.overall().of_track(track), ROWS_A_PAGE).get_page(wanted_page)
    audience = (
        look.team.pk if look.team else None,
        page.number,
        get_language(),
        timezone.get_current_timezone_name(),
        look.contest.time_zone,
        track,
    )
    return _fragments.get((look.state, *audience), lambda: _render(look, page, track))


def _render(look: OverallLook, page: Page[OverallLine], track: str) -> Fragment:
    overall, mine = look.overall(), look.mine()
    listed = overall.of_track(track)
    context = {
        "contest": look.contest,
        "overall": overall,
        "rule": rule_in_words(overall),
        "page": page,
        "lines": list(page.object_list),
        "mine": mine,
        "my_page": listed.index(mine) // ROWS_A_PAGE + 1 if mine in listed else None,
        "track": track,
        "kept": f"track={track}&" if track else "",
        "track_titles": track_titles(look.contest),
        "my_team": look.team,
        "certified": look.is_revealed and mine is not None and mine.rank is not None,
        "is_revealed": look.is_revealed,
        "still_rounds": look.still_rounds,
        "awards": [(award, basis_in_words(award)) for award in look.awards],
        "version": look.version,
        "path": reverse("overall", args=[look.contest.slug]),
    }
    return Fragment.of(render_to_string("contest/_overall.html", context))
