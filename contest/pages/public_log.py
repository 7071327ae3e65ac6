"""What everybody may know of the actions in a contest's log, in sentences."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from contest import access
from contest.models import (
    Attack,
    AuditEvent,
    Commitment,
    Contest,
    Entry,
    Phase,
    Rescore,
    Round,
    Seat,
    Trial,
)

PAGE = 100


@dataclass(frozen=True)
class Change:
    """``number`` and ``hash`` are the action's place in the chain of the log."""

    at: datetime.datetime
    text: str
    detail: str
    reason: str
    number: int | None
    hash: str


def public_events(contest: Contest) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(contest=contest, verb__in=SENTENCES).order_by("-pk")


def changes(contest: Contest, events: Sequence[AuditEvent]) -> list[Change]:
    """Sentences about some events; what may not be shown yet is left out."""
    subjects = _subjects(contest, events)
    found = []
    for event in events:
        subject = subjects.get((event.subject.partition(" ")[0], event.subject_id or 0))
        round_ = subject if isinstance(subject, Round) else getattr(subject, "round", None)
        if round_ is not None and not access.is_announced(round_):
            continue
        sentence = SENTENCES[event.verb](event, subject)
        if sentence is not None:
            text, detail = sentence
            found.append(Change(event.at, text, detail, event.reason, event.number, event.hash))
    return found


def _subjects(contest: Contest, events: Sequence[AuditEvent]) -> dict[tuple[str, int], Any]:
    """What the events are about, by kind and key: one query per kind, and nothing of another contest."""
    keys = [event.subject_id for event in events]
    found: dict[tuple[str, int], Any] = {}
    within: dict[Any, Mapping[str, Contest]] = {
        Round: {"contest": contest},
        Phase: {"round__contest": contest},
        Commitment: {"round__contest": contest},
        Attack: {"round__contest": contest},
        Entry: {"round__contest": contest},
        Rescore: {"round__contest": contest},
        Trial: {"round__contest": contest},
        Seat: {"round__contest": contest},
    }
    for model, condition in within.items():
        related = {Round: (), Entry: ("team", "round")}.get(model, ("round",))
        for row in model.objects.filter(pk__in=keys, **condition).select_related(*related):
            found[(model._meta.model_name, row.pk)] = row
    return found


Sentence = tuple[str, str] | None


def _contest_created(event: AuditEvent, subject: Any) -> Sentence:
    return _("The contest was created."), ""


def _announced(event: AuditEvent, subject: Any) -> Sentence:
    return _("Announced: %(title)s") % {"title": event.after.get("title", "")}, ""


def _round_act(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Round):
        return None
    texts = {
        "round.created": _("The round %(round)s was added."),
        "round.commit": _("%(round)s: the seed of the house attacks was fixed and its hash published."),
        "round.freeze": _("%(round)s: the entries were frozen and their hashes published."),
        "round.tally": _("%(round)s: all attacks were counted and the hash of the board published."),
        "round.reveal": _("%(round)s: what had been hashed was revealed."),
        "round.built": _("%(round)s: the game %(game)s has made its data."),
    }
    return texts[event.verb] % {"round": subject.name, "game": event.after.get("game", "")}, ""


def _round_changed(event: AuditEvent, subject: Any) -> Sentence:
    """Of a change of settings only who takes places is public; the rest is for the organisers."""
    if not isinstance(subject, Round) or "house_takes_places" not in event.after:
        return None
    if event.after["house_takes_places"]:
        text = _("%(round)s: the house takes places from now on.")
    else:
        text = _("%(round)s: the house takes no place any more.")
    return text % {"round": subject.name}, ""


def _round_removed(event: AuditEvent, subject: Any) -> Sentence:
    """Nothing is shown of a round that nobody could see."""
    if event.before.get("is_hidden"):
        return None
    return _("The round %(round)s was removed.") % {"round": event.before.get("name", "")}, ""


def _phase_list_act(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Round):
        return None
    texts = {
        "phase.added": _("%(round)s: the phase “%(phase)s” was added."),
        "phase.removed": _("%(round)s: the phase “%(phase)s” was removed."),
    }
    span = event.after or event.before
    names = {"round": subject.name, "phase": Phase.Kind(span["kind"]).label}
    times = ", ".join(f"{_ends(key)} {span[key]}" for key in ("starts_at", "ends_at"))
    return texts[event.verb] % names, times


def _phase_act(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Phase):
        return None
    texts = {
        "phase.opened": _("%(round)s: the phase “%(phase)s” opened."),
        "phase.closed": _("%(round)s: the phase “%(phase)s” closed."),
        "phase.moved": _("%(round)s: the phase “%(phase)s” got other times."),
        "phase.reopened": _("%(round)s: the phase “%(phase)s” was opened again."),
    }
    names = {"round": subject.round.name, "phase": subject.get_kind_display()}
    moved = ", ".join(
        f"{_ends(key)} {event.before[key]} → {event.after[key]}"
        for key in ("starts_at", "ends_at")
        if event.before.get(key) and event.after.get(key) and event.before[key] != event.after[key]
    )
    return texts[event.verb] % names, moved


def _ends(key: str) -> str:
    return _("from") if key == "starts_at" else _("until")


def _commitment_act(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Commitment):
        return None
    texts = {
        "commitment.published": _("%(round)s: hash published: %(what)s."),
        "commitment.withdrawn": _("%(round)s: hash withdrawn: %(what)s."),
        "commitment.revealed": _("%(round)s: revealed: %(what)s."),
    }
    names = {"round": subject.round.name, "what": subject.get_what_display()}
    return texts[event.verb] % names, subject.sha256


def _mark_act(event: AuditEvent, subject: Any) -> Sentence:
    """How many entries a team has made is private until the results are public."""
    if not isinstance(subject, Entry) or not access.results_are_public(subject.round):
        return None
    names = {"round": subject.round.name, "team": subject.team.name, "number": subject.number}
    if event.verb == "entry.unmarked":
        return _("%(round)s: entry %(number)s of %(team)s counts again.") % names, ""
    mark = Entry.Mark(event.after.get("mark", "")).label
    return _("%(round)s: entry %(number)s of %(team)s was marked as %(mark)s.") % {**names, "mark": mark}, ""


def _rescored(event: AuditEvent, subject: Any) -> Sentence:
    limits = [_limits(event.before.get("limits", [])), _limits(event.after.get("limits", []))]
    return _("The limits were changed and all entries judged again."), " → ".join(limits)


def _other_version(event: AuditEvent, subject: Any) -> Sentence:
    """Who moved is seen on the boards, as far as they are public."""
    if not isinstance(subject, Trial):
        return None
    text = _("%(round)s: another version of the game is in force, and everything was judged again by it.")
    versions = f"{event.before.get('game', '')} → {event.after.get('game', '')}"
    return text % {"round": subject.round.name}, versions


def _limits(limits: list[dict[str, Any]]) -> str:
    return ", ".join(f"{limit['measure']} {limit['operator']} {limit['limit']:g}" for limit in limits)


def _attack_act(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Attack) or subject.kind != Attack.Kind.HOUSE:
        return None
    texts = {
        "attack.added": _("%(round)s: the house attack %(attack)s takes part."),
        "attack.stopped": _("%(round)s: the house attack %(attack)s was stopped."),
        "attack.resumed": _("%(round)s: the house attack %(attack)s continues."),
    }
    return texts[event.verb] % {"round": subject.round.name, "attack": subject.name}, ""


def _chosen(event: AuditEvent, subject: Any) -> Sentence:
    """Which alternative of its data a team plays with is public, as in the contests that have some."""
    if not isinstance(subject, Seat):
        return None
    names = {"round": subject.round.name, "team": event.after["team"], "n": event.after["choice"] + 1}
    return _("%(round)s: %(team)s plays with alternative %(n)s of its data.") % names, ""


SENTENCES: dict[str, Callable[[AuditEvent, Any], Sentence]] = {
    "contest.created": _contest_created,
    "announcement.published": _announced,
    **dict.fromkeys(
        ("round.created", "round.built", "round.commit", "round.freeze", "round.tally", "round.reveal"),
        _round_act,
    ),
    "round.changed": _round_changed,
    "round.removed": _round_removed,
    **dict.fromkeys(("phase.added", "phase.removed"), _phase_list_act),
    **dict.fromkeys(("phase.opened", "phase.closed", "phase.moved", "phase.reopened"), _phase_act),
    **dict.fromkeys(("commitment.published", "commitment.withdrawn", "commitment.revealed"), _commitment_act),
    **dict.fromkeys(("entry.marked", "entry.unmarked"), _mark_act),
    "rescore.applied": _rescored,
    "trial.applied": _other_version,
    "seat.chosen": _chosen,
    **dict.fromkeys(("attack.added", "attack.stopped", "attack.resumed"), _attack_act),
}
"""The actions that are public. Everything else in the log is for organisers only."""
