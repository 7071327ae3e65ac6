"""What the page of an attack says, to whom: outcomes as the round's feedback allows, logs to the owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest import access
from contest.models import Attack, AttackRun, Entry
from contest.models.round import Feedback

BANDS = ("0–25 %", "25–50 %", "50–75 %", "75–100 %")


@dataclass(frozen=True)
class RunRow:
    """One target with as much of the outcome as this person may know."""

    run: AttackRun
    target: Entry
    hits: int | None
    rate: float | None
    band: str | None
    log: str
    reason: str

    @property
    def is_final(self) -> bool:
        return self.run.state in AttackRun.FINAL


def attack_summary(user: access.Viewer, attack: Attack) -> dict[str, Any]:
    """An attack with what this person may see of each of its runs."""
    feedback = access.feedback_for(user, attack)
    show_log = access.owns_attack(user, attack) or access.is_organiser(user, attack.round.contest)
    runs = attack.runs.select_related("entry__team").order_by("entry__team__name", "pk")
    rows = [_row(run, feedback, show_log) for run in runs]
    done = sum(row.is_final for row in rows)
    return {
        "attack": attack,
        "rows": rows,
        "n_done": done,
        "is_settled": done == len(rows),
        "hits": sum(row.hits or 0 for row in rows) if feedback == Feedback.FULL else None,
        "feedback": feedback,
        "show_log": show_log,
        "can_organise": access.is_organiser(user, attack.round.contest),
    }


def _row(run: AttackRun, feedback: str, show_log: bool) -> RunRow:
    full = feedback == Feedback.FULL
    banded = feedback == Feedback.BANDS and run.rate is not None
    return RunRow(
        run=run,
        target=run.entry,
        hits=run.hits if full else None,
        rate=run.rate if full else None,
        band=BANDS[min(3, int(4 * (run.rate or 0.0)))] if banded else None,
        log=run.log if show_log else "",
        reason=run.reason if show_log else "",
    )
