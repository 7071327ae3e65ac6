"""What pages show, read in a constant number of queries."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.db.models import Avg, Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from contest import access
from contest.board.rank_changes import Change
from contest.board.ranking import Place, Played, Result, find_ranking, rank, rank_overall
from contest.board.tracks import places_in_tracks
from contest.models import Attack, AttackRun, Contest, Entry, Phase, Round, Team
from games.formats.measures import EVERY_MEASURE
from games.formats.measures import measure as find_measure
from scoring.rules import Limit


@dataclass(frozen=True)
class MeasureCell:
    """A measured value beside its limit; ``share`` is how much of the limit is used, in percent."""

    name: str
    title: str
    value: float
    limit: float
    unit: str = ""
    operator: Literal["<=", ">="] = "<="
    best: float | None = None
    """The best value of a measure that is better when higher; None of one that is better when lower."""

    @property
    def bound(self) -> Limit:
        return Limit(self.name, self.operator, self.limit)

    @property
    def sign(self) -> str:
        return self.bound.sign

    @property
    def share(self) -> int:
        return round(100 * self.bound.share_used(self.value, self.best))

    @property
    def ok(self) -> bool:
        return self.bound.holds(self.value)

    @property
    def better(self) -> Literal["lower", "higher"]:
        return "lower" if self.best is None else "higher"


@dataclass(frozen=True)
class BoardRow:
    """A row of the board, flat, as the page and the API show it. ``takes_place`` is false for the house where
    it is shown beside the teams."""

    rank: int | None
    total: float | None
    verdict: str
    team_id: int
    team_name: str
    is_house: bool
    takes_place: bool
    is_mine: bool
    entry_id: int
    entry_number: int
    entry_url: str
    utility: float
    safety: float | None
    hits: int | None
    n_people: int
    strongest_attack: str
    received_at: datetime.datetime
    measures: list[MeasureCell]
    change: Change | None = None
    """How far it has moved, where that may be seen."""
    track: str = ""
    track_place: int | None = None
    """Its place among the rows of its track that take places."""


def board(round_: Round, my_team: Team | None, show_attacks: bool) -> list[BoardRow]:
    """The round's board as its page shows it."""
    rows = board_rows(round_, places(round_, show_attacks), my_team)
    if not round_.contest.tracks:
        return rows
    found = places_in_tracks((row.team_id, row.track, row.rank if row.takes_place else None) for row in rows)
    return [replace(row, track_place=found.get(row.team_id)) for row in rows]


def board_rows(round_: Round, ranked: Sequence[tuple[Place, Entry]], my_team: Team | None) -> list[BoardRow]:
    """Rows for some places of the board, with all that a row shows."""
    # Reversing one address and filling in the rest keeps 1,000 rows cheap.
    pattern = reverse("entry", args=[round_.contest.slug, round_.slug, 0])
    return [_board_row(place, entry, round_, my_team, pattern) for place, entry in ranked]


def places(round_: Round, show_attacks: bool) -> list[tuple[Place, Entry]]:
    """The round's official entries in the order of its ranking rule: one query."""
    entries = {}
    official = Entry.objects.filter(round=round_, is_official=True).select_related("team")
    for entry in official.defer(*NOT_ON_BOARDS):
        entry.round = round_
        entries[entry.pk] = entry
    results = [result_of(entry, show_attacks) for entry in entries.values()]
    return [(place, entries[place.result.key]) for place in rank(results, find_ranking(round_.ranking))]


NOT_ON_BOARDS = (
    "published", "labels", "variant", "problems", "problem_total", "because", "note", "method", "mark_reason",
    "submitted_by", "upload_sha256", "upload_bytes", "costs_attempt", "is_pinned", "finished_at", "frozen_at",
)  # fmt: skip
"""Columns of an entry that no board shows: most of its bytes."""


@dataclass(frozen=True)
class OverallRow:
    """A team over all rounds: ``totals`` are its totals in the rounds, in their order."""

    rank: int | None
    total: float | None
    team: Team
    totals: tuple[float | None, ...]


def overall_board(
    contest: Contest, weights: Mapping[int, float] | None = None
) -> tuple[list[Round], list[OverallRow]]:
    """The rounds whose results are public, and all teams in the order of their weighted totals.

    Rounds may have different rules; the rule of the last one decides whether lower totals win, and rounds
    whose rule goes the other way cannot be added to it, so they are left out. ``weights`` are other weights
    of some rounds, by their key, to see what they would do.
    """
    shown = [
        round_
        for round_ in contest.rounds.filter(game=None).order_by("position", "pk")
        if access.results_are_public(round_)
    ]
    if not shown:
        return [], []
    lower_wins = find_ranking(shown[-1].ranking).lower_wins
    rounds = [round_ for round_ in shown if find_ranking(round_.ranking).lower_wins == lower_wins]
    teams: dict[int, Team] = {}
    played = []
    for round_ in rounds:
        standing = places(round_, show_attacks=True)
        teams |= {entry.team_id: entry.team for _, entry in standing}
        weight = (weights or {}).get(round_.pk, round_.weight)
        played.append(Played(weight, {entry.team_id: place.total for place, entry in standing}))
    ranked = rank_overall(played, lower_wins=lower_wins, absent=1.0 if lower_wins else 0.0)
    return rounds, [OverallRow(place.rank, place.total, teams[place.key], place.by_round) for place in ranked]


def result_of(entry: Entry, show_attacks: bool) -> Result:
    """What the ranking may look at of an entry, with or without what attacks found."""
    return Result(
        key=entry.pk,
        utility=entry.utility,
        hits=entry.hits if show_attacks else None,
        n_released=entry.n_people or 1,
        received=entry.received_at.timestamp(),
        loss=loss_of(entry.measures),
        risk=entry.risk if show_attacks else None,
        guesses=entry.guesses if show_attacks else None,
        takes_place=entry.takes_place,
    )


def loss_of(measures: Mapping[str, float]) -> float | None:
    """The worst of the measures that their contest counts as the loss; nothing where there are none."""
    return max((measures[name] for name in LOSSES & measures.keys()), default=None)


LOSSES = frozenset(measure.name for measure in EVERY_MEASURE if measure.is_loss)


def total_of(entry: Entry) -> float | None:
    """The total of an entry by itself, also of one that is not on the board."""
    return rank([result_of(entry, True)], find_ranking(entry.round.ranking))[0].total


def _board_row(place: Place, entry: Entry, round_: Round, my_team: Team | None, pattern: str) -> BoardRow:
    return BoardRow(
        rank=place.rank,
        total=place.total,
        verdict=place.verdict,
        team_id=entry.team_id,
        team_name=entry.team.name,
        is_house=entry.team.is_house,
        takes_place=place.result.takes_place,
        is_mine=my_team is not None and entry.team_id == my_team.pk,
        entry_id=entry.pk,
        entry_number=entry.number,
        entry_url=pattern.replace("/0/", f"/{entry.pk}/"),
        utility=entry.utility or 0.0,
        safety=place.result.safety,
        hits=place.result.hits,
        n_people=entry.n_people or 0,
        strongest_attack=entry.strongest_attack if place.result.hits is not None else "",
        received_at=entry.received_at,
        measures=measure_cells(round_, entry),
        track=entry.team.track,
    )


def measure_cells(round_: Round, entry: Entry) -> list[MeasureCell]:
    cells = []
    for limit in round_.limits:
        value = entry.measures.get(limit["measure"])
        if value is not None:
            described = find_measure(limit["measure"])
            cells.append(
                MeasureCell(
                    described.name, described.title, value, limit["limit"], described.unit,
                    limit["operator"], described.best,
                )
            )  # fmt: skip
    return cells


def binding(cells: Sequence[MeasureCell]) -> MeasureCell | None:
    """The measure that is nearest to its limit, or beyond it."""
    return max(cells, key=lambda cell: (not cell.ok, cell.share), default=None)


def waiting_entries(round_: Round) -> int:
    """How many entries are still being checked, scored or attacked."""
    return unsettled_entries(round_).count()


def unsettled_entries(round_: Round) -> QuerySet[Entry]:
    """Entries whose check, score or attacks are still under way."""
    unsettled = Q(
        attack_runs__state__in=[AttackRun.State.QUEUED, AttackRun.State.RUNNING],
        attack_runs__attack__is_active=True,
        attack_runs__attack__is_dry_run=False,
    )
    pending = ~Q(state__in=Entry.FINAL) | unsettled
    return Entry.objects.filter(round=round_).filter(pending).distinct()


def current_phase(round_: Round) -> Phase | None:
    now = timezone.now()
    return Phase.objects.filter(round=round_, starts_at__lte=now, ends_at__gt=now).first()


def open_phase(round_: Round, kind: Phase.Kind) -> Phase | None:
    now = timezone.now()
    return Phase.objects.filter(round=round_, kind=kind, starts_at__lte=now, ends_at__gt=now).first()


def contest_cards(user: access.Viewer) -> list[dict[str, Any]]:
    """The front page: every contest with its number of teams and the phase that is open now."""
    contests = access.visible_contests(user)
    counts = dict(
        Team.objects.filter(contest__in=contests, is_house=False)
        .values_list("contest")
        .annotate(n=Count("id"))
        .values_list("contest", "n")
    )
    now = timezone.now()
    phases: dict[int, Phase] = {}
    open_now = Phase.objects.filter(round__contest__in=contests, starts_at__lte=now, ends_at__gt=now)
    for phase in open_now.select_related("round"):
        phases.setdefault(phase.round.contest_id, phase)
    return [
        {"contest": contest, "n_teams": counts.get(contest.pk, 0), "phase": phases.get(contest.pk)}
        for contest in contests
    ]


def job_counts(contest: Contest) -> dict[str, int]:
    """How many jobs of this contest are in each state."""
    return dict(access.play_of(contest).values_list("state").annotate(n=Count("id")))


def attack_states(contest: Contest) -> QuerySet[Attack]:
    """Every attack but dry runs, with how far it is; for organisers."""
    found = Attack.objects.filter(round__contest=contest, is_dry_run=False).select_related("round", "team")
    return found.annotate(
        n_runs=Count("runs"),
        n_done=Count("runs", filter=Q(runs__state=AttackRun.State.DONE)),
        n_failed=Count("runs", filter=Q(runs__state=AttackRun.State.FAILED)),
        mean_seconds=Avg("runs__seconds"),
    ).order_by("pk")
