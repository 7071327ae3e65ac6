"""Two entries of a team side by side: their numbers, what attacks found, what differs in their files."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from contest import access
from contest.board import queries
from contest.board.game_boards import text_of
from contest.files.storage import published
from contest.language.declared import title_of
from contest.language.translation import say
from contest.models import AttackRun, Entry, Round, Team
from contest.play.table import Table
from games.formats.attacks import EVERY_ATTACK
from games.formats.measures import EVERY_MEASURE

MOST_ROWS = 200_000
"""So many rows of a file are compared; a page must not take longer."""


@dataclass(frozen=True)
class ComparedNumber:
    name: str
    a: float | None
    b: float | None

    @property
    def cells(self) -> tuple[str, str, str]:
        """Both numbers and their difference, as text."""
        both = self.a is not None and self.b is not None
        change = self.b - self.a if self.a is not None and self.b is not None else None
        sign = "+" if both and change is not None and change > 0 else ""
        return text_of(self.a, 4), text_of(self.b, 4), sign + text_of(change, 4)


@dataclass(frozen=True)
class ComparedFile:
    """How many rows and cells of a file differ, row by row in their order."""

    name: str
    rows_a: int
    rows_b: int
    changed_rows: int
    changed_cells: int
    is_cut: bool


def comparison_context(
    user: access.Viewer, round_: Round, team: Team, a: int | None, b: int | None
) -> dict[str, Any]:
    """The page; without two numbers it lets the reader choose them."""
    entries = list(Entry.objects.filter(round=round_, team=team).order_by("number"))
    by_number = {entry.number: entry for entry in entries}
    context: dict[str, Any] = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "entries": entries,
        "a": by_number.get(a or 0),
        "b": by_number.get(b or 0),
    }
    if context["a"] is None or context["b"] is None:
        return context
    first, second = context["a"], context["b"]
    for entry in (first, second):
        entry.round, entry.team = round_, team
    show_attacks = access.sees_attacks_on(user, first)
    return {
        **context,
        "numbers": list(_numbers(round_, first, second, show_attacks)),
        "attacks": list(_attacks(first, second)) if show_attacks else [],
        "show_attacks": show_attacks,
        "files": list(_files(_readable(user, first), _readable(user, second))),
        "most_rows": MOST_ROWS,
        "first": f"#{first.number}",
        "second": f"#{second.number}",
    }


def _numbers(round_: Round, a: Entry, b: Entry, show_attacks: bool) -> Iterator[ComparedNumber]:
    yield ComparedNumber(_("Utility"), a.utility, b.utility)
    titles = _titles(round_)
    for name in dict.fromkeys([*a.measures, *b.measures]):
        yield ComparedNumber(titles.get(name, name), a.measures.get(name), b.measures.get(name))
    if show_attacks:
        yield ComparedNumber(_("Largest risk"), a.risk, b.risk)
        if round_.game_id is None:
            yield ComparedNumber(_("Total"), queries.total_of(a), queries.total_of(b))


def _titles(round_: Round) -> Mapping[str, str]:
    """What measures and house attacks are called in the language of the page."""
    described: Sequence[Any] = (*EVERY_MEASURE, *EVERY_ATTACK)
    if round_.game_id is None:
        return {one.name: say(one.title) for one in described}
    declared = Table(round_).declared
    described = (*declared.measures, *declared.attacks, *declared.challenges)
    return {one.name: title_of(one) for one in described}


def _attacks(a: Entry, b: Entry) -> Iterator[ComparedNumber]:
    """The share that each attack found in both; an attack that met only one of them has one number."""
    found: dict[str, dict[int, float | None]] = {}
    titles = _titles(a.round)
    runs = AttackRun.objects.filter(entry__in=[a, b], attack__is_dry_run=False, state=AttackRun.State.DONE)
    for run in runs.select_related("attack__team").order_by("attack_id", "challenge", "pk"):
        attack = run.attack
        name = titles.get(attack.name, attack.name) if attack.team is None else attack.label
        if a.round.game_id is not None:
            name = f"{name} · {titles.get(run.challenge, run.challenge)}"
        found.setdefault(name, {})[run.entry_id] = run.risk
    for name, by_entry in found.items():
        yield ComparedNumber(name, by_entry.get(a.pk), by_entry.get(b.pk))


def _readable(user: access.Viewer, entry: Entry) -> Mapping[str, str]:
    """The checked files of an entry by name, as far as its team may read them."""
    if entry.round.game_id is None:
        return entry.published
    return {one.name: one.sha256 for one in access.entry_files(user, entry) if not one.is_sealed}


def _files(a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[ComparedFile]:
    for name in sorted(a.keys() & b.keys()):
        if a[name] == b[name]:
            yield ComparedFile(name, 0, 0, 0, 0, is_cut=False)
        elif published.exists(a[name]) and published.exists(b[name]):
            yield _compared(name, a[name], b[name])


def _compared(name: str, a: str, b: str) -> ComparedFile:
    rows_a = rows_b = changed_rows = changed_cells = 0
    with published.open(a) as first, published.open(b) as second:
        pairs = itertools.zip_longest(_lines(first), _lines(second))
        for one, other in itertools.islice(pairs, MOST_ROWS):
            rows_a += one is not None
            rows_b += other is not None
            if one != other:
                changed_rows += 1
                changed_cells += _changed_cells(one, other)
        is_cut = next(pairs, None) is not None
    return ComparedFile(name, rows_a, rows_b, changed_rows, changed_cells, is_cut)


def _lines(file: Any) -> Iterator[str]:
    return (line.rstrip("\r\n") for line in io.TextIOWrapper(file, encoding="utf-8", errors="replace"))


def _changed_cells(a: str | None, b: str | None) -> int:
    cells = itertools.zip_longest((a or "").split(","), (b or "").split(","))
    return sum(one != other for one, other in cells)
