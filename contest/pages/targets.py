"""What a team may attack: each target with its number, its page where it is open, and the team's tries."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from contest import access
from contest.models import AttackRun, Entry, Round, Team
from contest.pages.attack import RunRow, run_row
from contest.services.attacks import attacks_of, targets_of


@dataclass(frozen=True)
class Tries:
    """What a team has sent against one target, and the best of it as far as the team may know."""

    count: int = 0
    best: RunRow | None = None


@dataclass(frozen=True)
class TargetRow:
    """A target; ``url`` is missing where its page is not open to this person."""

    entry: Entry
    url: str | None
    tries: Tries


def target_rows(user: access.Viewer, round_: Round, team: Team) -> list[TargetRow]:
    """All targets of a team, with two statements however many there are."""
    if not access.targets_are_public(round_):
        return []
    tries = tries_of(user, round_, team)
    entries = targets_of(round_, team)
    for entry in entries:
        entry.round = round_
    open_ = access.open_targets(user, round_, entries)
    return [
        TargetRow(
            entry, entry.get_absolute_url() if entry.pk in open_ else None, tries.get(entry.pk, Tries())
        )
        for entry in entries
    ]


def tries_of(user: access.Viewer, round_: Round, team: Team) -> dict[int, Tries]:
    """What a team has sent, by target; the best by the risk that it found, as the round's feedback tells."""
    feedback = access.feedback_in(user, round_)
    found = AttackRun.objects.filter(attack__in=attacks_of(round_, team)).select_related("entry__team")
    by_target: dict[int, list[AttackRun]] = defaultdict(list)
    for run in found.defer("log", "found_rows", "evidence_sha256").order_by("pk"):
        by_target[run.entry_id].append(run)
    tries = {}
    for key, runs in by_target.items():
        judged = [run for run in runs if run.risk is not None]
        best = max(judged, key=lambda run: run.risk or 0.0, default=None)
        shown = None if best is None else run_row(best, feedback, round_.feedback_bands, show_log=False)
        tries[key] = Tries(len({run.attack_id for run in runs}), shown)
    return tries
