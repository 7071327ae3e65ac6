"""Answers: one upload of a team to many targets and challenges, which lives like an entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files.storage import Stored
from contest.jobs import queue
from contest.models import Attack, AttackRun, Entry, Job, Round, Team, User
from contest.play.evidence import keep_evidence
from contest.play.pictures import Illustrated
from contest.records import audit
from contest.records.locks import lock_team
from contest.services import team_attacks
from contest.services.attacks import settle_entries
from contest.services.board_versions import bump_board
from contest.services.entries import FILES_REFUSED, RulesChanged
from contest.services.illustrations import illustrate, illustrate_new_runs
from contest.services.seats import require_built, seat_for
from contest.services.teams import require_playing
from datasets.problems import Verdict
from datasets.remarks import Remark
from games.contract.values import Result

Judged = Sequence[tuple[AttackRun, Result, Illustrated]]


def submit_answer(round_: Round, team: Team, user: User, upload: Stored, note: str = "") -> Attack:
    """Accept an answer; it is checked as a whole, and a refused one costs nothing."""
    with transaction.atomic():
        require_built(round_)
        attack = team_attacks.accept(round_, team, user, Attack.Kind.GUESS, note)
        seat_for(round_, team)
        Attack.objects.filter(pk=attack.pk).update(
            upload_sha256=upload.sha256, upload_bytes=upload.size, state=Attack.State.UPLOADED
        )
        attack.refresh_from_db()
        queue.enqueue_job(Job.Kind.ANSWER, attack=attack, owner_id=team.pk)
        bump_board(round_.pk, is_seen=False)
    return attack


def begin_answer(attack: Attack) -> None:
    waiting = (Attack.State.UPLOADED, Attack.State.CHECKING)
    Attack.objects.filter(pk=attack.pk, state__in=waiting).update(state=Attack.State.CHECKING)
    attack.refresh_from_db()


def refuse_answer(claim: queue.Claim, attack: Attack, verdict: Verdict) -> None:
    """The answer breaks the rules: the team learns where, and keeps its attempt."""
    with claim.finish(FILES_REFUSED()):
        _end(
            attack,
            Attack.State.INVALID,
            costs_attempt=False,
            problems=verdict.as_data(),
            problem_total=verdict.total,
            remarks=[remark.as_data() for remark in verdict.remarks],
        )


def record_answer(
    claim: queue.Claim,
    attack: Attack,
    results: Sequence[tuple[Entry, str, Result, Illustrated]],
    remarks: Iterable[Remark] = (),
) -> None:
    """Write every cell that an answer fills, with its pictures, at once."""
    kept = [(entry, challenge, result, keep_evidence(result)) for entry, challenge, result, _made in results]
    with claim.finish():
        assert attack.team_id is not None
        lock_team(attack.team_id)
        _require_same_game(attack.round)
        runs = AttackRun.objects.bulk_create(
            AttackRun(attack=attack, entry=entry, challenge=challenge, **_judged(result, evidence))
            for entry, challenge, result, evidence in kept
        )
        illustrate_new_runs((run.pk, made) for run, (*_, made) in zip(runs, results, strict=True))
        _end(attack, Attack.State.JUDGED, remarks=[remark.as_data() for remark in remarks])
        settle_entries(attack.round_id, {entry.pk for entry, *_ in kept})


def _end(attack: Attack, state: Attack.State, **changes: Any) -> None:
    changed = Attack.objects.filter(pk=attack.pk, state=Attack.State.CHECKING).update(
        state=state, finished_at=timezone.now(), **changes
    )
    if changed:
        audit.record(
            "attack.state",
            attack,
            contest=attack.round.contest,
            before={"state": Attack.State.CHECKING},
            after={"state": state},
        )
        bump_board(attack.round_id, is_seen=False)


def record_results(claim: queue.Claim, judged: Judged, seconds: float) -> None:
    """Write what one house attack achieved against one entry, in all challenges that it answers."""
    kept = [(run, result, made, keep_evidence(result)) for run, result, made in judged]
    with claim.finish():
        lock_team(kept[0][0].entry.team_id)
        _require_same_game(kept[0][0].entry.round)
        for run, result, made, evidence in kept:
            waiting = AttackRun.objects.filter(pk=run.pk).exclude(state=AttackRun.State.DONE)
            if waiting.update(seconds=seconds, **_judged(result, evidence)):
                illustrate(made, run=run.pk)
            after = {"challenge": run.challenge, "risk": result.risk}
            audit.record("attack_run.done", run, contest=run.entry.round.contest, after=after)
        settle_entries(kept[0][0].entry.round_id, {run.entry_id for run, *_ in kept})


def _require_same_game(round_: Round) -> None:
    """What another version of the game has judged meanwhile is not written. With all teams locked, versions
    change; the caller holds one of these locks."""
    now = Round.objects.only("game", "params", "ranking").get(pk=round_.pk)
    if (now.game_id, now.params, now.ranking) != (round_.game_id, round_.params, round_.ranking):
        raise RulesChanged("The game was changed while this was judged; it is judged again.")


def _judged(result: Result, evidence: str) -> dict[str, Any]:
    """The columns of a run that was judged."""
    low, high = result.interval or (None, None)
    return {
        "state": AttackRun.State.DONE,
        "risk": result.risk,
        "low": low,
        "high": high,
        "baseline": result.baseline,
        "numbers": {name: _number(value) for name, value in result.numbers.items()},
        "evidence_sha256": evidence,
        "finished_at": timezone.now(),
    }


def _number(value: float | None) -> float | None:
    """A number as JSON has it."""
    return None if value is None else float(value)


def pin_answer(attack: Attack, user: User) -> None:
    """Let an answer count instead of the latest one, until another is pinned."""
    with transaction.atomic():
        assert attack.team is not None
        require_playing(lock_team(attack.team.pk))
        attack.refresh_from_db()
        if attack.round.tallied_at is not None:
            raise Refused("tallied", _("The round is counted; the choice cannot be changed now."))
        if attack.state != Attack.State.JUDGED:
            raise Refused("not-valid", _("Only a judged answer can be pinned."))
        Attack.objects.filter(round=attack.round, team=attack.team, is_pinned=True).update(is_pinned=False)
        Attack.objects.filter(pk=attack.pk).update(is_pinned=True)
        audit.record("attack.pinned", attack, contest=attack.round.contest, actor=user)
        bump_board(attack.round_id, is_seen=False)


def fail_answer(attack_id: int) -> None:
    """We could not judge it: our fault costs a team nothing."""
    attack = Attack.objects.select_related("round__contest").get(pk=attack_id)
    if attack.state in Attack.FINAL:
        return
    Attack.objects.filter(pk=attack_id).update(
        state=Attack.State.FAILED, costs_attempt=False, finished_at=timezone.now()
    )
    audit.record("attack.failed", attack, contest=attack.round.contest, before={"state": attack.state})
    bump_board(attack.round_id, is_seen=False)
