"""Attackers × targets in each challenge of a game: of every attacker the answer that counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.board.matrix import LEVELS
from contest.models import AttackRun, Entry, Round
from games.contract.declaration import Challenge, Declaration, Method

Chosen = dict[tuple[str, bool, str], dict[int, AttackRun]]
"""By challenge, whether it is the house, and the attacker: the run that counts about each entry."""


@dataclass(frozen=True)
class RiskCell:
    """A result, or its state where there is none yet."""

    state: str
    risk: float | None
    label: str

    @property
    def level(self) -> int | None:
        if self.risk is None:
            return None
        return 0 if self.risk == 0 else min(LEVELS, 1 + int(self.risk * LEVELS))

    @property
    def percent(self) -> int | None:
        return None if self.risk is None else round(100 * self.risk)


@dataclass(frozen=True)
class AttackerLine:
    """An attacker with one cell per target."""

    label: str
    attack_id: int
    is_house: bool
    cells: list[RiskCell | None]
    method: Method | None = None
    """The house attack, where it is one."""

    @property
    def mean_percent(self) -> float | None:
        risks = [cell.risk for cell in self.cells if cell and cell.risk is not None]
        return 100 * sum(risks) / len(risks) if risks else None


@dataclass(frozen=True)
class ChallengeMatrix:
    challenge: Challenge
    targets: list[Entry]
    lines: list[AttackerLine]


def target_label(entry: Entry) -> str:
    """What a target is called on pages: its key where organisers brought it, else its team and number."""
    if entry.is_brought:
        return entry.key
    slot = f" · {entry.slot}" if entry.slot else ""
    return f"{entry.team.name} #{entry.number}{slot}"


def matrices(round_: Round, declared: Declaration) -> list[ChallengeMatrix]:
    """One table per challenge: two queries for all of them."""
    found = Entry.objects.filter(round=round_, is_official=True).select_related("team")
    entries = list(found.order_by("team__is_house", "team__name", "slot", "pk"))
    runs = AttackRun.objects.filter(
        attack__round=round_, attack__is_active=True, attack__is_dry_run=False, entry__is_official=True
    ).select_related("attack__team")
    chosen: Chosen = {}
    # Of a team's answers about one target the pinned one counts, else the latest.
    for run in runs.defer("found_rows", "log").order_by("attack__is_pinned", "attack_id", "pk"):
        attack = run.attack
        attacker = attack.team.name if attack.team else attack.name
        chosen.setdefault((run.challenge, attack.team is None, attacker), {})[run.entry_id] = run
    methods = {attack.name: attack for attack in declared.attacks}
    return [_matrix(challenge, entries, chosen, methods) for challenge in declared.challenges]


def _matrix(
    challenge: Challenge,
    entries: Sequence[Entry],
    chosen: Chosen,
    methods: dict[str, Method],
) -> ChallengeMatrix:
    targets = [entry for entry in entries if entry.slot == challenge.slot or entry.is_brought]
    lines = []
    for (name, is_house, attacker), runs in chosen.items():
        if name != challenge.name:
            continue
        cells = [_cell(attacker, entry, runs.get(entry.pk)) for entry in targets]
        newest = max(runs.values(), key=lambda run: run.pk).attack
        method = methods.get(attacker) if is_house else None
        lines.append(AttackerLine(attacker, newest.pk, is_house, cells, method))
    lines.sort(key=lambda line: (-(line.mean_percent or -1.0), line.label))
    return ChallengeMatrix(challenge, targets, lines)


def _cell(attacker: str, entry: Entry, run: AttackRun | None) -> RiskCell | None:
    if run is None:
        return None
    said = f"{100 * run.risk:.1f} %" if run.risk is not None else AttackRun.State(run.state).label
    return RiskCell(run.state, run.risk, f"{attacker} → {target_label(entry)}: {said}")
