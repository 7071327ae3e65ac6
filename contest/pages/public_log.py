"""What everybody may know of the actions in a contest's log, in sentences."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from contest import access
from contest.language.moments import told
from contest.models import (
    Attack,
    AuditEvent,
    Award,
    Commitment,
    Contest,
    Entry,
    Phase,
    Question,
    Rescore,
    Round,
    Seat,
    Trial,
)
from contest.pages import changed_settings

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
        Award: {"contest": contest},
        Question: {"contest": contest},
    }
    for model, condition in within.items():
        others = {Round: ("game",), Entry: ("team", "round"), Award: ("team", "contest")}
        for row in model.objects.filter(pk__in=keys, **condition).select_related(
            *others.get(model, ["round"])
        ):
            found[(model._meta.model_name, row.pk)] = row
            round_ = row if model is Round else getattr(row, "round", None)
            if round_ is not None:
                # Else each sentence about a time would read the contest again.
                round_.contest = contest
    return found


Sentence = tuple[str, str] | None


def _contest_created(event: AuditEvent, subject: Any) -> Sentence:
    return _("The contest was created."), ""


def _announced(event: AuditEvent, subject: Any) -> Sentence:
    return _("Announced: %(title)s") % {"title": event.after.get("title", "")}, ""


def _renamed(event: AuditEvent, subject: Any) -> Sentence:
    names = {"before": event.before.get("name", ""), "after": event.after.get("name", "")}
    return _("The team %(before)s is called %(after)s now.") % names, ""


def _other_track(event: AuditEvent, subject: Any) -> Sentence:
    facts = {
        "team": event.after.get("name", ""),
        "before": event.before.get("track") or "–",
        "after": event.after.get("track", ""),
    }
    return _("The team %(team)s changed its track: %(before)s → %(after)s.") % facts, ""


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
        "board.stopped": _("%(round)s: the board stands still for everybody but organisers."),
        "board.released": _("%(round)s: the board shows everything again."),
        "reveal.started": _("%(round)s: the reveal, place by place, has begun."),
        "reveal.ended": _("%(round)s: the reveal has ended, and all results are public."),
    }
    return texts[event.verb] % {"round": subject.name, "game": event.after.get("game", "")}, ""


def _contest_changed(event: AuditEvent, subject: Any) -> Sentence:
    changed = changed_settings.of_contest(event.before, event.after)
    return (_("Settings of the contest were changed."), "; ".join(changed)) if changed else None


def _organiser_act(event: AuditEvent, subject: Any) -> Sentence:
    texts = {
        "organiser.added": _("%(person)s organises the contest from now on."),
        "organiser.removed": _("%(person)s organises the contest no more."),
    }
    named = {**event.before, **event.after}
    return texts[event.verb] % {"person": named.get("organiser", "")}, ""


def _round_changed(event: AuditEvent, subject: Any) -> Sentence:
    """Nothing is said of a change that concerns organisers alone, such as that of the seed."""
    if not isinstance(subject, Round):
        return None
    changed = changed_settings.of_round(subject, event.before, event.after)
    if not changed:
        return None
    return _("%(round)s: settings were changed.") % {"round": subject.name}, "; ".join(changed)


def _data_changed(event: AuditEvent, subject: Any) -> Sentence:
    if not isinstance(subject, Round):
        return None
    if event.verb == "round.data":
        return _("%(round)s: the organisers have brought data.") % {"round": subject.name}, ""
    names = [str(held.get("data", "")) for held in (event.before, event.after)]
    return _("%(round)s: the round has other data.") % {"round": subject.name}, " → ".join(names)


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
    times = ", ".join(f"{_ends(key)} {_time(span[key], subject)}" for key in ("starts_at", "ends_at"))
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
        f"{_ends(key)} {_time(event.before[key], subject.round)} → {_time(event.after[key], subject.round)}"
        for key in ("starts_at", "ends_at")
        if event.before.get(key) and event.after.get(key) and event.before[key] != event.after[key]
    )
    return texts[event.verb] % names, moved


def _time(text: str, round_: Round) -> str:
    """A time of the log in the zone of its contest."""
    return told(datetime.datetime.fromisoformat(text), round_.contest.zone)


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
    if not isinstance(subject, Rescore):
        return None
    limits = [_limits(event.before.get("limits", [])), _limits(event.after.get("limits", []))]
    text = _("%(round)s: the limits were changed and all entries judged again.")
    return text % {"round": subject.round.name}, " → ".join(limits)


def _other_version(event: AuditEvent, subject: Any) -> Sentence:
    """Who moved is seen on the boards, as far as they are public."""
    if not isinstance(subject, Trial):
        return None
    text = _("%(round)s: another version of the game is in force, and everything was judged again by it.")
    versions = f"{event.before.get('game', '')} → {event.after.get('game', '')}"
    return text % {"round": subject.round.name}, versions


def _limits(limits: list[dict[str, Any]]) -> str:
    signs = {"<=": "≤", ">=": "≥"}
    return ", ".join(
        f"{limit['measure']} {signs[limit['operator']]} {limit['limit']:.10g}" for limit in limits
    )


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


def _award_act(event: AuditEvent, subject: Any) -> Sentence:
    """Of awards nothing is said before the results are revealed."""
    if not isinstance(subject, Award) or not access.results_are_revealed(subject.contest):
        return None
    texts = {
        "award.given": _("The award “%(award)s” was given to %(team)s."),
        "award.undone": _("The award “%(award)s” of %(team)s was undone."),
    }
    return texts[event.verb] % {"award": subject.title, "team": subject.team.name}, ""


def _question_answered(event: AuditEvent, subject: Any) -> Sentence:
    """An answer to a team alone is that team's."""
    is_hidden = isinstance(subject, Question) and subject.visibility == Question.Visibility.HIDDEN
    if event.after.get("to") != Question.Audience.ALL or not isinstance(subject, Question) or is_hidden:
        return None
    return _("A question was answered for everybody."), event.after.get("title", "")


SENTENCES: dict[str, Callable[[AuditEvent, Any], Sentence]] = {
    **dict.fromkeys(("contest.created", "contest.created_from_bundle"), _contest_created),
    "contest.changed": _contest_changed,
    **dict.fromkeys(("organiser.added", "organiser.removed"), _organiser_act),
    "announcement.published": _announced,
    **dict.fromkeys(
        (
            "round.created",
            "round.built",
            "round.commit",
            "round.freeze",
            "round.tally",
            "round.reveal",
            "board.stopped",
            "board.released",
            "reveal.started",
            "reveal.ended",
        ),
        _round_act,
    ),
    "team.renamed": _renamed,
    "team.track_changed": _other_track,
    "round.changed": _round_changed,
    **dict.fromkeys(("round.data", "round.data_changed"), _data_changed),
    "round.removed": _round_removed,
    **dict.fromkeys(("phase.added", "phase.removed"), _phase_list_act),
    **dict.fromkeys(("phase.opened", "phase.closed", "phase.moved", "phase.reopened"), _phase_act),
    **dict.fromkeys(("commitment.published", "commitment.withdrawn", "commitment.revealed"), _commitment_act),
    **dict.fromkeys(("entry.marked", "entry.unmarked"), _mark_act),
    "rescore.applied": _rescored,
    "trial.applied": _other_version,
    "seat.chosen": _chosen,
    **dict.fromkeys(("award.given", "award.undone"), _award_act),
    "question.answered": _question_answered,
    **dict.fromkeys(("attack.added", "attack.stopped", "attack.resumed"), _attack_act),
}
"""The actions that are public."""
PRIVATE: dict[str, tuple[str, ...]] = {
    "what a team does is its own, until boards and results show it": (
        "attack.failed", "attack.pinned", "attack.state", "attack.submitted", "attack_run.done",
        "attack_run.failed", "attack_run.refused", "attack_run.rerun", "entry.attempt_given_back",
        "entry.failed", "entry.measured", "entry.note", "entry.official", "entry.pinned", "entry.state",
        "entry.submitted", "phase.reminded", "question.asked", "question.moved", "round.overtaken",
        "team_order.failed", "team_order.made", "team_order.requested",
    ),
    "who is in a team, and how organisers treat it, is between them": (
        "invitation.created", "invitation.revoked", "team.active", "team.archive_consent", "team.created",
        "team.handed_over", "team.joined", "team.left", "team.locked", "team.member_removed", "team.merged",
        "team.pending", "team.removed",
    ),
    "only what comes of a preparation is public": (
        "announcement.mailed", "dataset.registered", "game.tried", "game.tried_again", "game.uploaded",
        "house_entry.failed", "house_entry.requested", "house_entry.retried", "rescore.discarded",
        "rescore.previewed", "round.build_failed", "signals.found", "signals.requested", "trial.discarded",
        "trial.failed", "trial.repeated", "trial.requested", "webhook.created", "webhook.ended",
    ),
    "the page of a reveal shows each of its steps": ("reveal.moved",),
    "it is written to the log of the site, not to that of a contest": (
        "contest.archived", "contest.imported", "token.created", "token.revoked", "user.asked_for_reset",
        "user.asked_to_change_email", "user.changed_password", "user.changed_profile",
        "user.confirmed_email", "user.deleted", "user.ended_other_sessions", "user.ended_session",
        "user.linked_identity", "user.notices_chosen", "user.reset_password", "user.signed_up",
        "user.unlinked_identity",
    ),
}  # fmt: skip
"""The other actions, by the reason why only organisers read them."""
