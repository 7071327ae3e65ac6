"""What a game counts: every team with its entry, every result, and the boards of earlier rounds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q

from contest.models import AttackRun, Entry, Round, StoredBoard, Team
from contest.play.boxes import EMPTY
from contest.play.evidence import evidence_of
from contest.play.table import Table
from games.contract.guard import require_boards
from games.contract.values import Board, Cell, Hidden, Result, Row, Target, Verdict

HOUSE = "House · "
"""How the names of house attackers begin."""


def counted_boards(table: Table, *, everything: bool) -> list[dict[str, Any]]:
    """The boards of a round as rows of the database hold them; without results where nothing may be told."""
    return boards_among(table, entries_of(table.round), runs_of(table.round) if everything else ())


def boards_among(table: Table, entries: Sequence[Entry], runs: Sequence[AttackRun]) -> list[dict[str, Any]]:
    """The same from rows in memory, which may hold what another version of the game gives."""
    hidden, cells = list(hidden_among(table, entries)), list(cells_among(runs, entries))
    given: Callable[[], Iterator[Cell]] = lambda: iter(cells)  # noqa: E731
    counted = table.game.tally(table.rule, table.params, hidden, given, earlier_boards(table.round))
    boards = [board._replace(rows=tuple(board.rows), columns=tuple(board.columns)) for board in counted]
    known = {one.team for one in hidden} | {one.target.key for one in hidden if one.target}
    require_boards(boards, known | {cell.attacker for cell in cells})
    names = _Names(table.round, entries)
    return [_as_data(position, board, names) for position, board in enumerate(boards)]


def entries_of(round_: Round) -> list[Entry]:
    """Every entry of which it is known what came of it."""
    final = Entry.objects.filter(round=round_, state__in=Entry.FINAL)
    return list(final.select_related("team").order_by("pk"))


def runs_of(round_: Round) -> list[AttackRun]:
    """Every result of an attack that counts, those of pinned answers last."""
    runs = AttackRun.objects.filter(
        attack__round=round_,
        attack__is_active=True,
        attack__is_dry_run=False,
        state=AttackRun.State.DONE,
    ).select_related("attack__team")
    return list(runs.order_by("attack__is_pinned", "attack_id", "pk"))


def hidden_of(table: Table) -> Iterator[Hidden]:
    return hidden_among(table, entries_of(table.round))


def hidden_among(table: Table, entries: Sequence[Entry]) -> Iterator[Hidden]:
    """The organisers' targets, the house's entries, and every team and slot, also without an entry."""
    round_ = table.round
    by_team: dict[tuple[int, str], Entry] = {}
    for entry in (entry for entry in entries if entry.is_official):
        if entry.is_brought:
            yield Hidden(entry.key, bare(entry), "house", entry.received_at.timestamp())
        elif entry.team.is_house:
            yield _hidden(entry, "counts" if round_.house_takes_places else "house")
        else:
            by_team[entry.team_id, entry.slot] = entry
    playing = Team.objects.filter(contest=round_.contest_id, is_house=False, merged_into=None)
    for team in playing.exclude(status=Team.Status.REMOVED).order_by("pk"):
        for slot in table.declared.slots:
            found = by_team.get((team.pk, slot))
            yield _hidden(found, "counts") if found else _without(team, slot, entries)


def _without(team: Team, slot: str, entries: Sequence[Entry]) -> Hidden:
    """A team whose entries do not count: voided by organisers, invalid, or none."""
    mine = [entry for entry in entries if entry.team_id == team.pk and entry.slot == slot]
    entry = max(mine, key=lambda one: one.number, default=None)
    if entry is None:
        return Hidden(team.name, None, "absent")
    return _hidden(entry, "void" if entry.mark else "invalid")


def _hidden(entry: Entry, state: Any) -> Hidden:
    because = tuple(reason["values"]["name"] for reason in entry.because)
    verdict = Verdict(because, entry.utility, entry.parts)
    return Hidden(entry.team.name, bare(entry), state, entry.received_at.timestamp(), verdict)


def bare(entry: Entry) -> Target:
    """A target without its files."""
    return Target(entry.key, entry.slot, entry.variant, entry.labels, None, EMPTY, EMPTY, EMPTY)


def cells_of(round_: Round) -> Iterator[Cell]:
    return cells_among(runs_of(round_), entries_of(round_))


def cells_among(runs: Sequence[AttackRun], entries: Sequence[Entry]) -> Iterator[Cell]:
    """The results that count: of a team's answers about one target the pinned one, else the latest."""
    official = {entry.pk: entry.key for entry in entries if entry.is_official}
    chosen: dict[tuple[str, str, str], AttackRun] = {}
    for run in (run for run in runs if run.entry_id in official):
        attack = run.attack
        # No team may have such a name, so nobody inherits what the house found.
        attacker = attack.team.name if attack.team else f"{HOUSE}{attack.name}"
        chosen[attacker, official[run.entry_id], run.challenge] = run
    for (attacker, key, challenge), run in sorted(chosen.items(), key=lambda pair: pair[0]):
        yield Cell(attacker, key, challenge, result_of(run))


def result_of(run: AttackRun) -> Result:
    """A stored result as the judge gave it."""
    interval = None if run.low is None or run.high is None else (run.low, run.high)
    return Result(run.risk, run.numbers, run.baseline, interval, evidence_of(run.evidence_sha256))


def earlier_boards(round_: Round) -> dict[str, Sequence[Board]]:
    """The final boards of the rounds before this one, by round; of one that stands still, what everybody
    sees, so that no later board tells more of it."""
    before = Round.objects.filter(contest=round_.contest_id, position__lt=round_.position)
    still = Q(round__still_since__isnull=False, view=StoredBoard.View.STILL)
    final = Q(round__still_since=None, view=StoredBoard.View.FINAL)
    stored = StoredBoard.objects.filter(still | final, round__in=before)
    boards: dict[str, list[Board]] = {}
    for board in stored.select_related("round").order_by("round__position", "round_id", "position"):
        boards.setdefault(board.round.slug, []).append(_as_board(board))
    return dict(boards)


def _as_board(stored: StoredBoard) -> Board:
    rows = tuple(
        Row(row["key"], row["values"], None if row["chain"] is None else tuple(row["chain"]))
        for row in stored.rows
    )
    return Board(stored.name, tuple(stored.columns), rows, stored.shown)  # type: ignore[arg-type]


class _Names:
    """Whom the key of a row stands for: a team, a target or a house attack."""

    def __init__(self, round_: Round, entries: Sequence[Entry]) -> None:
        self.house_takes_places = round_.house_takes_places
        self.teams = {team.name: team for team in Team.objects.filter(contest=round_.contest_id)}
        official = [entry for entry in entries if entry.is_official]
        self.entries = {entry.key: entry for entry in official}
        self.of_team = {entry.team.name: entry for entry in official if not entry.is_brought}

    def of(self, key: str) -> dict[str, Any]:
        if key in self.teams:
            team, entry = self.teams[key], self.of_team.get(key)
            kind = "house" if team.is_house else "team"
            return {"kind": kind, "team": team.pk, "entry": entry.pk if entry else None}
        if key in self.entries:
            return {"kind": "target", "team": None, "entry": self.entries[key].pk}
        return {"kind": "attack", "team": None, "entry": None}

    def may_be_placed(self, who: Mapping[str, Any]) -> bool:
        return self.house_takes_places or who["kind"] in ("team", "target")


def _as_data(position: int, board: Board, names: _Names) -> dict[str, Any]:
    stands_for = [names.of(row.key) for row in board.rows]
    # Whatever a game says, the house takes no place unless the round says so.
    chains = [
        row.chain if names.may_be_placed(who) else None
        for row, who in zip(board.rows, stands_for, strict=True)
    ]
    rows = [
        {
            "key": row.key,
            "place": place,
            "values": {name: _number(row.values.get(name)) for name in board.columns},
            "chain": None if row.chain is None else [float(one) for one in row.chain],
            **who,
        }
        for row, who, place in zip(board.rows, stands_for, places_of(chains), strict=True)
    ]
    return {
        "position": position,
        "name": board.name,
        "columns": list(board.columns),
        "rows": rows,
        "shown": board.shown,
    }


def places_of(chains: Sequence[tuple[float, ...] | None]) -> list[int | None]:
    """The places of rows by their chains: smaller ones first, equal ones share a place, none has none.

    >>> places_of([(1.0,), None, (1.0,), (2.0,)])
    [1, None, 1, 3]
    """
    ordered = sorted(chain for chain in chains if chain is not None)
    return [None if chain is None else bisect_left(ordered, chain) + 1 for chain in chains]


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
