"""The overall result of a contest: the weighted mean of what the boards of its rounds say of each team.

Teams alone compete for it: the house is on no overall board, whether it takes places in the rounds or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from contest import access
from contest.board import queries, still
from contest.board.game_boards import decimals_of
from contest.board.ranking import Played, find_ranking, rank_overall
from contest.board.tracks import places_in_tracks, tracks_of
from contest.errors import Refused
from contest.models import Contest, Round, StoredBoard, Team
from contest.play.table import Table
from games.contract.declaration import Number
from games.loading import NoGame

MAIN = "main"
TOTAL = "total"
Why = Literal["weight", "results", "board", "direction"]
"""Why a round does not count: it has no weight, its results are not public, its board is not shown to all, or
the better totals are the lower ones there and the higher ones in the last round, or the reverse."""


@dataclass(frozen=True)
class CountedRound:
    """A round with the totals of its teams as its own board shows them, by the key of the team."""

    slug: str
    name: str
    weight: float
    lower_wins: bool
    decimals: int
    totals: Mapping[int, float | None]
    url: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A round that does not count, and why."""

    slug: str
    name: str
    weight: float
    why: Why
    url: str = ""


@dataclass(frozen=True)
class OverallLine:
    """A team over all rounds that count: ``totals`` are its totals there, in their order."""

    rank: int | None
    total: float | None
    team_id: int
    team: str
    totals: tuple[float | None, ...]
    track: str = ""
    track_place: int | None = None


@dataclass(frozen=True)
class Overall:
    """``absent`` is what a round counts in which a team has no total."""

    rounds: list[CountedRound] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    lines: list[OverallLine] = field(default_factory=list)
    lower_wins: bool = False
    absent: float = 0.0

    def of_track(self, track: str) -> list[OverallLine]:
        """The lines of a track, or all of them."""
        return [line for line in self.lines if line.track == track] if track else self.lines

    @property
    def shares(self) -> list[float]:
        """How much of the whole each round is."""
        whole = sum(round_.weight for round_ in self.rounds)
        return [round_.weight / whole for round_ in self.rounds]

    @property
    def decimals(self) -> int:
        return max((round_.decimals for round_ in self.rounds), default=2)


def public_overall(contest: Contest, weights: Mapping[int, float] | None = None) -> Overall:
    """What everybody may know: a round counts from the moment on at which its own board shows its totals.

    ``weights`` are other weights of some rounds, by their key, to see what they would do.
    """
    rounds = access.announced_rounds(contest)
    shown = {round_.pk for round_ in rounds if shows_totals(round_)}
    return _overall(contest, rounds, shown, weights or {})


def shows_totals(round_: Round) -> bool:
    """Whether the board of a round that everybody sees has totals: now, or when it began to stand still."""
    if access.stands_still(round_):
        return still.shows_attacks(round_)
    return access.results_are_public(round_)


def whole_overall(contest: Contest) -> Overall:
    """What the contest comes to with everything that was found: for organisers, archives and recounts."""
    rounds = list(contest.rounds.select_related("dataset", "game").order_by("position", "pk"))
    for round_ in rounds:
        round_.contest = contest
    return _overall(contest, rounds, {round_.pk for round_ in rounds}, {}, is_whole=True)


def _overall(
    contest: Contest,
    rounds: Sequence[Round],
    shown: set[int],
    weights: Mapping[int, float],
    *,
    is_whole: bool = False,
) -> Overall:
    teams = competitors(contest)
    counted: list[CountedRound] = []
    left_out: list[LeftOut] = []
    for round_ in rounds:
        weight = weights.get(round_.pk, round_.weight)
        is_counted = weight > 0 and round_.pk in shown
        found = counted_round(round_, weight, teams, is_whole=is_whole) if is_counted else None
        if found is not None:
            counted.append(found)
            continue
        why: Why = "weight" if weight <= 0 else "board" if round_.pk in shown else "results"
        left_out.append(LeftOut(round_.slug, round_.name, weight, why, round_.get_absolute_url()))
    return _tracked(contest, ranked(counted, left_out, teams))


def _tracked(contest: Contest, overall: Overall) -> Overall:
    """The same with the tracks of the teams and their places there."""
    tracks = tracks_of(contest)
    if not tracks:
        return overall
    of_lines = ((line.team_id, tracks.get(line.team_id, ""), line.rank) for line in overall.lines)
    places = places_in_tracks(of_lines)
    lines = [
        replace(line, track=tracks.get(line.team_id, ""), track_place=places.get(line.team_id))
        for line in overall.lines
    ]
    return replace(overall, lines=lines)


def competitors(contest: Contest) -> dict[int, str]:
    """The teams that compete, by key: neither the house nor a team that was taken off the boards."""
    teams = Team.objects.filter(contest=contest, is_house=False).exclude(status=Team.Status.REMOVED)
    return dict(teams.values_list("pk", "name"))


def ranked(counted: Sequence[CountedRound], left_out: Sequence[LeftOut], teams: Mapping[int, str]) -> Overall:
    """Weigh and rank. The last round says which way is better; what goes the other way cannot be added."""
    if not counted:
        return Overall([], list(left_out))
    lower_wins = counted[-1].lower_wins
    rounds = [round_ for round_ in counted if round_.lower_wins == lower_wins]
    others = [
        LeftOut(round_.slug, round_.name, round_.weight, "direction", round_.url)
        for round_ in counted
        if round_.lower_wins != lower_wins
    ]
    absent = 0.0
    if lower_wins:
        # Nobody gains by staying away, also where totals go beyond 1.
        absent = max([1.0, *(total for it in rounds for total in it.totals.values() if total is not None)])
    played = [Played(round_.weight, round_.totals) for round_ in rounds]
    places = rank_overall(played, lower_wins=lower_wins, absent=absent)
    lines = [
        OverallLine(place.rank, place.total, place.key, teams[place.key], place.by_round) for place in places
    ]
    return Overall(rounds, [*left_out, *others], lines, lower_wins, absent)


def counted_round(
    round_: Round, weight: float, teams: Mapping[int, str], *, is_whole: bool = False
) -> CountedRound | None:
    """A round with its totals, as everybody sees them unless ``is_whole``; nothing where its board is not for
    everybody."""
    is_still = not is_whole and access.stands_still(round_)
    if round_.game_id is not None:
        return _of_game(round_, weight, teams, is_still)
    rule = find_ranking(round_.ranking)
    found = still.still_totals(round_) if is_still else _totals(round_)
    totals = {key: total for key, total in found.items() if key in teams}
    decimals = 4 if rule.lower_wins else 2
    return CountedRound(
        round_.slug, round_.name, weight, rule.lower_wins, decimals, totals, round_.get_absolute_url()
    )


def _totals(round_: Round) -> dict[int, float | None]:
    # A verdict puts an entry behind all others whatever its total is, so the total does not count.
    return {
        entry.team_id: None if place.verdict else place.total
        for place, entry in queries.places(round_, show_attacks=True)
    }


def main_board(round_: Round, view: StoredBoard.View = StoredBoard.View.FINAL) -> StoredBoard | None:
    """The board that decides a round of a game: the one of that name, else the first."""
    final = StoredBoard.objects.filter(round=round_, view=view)
    stored = list(final.order_by("position"))
    return next((board for board in stored if board.name == MAIN), stored[0] if stored else None)


def total_column(board: StoredBoard) -> str | None:
    return TOTAL if TOTAL in board.columns else next(iter(board.columns), None)


def _of_game(round_: Round, weight: float, teams: Mapping[int, str], is_still: bool) -> CountedRound | None:
    board = main_board(round_, StoredBoard.View.STILL if is_still else StoredBoard.View.FINAL)
    address = round_.get_absolute_url()
    if board is None:
        return CountedRound(round_.slug, round_.name, weight, False, 2, {}, address)
    column = total_column(board)
    if board.shown != "all" or column is None:
        return None
    rows = [row for row in board.rows if row["kind"] == "team" and row["team"] in teams]
    # What the game gives no place has no total that counts.
    totals = {row["team"]: row["values"].get(column) if row["place"] else None for row in rows}
    number = _declared(round_, board.name, column)
    lower_wins = number.better == "lower" if number and number.better else _descends(rows, column)
    decimals = decimals_of(board.rows, column, number) if board.rows else 2
    return CountedRound(round_.slug, round_.name, weight, lower_wins, decimals, totals, address)


def _declared(round_: Round, board: str, column: str) -> Number | None:
    """What the game says of a column; nothing where the game is not here."""
    try:
        return Table(round_).declared.board_numbers(board).get(column)
    except (NoGame, Refused):
        return None


def _descends(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    """Whether lower values have the better places, as the rows themselves show it.

    >>> _descends([{"place": 1, "values": {"x": 2.0}}, {"place": 2, "values": {"x": 3.0}}], "x")
    True
    """
    placed = sorted(
        (row["place"], value)
        for row in rows
        if row["place"] and (value := row["values"].get(column)) is not None
    )
    return bool(placed) and placed[0][1] < placed[-1][1]
