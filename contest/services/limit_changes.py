"""A round is scored again as a whole: a preview of all consequences, then all of them or nothing.

Measured values are never touched: a score is a row of its own for every version of a measure. Where the new
limits name a measure that was not taken yet, or whose scorer has a new version, workers measure it first.
What changes in the end is the verdict, which is the limits applied to the values of today's versions.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board import queries
from contest.board.official import official_among
from contest.board.ranking import find_ranking, rank
from contest.errors import Refused
from contest.jobs import queue
from contest.models import Entry, Job, Rescore, Round, Score, Team, User
from contest.records import audit
from contest.records.locks import lock_play, lock_teams
from contest.services.board_versions import bump_board
from contest.services.entries import scores_of
from contest.services.entry_marks import choose_again, count_again, require_reason
from datasets.messages import english
from games.formats.limits import judged
from games.formats.measures import measure as find_measure
from scoring.measure import Measurement
from scoring.rules import Limit, RoundVerdict


def preview_rescore(round_: Round, user: User, limits: Sequence[Limit], reason: str) -> Rescore:
    """Compute what these limits and the current scorers would change; nothing is touched until it is applied.

    The state is ``ready`` at once where everything is measured, and else as soon as workers have done that.
    """
    require_reason(reason)
    try:
        with transaction.atomic():
            fresh = Round.objects.select_related("contest").get(pk=round_.pk)
            rescore = Rescore.objects.create(
                round=fresh,
                limits=[dataclasses.asdict(limit) for limit in limits],
                limits_before=fresh.limits,
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
            _queue_measures(rescore)
            _make_ready(rescore.pk)
    except IntegrityError:
        raise Refused("rescore-open", _("Another change is still to be applied or discarded.")) from None
    rescore.refresh_from_db()
    return rescore


def _queue_measures(rescore: Rescore) -> None:
    for entry in _scored(rescore.round):
        taken = _values(entry)
        missing = [limit["measure"] for limit in rescore.limits if limit["measure"] not in taken]
        if missing:
            payload = {"rescore": rescore.pk, "measures": missing}
            queue.enqueue_job(Job.Kind.MEASURE, entry=entry, owner_id=entry.team_id, payload=payload)


def record_measures(claim: queue.Claim, entry: Entry, measurements: Mapping[str, Measurement]) -> None:
    """Add what was measured for a re-score; the last one makes its preview ready."""
    with claim.finish():
        Score.objects.bulk_create(scores_of(entry, measurements), ignore_conflicts=True)
        audit.record(
            "entry.measured", entry, contest=entry.round.contest, after={"measures": [*measurements]}
        )
        _make_ready(claim.job.payload["rescore"])


def _make_ready(rescore_id: int) -> None:
    """Write the preview when nothing is left to be measured; two last workers pass here in turn."""
    locked = Rescore.objects.select_for_update(no_key=True, of=("self",))
    rescore = locked.select_related("round").get(pk=rescore_id)
    open_jobs = Job.objects.filter(kind=Job.Kind.MEASURE, payload__rescore=rescore.pk)
    if open_jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists():
        return
    if rescore.state == Rescore.State.MEASURING:
        rescore.preview = _preview(rescore.round, [Limit(**limit) for limit in rescore.limits])
        rescore.state = Rescore.State.READY
        rescore.save(update_fields=["preview", "state"])


def apply_rescore(rescore: Rescore, user: User) -> int:
    """Apply a preview; refused where the round has changed since. Returns how many entries changed."""
    with transaction.atomic():
        lock_teams(rescore.round.contest_id)
        lock_play(rescore.round_id)
        round_ = Round.objects.select_related("contest").get(pk=rescore.round_id)
        limits = [Limit(**limit) for limit in rescore.limits]
        if rescore.state == Rescore.State.MEASURING:
            raise Refused("still-measuring", _("Workers are still measuring for this preview."))
        if round_.limits != rescore.limits_before or _preview(round_, limits) != rescore.preview:
            raise Refused("changed-meanwhile", _("The round has changed since; discard this and look again."))
        _decide(rescore, user, Rescore.State.APPLIED, (Rescore.State.READY,))
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
        _decide(rescore, user, Rescore.State.DISCARDED, (Rescore.State.MEASURING, Rescore.State.READY))
        contest = rescore.round.contest
        audit.record("rescore.discarded", rescore, contest=contest, actor=user, reason=rescore.reason)
    rescore.refresh_from_db()


def _decide(rescore: Rescore, user: User, state: Rescore.State, sources: Sequence[Rescore.State]) -> None:
    open_ = Rescore.objects.filter(pk=rescore.pk, state__in=sources)
    if not open_.update(state=state, decided_by=user, decided_at=timezone.now()):
        raise Refused("already-decided", _("This change was applied or discarded already."))


def _scored(round_: Round) -> list[Entry]:
    """Entries to which the limits apply: those that were measured, valid or not."""
    final = Entry.objects.filter(round=round_, state__in=[Entry.State.VALID, Entry.State.INVALID])
    return list(final.exclude(measures={}).select_related("team", "round").order_by("pk"))


def _values(entry: Entry) -> dict[str, float]:
    """What was measured of an entry by today's version of each measure."""
    rows = Score.objects.filter(entry=entry).values_list("measure", "version", "value")
    return {name: value for name, version, value in rows if find_measure(name).version == version}


def _verdict(entry: Entry, limits: Sequence[Limit]) -> RoundVerdict:
    return judged({name: Measurement(value) for name, value in _values(entry).items()}, limits)


def _preview(round_: Round, limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """One row per entry whose validity, utility or rank would change."""
    entries = _scored(round_)
    verdicts = {entry.pk: _verdict(entry, limits) for entry in entries}
    before = {entry.pk: place.rank for place, entry in queries.places(round_, show_attacks=True)}
    after = _ranks_after(round_, entries, verdicts, limits)
    rows = []
    for entry in entries:
        verdict = verdicts[entry.pk]
        old = {"state": entry.state, "utility": entry.utility, "rank": before.get(entry.pk)}
        new = {"state": _state(verdict), "utility": verdict.score, "rank": after.get(entry.pk)}
        if old != new:
            about = {"entry": entry.pk, "team": entry.team.name, "number": entry.number}
            rows.append({**about, "before": old, "after": new, "because": _because(verdict)})
    return rows


def _ranks_after(
    round_: Round, entries: Sequence[Entry], verdicts: dict[int, RoundVerdict], limits: Sequence[Limit]
) -> dict[int, int | None]:
    """The board as it would be, with those entries on it that would count then."""
    after = [_as_scored(entry, verdicts[entry.pk], limits) for entry in entries]
    results = [queries.result_of(entry, True) for entry in official_among(round_, after).values()]
    return {place.result.key: place.rank for place in rank(results, find_ranking(round_.ranking))}


def _as_scored(entry: Entry, verdict: RoundVerdict, limits: Sequence[Limit]) -> Entry:
    found = copy.copy(entry)
    found.state, found.utility = _state(verdict), verdict.score
    found.measures = entry.measures | _limited_values(entry, limits)
    return found


def _limited_values(entry: Entry, limits: Sequence[Limit]) -> dict[str, float]:
    values = _values(entry)
    return {limit.measure: values[limit.measure] for limit in limits if limit.measure in values}


def _state(verdict: RoundVerdict) -> str:
    return Entry.State.VALID.value if verdict.valid else Entry.State.INVALID.value


def _because(verdict: RoundVerdict) -> list[dict[str, Any]]:
    return [reason.as_data() for reason in verdict.because]


def _apply(entry: Entry, limits: Sequence[Limit]) -> bool:
    verdict = _verdict(entry, limits)
    state = _state(verdict)
    values = _limited_values(entry, limits)
    # Compared in words: version 0.1 stored the sentences.
    before = (entry.state, entry.utility, [english(reason) for reason in entry.because], entry.measures)
    if before == (state, verdict.score, [*map(str, verdict.because)], entry.measures | values):
        return False
    changes: dict[str, Any] = {"state": state, "utility": verdict.score, "because": _because(verdict)}
    changes["measures"] = entry.measures | values
    if not verdict.valid:
        changes |= {"is_official": False, "is_pinned": False}
    Entry.objects.filter(pk=entry.pk).update(**changes)
    return True
