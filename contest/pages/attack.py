"""What the page of an attack shows to whom: outcomes as the round's feedback allows, logs to the owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest import access
from contest.board import queries
from contest.language.translation import say_remark
from contest.models import Attack, AttackRun, Entry, Phase
from contest.models.round import Feedback


def band(rate: float, bands: int) -> str:
    """The band of a share found: equal parts of 0 to 100 %, each with its lower end.

    >>> band(0.25, 4), band(1.0, 4), band(0.5, 3)
    ('25–50 %', '75–100 %', '33.3–66.7 %')
    """
    place = min(bands - 1, int(bands * rate))
    low, high = (f"{100 * end / bands:.3g}" for end in (place, place + 1))
    return f"{low}–{high} %"


@dataclass(frozen=True)
class RunRow:
    """One target with as much of the outcome as this person may know."""

    run: AttackRun
    target: Entry
    url: str | None
    """The page of the target, where this person may open it."""
    hits: int | None
    rate: float | None
    band: str | None
    log: str
    reason: Any

    @property
    def is_final(self) -> bool:
        return self.run.state in AttackRun.FINAL


def attack_summary(user: access.Viewer, attack: Attack) -> dict[str, Any]:
    """An attack with what this person may see of each of its runs."""
    feedback = access.feedback_for(user, attack)
    show_log = access.owns_attack(user, attack) or access.is_organiser(user, attack.round.contest)
    runs = list(attack.runs.select_related("entry__team").order_by("entry__team__name", "pk"))
    for run in runs:
        run.entry.round = attack.round
    open_ = access.open_targets(user, attack.round, [run.entry for run in runs])
    rows = [
        run_row(run, feedback, attack.round.feedback_bands, show_log=show_log, is_open=run.entry_id in open_)
        for run in runs
    ]
    done = sum(row.is_final for row in rows)
    return {
        "attack": attack,
        "rows": rows,
        "n_done": done,
        "is_settled": done == len(rows),
        "hits": sum(row.hits or 0 for row in rows) if feedback == Feedback.FULL else None,
        "totals": totals_of(rows),
        "notes": [say_remark(remark) for remark in attack.remarks] if show_log else [],
        "can_run_on_all": may_run_on_all(user, attack, runs),
        "feedback": feedback,
        "show_log": show_log,
        "can_organise": access.is_organiser(user, attack.round.contest),
    }


@dataclass(frozen=True)
class Totals:
    """What an attack found over all targets that were judged."""

    found: int
    people: int
    targets: int
    best: RunRow
    worst: RunRow

    @property
    def share(self) -> float:
        return self.found / self.people if self.people else 0.0


def totals_of(rows: Sequence[RunRow]) -> Totals | None:
    """Over the targets whose outcome this person may know; None where there is none."""
    known = [row for row in rows if row.hits is not None and row.rate is not None]
    if not known:
        return None
    ordered = sorted(known, key=lambda row: -(row.rate or 0.0))
    found, people = sum(row.hits or 0 for row in known), sum(row.target.n_people or 0 for row in known)
    return Totals(found, people, len(known), ordered[0], ordered[-1])


def may_run_on_all(user: access.Viewer, attack: Attack, runs: Sequence[AttackRun]) -> bool:
    """Whether a dry run that went through can become an attack now."""
    went_through = bool(runs) and all(run.state == AttackRun.State.DONE for run in runs)
    if not (attack.is_dry_run and attack.program_sha256 and went_through):
        return False
    is_open = queries.open_phase(attack.round, Phase.Kind.ATTACK) is not None
    return is_open and access.owns_attack(user, attack)


def run_row(run: AttackRun, feedback: str, bands: int, *, show_log: bool, is_open: bool = False) -> RunRow:
    """A run with as much as this person may know. The round of its entry is loaded where its page is open."""
    full = feedback == Feedback.FULL
    banded = feedback == Feedback.BANDS and run.risk is not None
    return RunRow(
        run=run,
        target=run.entry,
        url=run.entry.get_absolute_url() if is_open else None,
        hits=run.hits if full else None,
        rate=run.risk if full else None,
        band=band(run.risk or 0.0, bands) if banded else None,
        log=run.log if show_log else "",
        reason=run.reason if show_log else "",
    )
