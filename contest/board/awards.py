"""Awards as they follow from the boards: best hider, best seeker, best of both. Organisers confirm them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contest import access
from contest.board import queries
from contest.board.matrix import matrix
from contest.board.overall import Overall, competitors, main_board, whole_overall
from contest.board.ranking import OverallPlace, Played, rank_overall
from contest.models import Attack, AttackRun, Award, Contest, Entry, Round
from contest.models.award import TOP


@dataclass(frozen=True)
class Candidate:
    """A team, its place by the rule of the award, and the numbers behind it."""

    place: int
    team_id: int
    team: str
    basis: dict[str, Any]


@dataclass(frozen=True)
class Proposals:
    """The candidates of every computed award, best first. ``is_final``: the results are revealed."""

    top: int
    is_final: bool
    candidates: Mapping[str, list[Candidate]] = field(default_factory=dict)

    def first(self, kind: str) -> Candidate | None:
        return next(iter(self.candidates.get(kind, [])), None)


def proposals(contest: Contest, top: int = TOP) -> Proposals:
    """Who would get which award, by everything that is known. For organisers, before the results too."""
    overall = whole_overall(contest)
    hiders = [
        Candidate(line.rank, line.team_id, line.team, {"total": line.total})
        for line in overall.lines
        if line.rank is not None
    ]
    seekers = _seekers(contest, overall, top)
    found = {
        str(Award.Kind.HIDER): hiders,
        str(Award.Kind.SEEKER): seekers,
        str(Award.Kind.BOTH): both(hiders, seekers),
    }
    return Proposals(top, access.results_are_revealed(contest), found)


def both(hiders: Sequence[Candidate], seekers: Sequence[Candidate]) -> list[Candidate]:
    """Teams that have both places, by their sum.

    >>> hiders = [Candidate(place, place, name, {}) for place, name in enumerate("abc", start=1)]
    >>> seekers = [Candidate(1, 3, "c", {}), Candidate(2, 1, "a", {})]
    >>> [(one.place, one.team, one.basis) for one in both(hiders, seekers)]
    [(1, 'a', {'hider': 1, 'seeker': 2}), (2, 'c', {'hider': 3, 'seeker': 1})]
    """
    seeking = {one.team_id: one.place for one in seekers}
    pairs = [(one.place + seeking[one.team_id], one) for one in hiders if one.team_id in seeking]
    pairs.sort(key=lambda pair: (pair[0], pair[1].place))
    return [
        Candidate(place, one.team_id, one.team, {"hider": one.place, "seeker": seeking[one.team_id]})
        for place, (_sum, one) in enumerate(pairs, start=1)
    ]


def _seekers(contest: Contest, overall: Overall, top: int) -> list[Candidate]:
    """Teams by the mean share that they found in the best entries of each round, in percent.

    Who found nobody is no candidate.
    """
    teams = competitors(contest)
    rounds = {round_.slug: round_ for round_ in contest.rounds.select_related("contest", "dataset", "game")}
    played = [
        Played(counted.weight, sought_in(rounds[counted.slug], top, teams)) for counted in overall.rounds
    ]
    return [_seeker(place, teams, top) for place in rank_overall(played) if place.total]


def _seeker(place: OverallPlace, teams: Mapping[int, str], top: int) -> Candidate:
    basis = {"percent": place.total, "top": top}
    return Candidate(place.rank or 0, place.key, teams[place.key], basis)


def sought_in(round_: Round, top: int, teams: Iterable[int]) -> dict[int, float | None]:
    """The mean share that each team found in the best entries of a round, in percent; its own is left out.

    Only teams that have attacked something in the round are there.
    """
    targets = _targets(round_, top, set(teams))
    found = _of_matrix(round_) if round_.game_id is None else _of_game(round_)
    means: dict[int, float | None] = {}
    for team in sorted({team for team, _entry in found} & set(teams)):
        others = [entry for entry, owner in targets.items() if owner != team]
        shares = [found.get((team, entry), 0.0) for entry in others]
        means[team] = 100 * sum(shares) / len(shares) if shares else None
    return means


def _targets(round_: Round, top: int, teams: set[int]) -> dict[int, int]:
    """The entries on the first places among the teams, each with its team; all targets where none hides."""
    official = Entry.objects.filter(round=round_, is_official=True).order_by("pk")
    owners = dict(official.values_list("pk", "team"))
    if not teams & set(owners.values()):
        return owners
    best = [team for team in _order(round_) if team in teams][:top]
    return {entry: team for entry, team in owners.items() if team in best}


def _order(round_: Round) -> list[int]:
    """Teams in the order of their places on the board of a round."""
    if round_.game_id is None:
        placed = queries.places(round_, show_attacks=True)
        return [entry.team_id for place, entry in placed if place.total is not None]
    board = main_board(round_)
    rows = [row for row in board.rows if row["place"] and row["team"]] if board else []
    return [row["team"] for row in sorted(rows, key=lambda row: row["place"])]


def _of_matrix(round_: Round) -> dict[tuple[int, int], float]:
    """Team and entry → the largest share that one of the team's attacks found."""
    table = matrix(round_)
    found: dict[tuple[int, int], float] = {}
    for row in table.rows:
        team = row.attack.team_id
        if team is None or row.attack.kind == Attack.Kind.HOUSE:
            continue
        for entry, cell in zip(table.entries, row.cells, strict=True):
            if cell is not None and cell.rate is not None:
                found[team, entry.pk] = max(found.get((team, entry.pk), 0.0), cell.rate)
    return found


def _of_game(round_: Round) -> dict[tuple[int, int], float]:
    """Team and entry → the mean of the risks over the challenges that somebody answered about the entry.

    Of a team's answers to one challenge the pinned one counts, else the latest, as on the boards.
    """
    runs = AttackRun.objects.filter(
        attack__round=round_,
        attack__is_active=True,
        attack__is_dry_run=False,
        entry__is_official=True,
        state=AttackRun.State.DONE,
    )
    risks: dict[tuple[int, int, str], float] = {}
    asked: dict[int, set[str]] = {}
    ordered = runs.order_by("attack__is_pinned", "attack_id", "pk")
    for team, entry, challenge, risk in ordered.values_list("attack__team", "entry", "challenge", "risk"):
        asked.setdefault(entry, set()).add(challenge)
        if team is not None:
            risks[team, entry, challenge] = risk or 0.0
    found: dict[tuple[int, int], float] = {}
    for (team, entry, _challenge), risk in risks.items():
        found[team, entry] = found.get((team, entry), 0.0) + risk / len(asked[entry])
    return found
