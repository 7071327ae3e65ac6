"""A round's limits are changed as a set: a preview of all that follows, then all of it or nothing.

Measured values are never touched: a score is a row of its own for every version of a measure. What changes is
the verdict on them, which is the round's limits applied to the values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from contest import queries
from contest.errors import Refused
from contest.models import Entry, Rescore, Round, Team, User
from contest.ranking import find_ranking, rank
from contest.services import audit
from contest.services.entries import bump_board
from contest.services.repair import choose_again, count_again, require_reason
from scoring.measure import Measurement
from scoring.rules import Limit, RoundVerdict, evaluate


def preview_rescore(round_: Round, user: User, limits: Sequence[Limit], reason: str) -> Rescore:
    """Work out what other limits would change; nobody's score is touched until it is applied."""
    require_reason(reason)
    try:
        with transaction.atomic():
            fresh = Round.objects.select_related("contest").get(pk=round_.pk)
            rescore = Rescore.objects.create(
                round=fresh,
                limits=[dataclasses.asdict(limit) for limit in limits],
                limits_before=fresh.limits,
                preview=_preview(fresh, limits),
                reason=reason,
                requested_by=user,
            )
            audit.record(
                "rescore.previewed",
                rescore,
                contest=fresh.contest,
                actor=user,
                before={"limits": fresh.limits},
                after={"limits": rescore.limits},
                reason=reason,
            )
    except IntegrityError:
        raise Refused("rescore-open", "Another change is still to be applied or discarded.") from None
    return rescore


def apply_rescore(rescore: Rescore, user: User) -> int:
    """Apply a preview; refused where the round has changed since. Returns how many entries changed."""
    with transaction.atomic():
        list(Team.objects.select_for_update().filter(contest=rescore.round.contest_id).order_by("pk"))
        round_ = Round.objects.select_related("contest").get(pk=rescore.round_id)
        limits = [Limit(**limit) for limit in rescore.limits]
        if round_.limits != rescore.limits_before or _preview(round_, limits) != rescore.preview:
            raise Refused("changed-meanwhile", "The round has changed since; discard this and look again.")
        _decide(rescore, user, Rescore.State.APPLIED)
        Round.objects.filter(pk=round_.pk).update(limits=rescore.limits)
        changed = [entry for entry in _scored(round_) if _apply(entry, limits)]
        for team in Team.objects.filter(pk__in={entry.team_id for entry in changed}).order_by("pk"):
            choose_again(round_, team)
        count_again(round_, timezone.now(), rescore.reason)
        bump_board(round_.pk)
        audit.record(
            "rescore.applied",
            rescore,
            contest=round_.contest,
            actor=user,
            before={"limits": rescore.limits_before},
            after={"limits": rescore.limits, "entries": rescore.preview},
            reason=rescore.reason,
        )
    rescore.refresh_from_db()
    return len(changed)


def discard_rescore(rescore: Rescore, user: User) -> None:
    with transaction.atomic():
        _decide(rescore, user, Rescore.State.DISCARDED)
        contest = rescore.round.contest
        audit.record("rescore.discarded", rescore, contest=contest, actor=user, reason=rescore.reason)
    rescore.refresh_from_db()


def _decide(rescore: Rescore, user: User, state: Rescore.State) -> None:
    open_ = Rescore.objects.filter(pk=rescore.pk, state=Rescore.State.READY)
    if not open_.update(state=state, decided_by=user, decided_at=timezone.now()):
        raise Refused("already-decided", "This change was applied or discarded already.")


def _scored(round_: Round) -> list[Entry]:
    """Entries on which the limits have a say: those that were measured, valid or not."""
    final = Entry.objects.filter(round=round_, state__in=[Entry.State.VALID, Entry.State.INVALID])
    return list(final.exclude(measures={}).select_related("team", "round").order_by("pk"))


def _verdict(entry: Entry, limits: Sequence[Limit]) -> RoundVerdict:
    for limit in limits:
        if limit.measure not in entry.measures:
            raise Refused(
                "not-measured", f"{limit.measure} was not measured on the entries of this round so far."
            )
    return evaluate({name: Measurement(value) for name, value in entry.measures.items()}, limits)


def _preview(round_: Round, limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """One row an entry whose validity, utility or rank would change."""
    entries = _scored(round_)
    verdicts = {entry.pk: _verdict(entry, limits) for entry in entries}
    before = {entry.pk: place.rank for place, entry in queries.places(round_, show_attacks=True)}
    after = _ranks_after(round_, entries, verdicts)
    rows = []
    for entry in entries:
        verdict = verdicts[entry.pk]
        old = {"state": entry.state, "utility": entry.utility, "rank": before.get(entry.pk)}
        new = {"state": _state(verdict), "utility": verdict.score, "rank": after.get(entry.pk)}
        if old != new:
            about = {"entry": entry.pk, "team": entry.team.name, "number": entry.number}
            rows.append({**about, "before": old, "after": new, "because": list(verdict.because)})
    return rows


def _ranks_after(
    round_: Round, entries: Sequence[Entry], verdicts: dict[int, RoundVerdict]
) -> dict[int, int | None]:
    """The board as it would be: of every team the pinned valid entry, or the latest valid one."""
    frozen = round_.frozen_at is not None
    eligible = [
        entry
        for entry in entries
        if verdicts[entry.pk].valid and not entry.mark and (entry.frozen_at is not None or not frozen)
    ]
    eligible.sort(key=lambda entry: (entry.is_pinned, entry.number))
    chosen = {entry.team_id: entry for entry in eligible}
    results = [
        dataclasses.replace(queries.result_of(entry, True), utility=verdicts[entry.pk].score)
        for entry in chosen.values()
    ]
    return {place.result.key: place.rank for place in rank(results, find_ranking(round_.ranking))}


def _state(verdict: RoundVerdict) -> str:
    return Entry.State.VALID.value if verdict.valid else Entry.State.INVALID.value


def _apply(entry: Entry, limits: Sequence[Limit]) -> bool:
    verdict = _verdict(entry, limits)
    state = _state(verdict)
    if (entry.state, entry.utility, entry.because) == (state, verdict.score, list(verdict.because)):
        return False
    changes: dict[str, Any] = {"state": state, "utility": verdict.score, "because": list(verdict.because)}
    if not verdict.valid:
        changes |= {"is_official": False, "is_pinned": False}
    Entry.objects.filter(pk=entry.pk).update(**changes)
    return True
