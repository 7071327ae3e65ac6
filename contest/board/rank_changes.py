"""How far a team has moved on a board since an earlier standing."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

from contest.models import Round, Standing

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Change:
    """``by`` is the number of places that a team has gained; a team that had no place is new."""

    by: int | None

    @property
    def size(self) -> int:
        return abs(self.by or 0)


@dataclass(frozen=True)
class Changes:
    """The teams that have moved, and the moment of the standing that they are compared with."""

    by_team: Mapping[int, Change] = field(default_factory=dict)
    since: datetime.datetime | None = None


NO_CHANGES = Changes()


def changes_of(round_: Round, ranks: Mapping[int, int], now: datetime.datetime) -> Changes:
    """The changes since a day ago; in a younger round, since the last standing that was different.

    Standings hold what attacks found, so only boards that show it may show these changes. At most two
    statements, however many teams there are.
    """
    standings = Standing.objects.filter(round=round_).order_by("-at", "-pk")
    earlier = standings.filter(at__lte=now - DAY).first()
    if earlier is None:
        last_two = list(standings[:2])
        earlier = next((standing for standing in last_two if _ranks(standing) != ranks), None)
    if earlier is None:
        return NO_CHANGES
    before = _ranks(earlier)
    moved = {
        team: Change(before[team] - rank if team in before else None)
        for team, rank in ranks.items()
        if before.get(team) != rank
    }
    return Changes(moved, earlier.at)


def _ranks(standing: Standing) -> dict[int, int]:
    return {place["team"]: place["rank"] for place in standing.places if place["rank"] is not None}
