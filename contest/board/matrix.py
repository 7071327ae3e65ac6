"""The attacker × entry matrix and the board of attackers: read in a few queries, shown as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from contest.board.ranking import numbered
from contest.models import Attack, AttackRun, Entry, Round, Team

LEVELS = 8
"""Steps of the heat map's colours; 0 is nobody found."""


@dataclass(frozen=True)
class Cell:
    """One attack on one entry: a share found, or why there is none."""

    state: str
    hits: int | None
    rate: float | None
    label: str

    @property
    def level(self) -> int | None:
        if self.rate is None:
            return None
        return 0 if self.rate == 0 else min(LEVELS, 1 + int(self.rate * LEVELS))

    @property
    def percent(self) -> int | None:
        return None if self.rate is None else round(100 * self.rate)


@dataclass(frozen=True)
class MatrixRow:
    attack: Attack
    cells: list[Cell | None]
    hits: int
    targets: int

    @property
    def mean_percent(self) -> float | None:
        rates = [cell.rate for cell in self.cells if cell and cell.rate is not None]
        return 100 * sum(rates) / len(rates) if rates else None


@dataclass(frozen=True)
class Matrix:
    entries: list[Entry]
    rows: list[MatrixRow] = field(default_factory=list)
    house_takes_places: bool = False


def matrix(round_: Round) -> Matrix:
    """Every attack that counts against every official entry: three queries."""
    entries = list(
        Entry.objects.filter(round=round_, is_official=True).select_related("team").order_by("team__name")
    )
    attacks = _attacks_shown(round_)
    # Plain values: a matrix may have many thousand cells.
    cells = AttackRun.objects.filter(attack__in=attacks, entry__in=entries).order_by("pk")
    found = cells.values_list("attack", "entry", "state", "risk", "numbers")
    runs = {(attack, entry): Judged(*judged) for attack, entry, *judged in found}
    rows = [
        _row(attack, entries, [runs.get((attack.pk, entry.pk)) for entry in entries]) for attack in attacks
    ]
    rows.sort(key=lambda row: (-(row.mean_percent or -1.0), row.attack.label))
    return Matrix(entries, rows, round_.house_takes_places)


def _attacks_shown(round_: Round) -> list[Attack]:
    """All house attacks, and of every team its newest guess and its newest program."""
    attacks = (
        Attack.objects.filter(round=round_, is_dry_run=False).select_related("team").order_by("version", "pk")
    )
    newest: dict[tuple[str, int | None, str], Attack] = {}
    for attack in attacks:
        name = attack.name if attack.kind == Attack.Kind.HOUSE else ""
        newest[attack.kind, attack.team_id, name] = attack
    return list(newest.values())


class Judged(NamedTuple):
    """What a cell shows of a run."""

    state: str
    risk: float | None
    numbers: Mapping[str, Any]

    @property
    def hits(self) -> int | None:
        return self.numbers.get("hits")


def _row(attack: Attack, entries: Sequence[Entry], runs: Sequence[Judged | None]) -> MatrixRow:
    cells = [
        None if run is None else Cell(run.state, run.hits, run.risk, _label(attack, entry, run))
        for entry, run in zip(entries, runs, strict=True)
    ]
    judged = [cell for cell in cells if cell and cell.hits is not None]
    return MatrixRow(attack, cells, sum(cell.hits or 0 for cell in judged), len(judged))


def _label(attack: Attack, entry: Entry, run: Judged) -> str:
    found = f"{run.hits}/{entry.n_people}" if run.hits is not None else AttackRun.State(run.state).label
    return f"{attack.label} → {entry.team.name} #{entry.number}: {found}"


@dataclass(frozen=True)
class AttackerRow:
    rank: int | None
    name: str
    is_house: bool
    is_mine: bool
    hits: int
    targets: int
    mean_percent: float


def attackers(table: Matrix, my_team: Team | None) -> list[AttackerRow]:
    """Who finds most people: each attacker's best attack on each entry counts once.

    A team attacks one entry less than the house does, its own, so the mean share found is what ranks.
    The house takes a place only where the round says so.
    """
    best: dict[tuple[bool, str], dict[int, Cell]] = {}
    mine: set[str] = set()
    for row in table.rows:
        team = row.attack.team
        name = row.attack.name if team is None else team.name
        if team is not None and my_team is not None and team.pk == my_team.pk:
            mine.add(name)
        columns = best.setdefault((team is None, name), {})
        for place, cell in enumerate(row.cells):
            if cell and cell.rate is not None:
                columns[place] = max(columns.get(place, cell), cell, key=lambda cell: cell.rate or 0.0)
    scored = [
        (sum(cell.rate or 0.0 for cell in cells.values()) / len(cells), is_house, name, list(cells.values()))
        for (is_house, name), cells in best.items()
        if cells
    ]
    scored.sort(key=lambda row: (-row[0], row[1], row[2]))
    numbers = numbered(table.house_takes_places or not is_house for _, is_house, _, _ in scored)
    return [
        AttackerRow(
            rank=number,
            name=name,
            is_house=is_house,
            is_mine=name in mine and not is_house,
            hits=sum(cell.hits or 0 for cell in cells),
            targets=len(cells),
            mean_percent=100 * mean,
        )
        for number, (mean, is_house, name, cells) in zip(numbers, scored, strict=True)
    ]
