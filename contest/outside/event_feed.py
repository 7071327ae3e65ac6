"""The public part of what happened in a contest, in order, for programs that follow it.

An event is identified by its number in the contest's log. Primary keys are assigned while transactions are
open, so a transaction that ends late shows a low key after higher ones were read. The number is assigned
after the commit, one by one, at once or by the sweeper: a reader up to a number has missed nothing.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser

from contest import access
from contest.models import Attack, AttackRun, AuditEvent, Contest, Entry, Phase, Round

PUBLIC = (
    "announcement.published",
    "phase.added",
    "phase.moved",
    "phase.removed",
    "entry.official",
    "attack_run.done",
)
PAGE = 200


@dataclass(frozen=True)
class Event:
    id: int
    at: datetime.datetime
    kind: str
    round: str | None
    facts: dict[str, Any]


@dataclass(frozen=True)
class Feed:
    events: list[Event]
    after: int
    more: bool


def feed(contest: Contest, after: int) -> Feed:
    """What everybody may know of the next events after one that is known already.

    Where results wait for the reveal, their events are left out until then and appear at their old places
    afterwards: read again from the start once the results phase has begun.
    """
    rows = list(
        AuditEvent.objects.filter(contest=contest, verb__in=PUBLIC, number__gt=after).order_by("number")[
            : PAGE + 1
        ]
    )
    shown = rows[:PAGE]
    return Feed(public_events(contest, shown), (shown[-1].number or 0) if shown else after, len(rows) > PAGE)


def public_events(contest: Contest, rows: list[AuditEvent]) -> list[Event]:
    """What everybody may know now of some rows of a contest's log, in their order."""
    subjects = _subjects(contest, rows)
    return [event for row in rows if (event := _event(row, subjects)) is not None]


def _subjects(contest: Contest, rows: list[AuditEvent]) -> dict[str, Any]:
    """What the rows are about, by the name under which the audit log knows it: a few queries for all."""
    ids: dict[str, list[int]] = {}
    for row in rows:
        if row.subject_id is not None:
            ids.setdefault(_kind(row), []).append(row.subject_id)
    found: dict[str, Any] = {}
    rounds = [round_ for round_ in Round.objects.filter(contest=contest) if access.is_announced(round_)]
    for round_ in rounds:
        found[f"round {round_.pk}"] = round_
    phases = Phase.objects.filter(pk__in=ids.get("phase", []), round__in=rounds)
    for phase in phases.select_related("round"):
        found[f"phase {phase.pk}"] = phase
    entries = Entry.objects.filter(pk__in=ids.get("entry", []), round__in=rounds)
    for entry in entries.select_related("team", "round"):
        found[f"entry {entry.pk}"] = entry
    # What was told before a board stood still was public and stays so.
    open_rounds = [round_ for round_ in rounds if access.sees_board_history(AnonymousUser(), round_)]
    runs = AttackRun.objects.filter(
        pk__in=ids.get("attackrun", []), attack__is_dry_run=False, attack__round__in=open_rounds
    )
    for run in runs.select_related("attack__team", "attack__round", "entry__team"):
        found[f"attackrun {run.pk}"] = run
    return found


def _kind(row: AuditEvent) -> str:
    return row.subject.partition(" ")[0]


def _event(row: AuditEvent, subjects: Mapping[str, Any]) -> Event | None:
    if row.verb == "announcement.published":
        return Event(row.number or 0, row.at, "announcement", None, {"title": row.after.get("title", "")})
    subject = subjects.get(f"{_kind(row)} {row.subject_id}")
    if isinstance(subject, Phase):
        facts = {"phase": subject.kind, "ends_at": row.after.get("ends_at")}
        return Event(row.number or 0, row.at, "phase", subject.round.slug, facts)
    if isinstance(subject, Round):
        facts = {"phase": (row.after or row.before)["kind"], "ends_at": row.after.get("ends_at")}
        return Event(row.number or 0, row.at, "phase", subject.slug, facts)
    if isinstance(subject, Entry):
        if subject.round.still_since is not None and row.at > subject.round.still_since:
            return None  # It would be on the board, which stands still.
        facts = {"entry_id": subject.pk, "number": subject.number, "team": subject.team.name}
        return Event(row.number or 0, row.at, "official-entry", subject.round.slug, facts)
    if isinstance(subject, AttackRun):
        since = subject.attack.round.still_since
        if since is not None and row.at > since:
            return None
        return Event(row.number or 0, row.at, "result", subject.attack.round.slug, _result(subject, row))
    return None


def _result(run: AttackRun, row: AuditEvent) -> dict[str, Any]:
    attack: Attack = run.attack
    return {
        "attack_id": attack.pk,
        "attack": attack.label,
        "entry_id": run.entry_id,
        "team": run.entry.team.name,
        "hits": row.after.get("hits"),
        # While the board stands still, the run may have been judged again: the log knows what was told.
        "risk": run.risk if attack.round.still_since is None else row.after.get("risk"),
    }
