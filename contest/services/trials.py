"""Another version of a round's game: tried on everything, shown as a difference, then made live or discarded.

Nothing of the round changes before that. What was measured by the old version stays: a score is a row of its
own for every version. The log holds what every result was before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.jobs import queue
from contest.models import (
    Attack,
    AttackRun,
    Entry,
    GamePackage,
    Job,
    Round,
    Score,
    StoredBoard,
    Team,
    Trial,
    User,
)
from contest.play.packages import declaration_of
from contest.records import audit
from contest.records.locks import lock_play, lock_teams
from contest.services.attacks import settle_entries
from contest.services.board_versions import bump_board
from contest.services.entry_marks import choose_again, count_again, require_reason
from contest.services.game_versions import kept_parameters, require_successor
from contest.services.illustrations import illustrate
from contest.services.tallies import store_boards

Boards = Sequence[Mapping[str, Any]]
ENTRY_FACTS = ("state", "utility", "measures", "parts", "because")
RUN_FACTS = ("risk", "low", "high", "baseline", "numbers")


@dataclass(frozen=True)
class Tried:
    """What a version gives: for each entry and run what it is and would be, scores, and the boards."""

    entries: Sequence[Mapping[str, Any]]
    runs: Sequence[Mapping[str, Any]]
    boards_before: Boards
    boards: Boards


def try_version(round_: Round, user: User, package: GamePackage) -> Trial:
    """Let a worker measure and judge everything by another version of the round's game."""
    if round_.game is None:
        raise Refused("no-game", _("This round is not played by a game."))
    _require_ready(package)
    require_successor(round_, package)
    try:
        with transaction.atomic():
            trial = Trial.objects.create(
                round=round_, game=package, game_before=round_.game, requested_by=user
            )
            audit.record(
                "trial.requested",
                trial,
                contest=round_.contest,
                actor=user,
                before={"game": str(round_.game)},
                after={"game": str(package)},
            )
            payload = {"trial": trial.pk, "round": round_.pk}
            queue.enqueue_job(Job.Kind.TRIAL, payload=payload)
    except IntegrityError:
        raise Refused("trial-open", _("Another version is still to be made live or discarded.")) from None
    return trial


def _require_ready(package: GamePackage) -> None:
    if package.state != GamePackage.State.READY:
        text = _("%(game)s cannot be tried: %(state)s.")
        raise Refused("game-not-ready", text % {"game": package, "state": package.get_state_display()})


def repeat_trial(trial: Trial, user: User) -> None:
    """Try the same version once more, because it failed or the round has changed since."""
    with transaction.atomic():
        again = Trial.objects.filter(pk=trial.pk, state__in=[Trial.State.READY, Trial.State.FAILED])
        if not again.update(state=Trial.State.RUNNING, why_failed="", log=""):
            raise Refused("under-way", _("The version is being tried, or was decided upon already."))
        audit.record("trial.repeated", trial, contest=trial.round.contest, actor=user)
        payload = {"trial": trial.pk, "round": trial.round_id}
        queue.enqueue_job(Job.Kind.TRIAL, payload=payload)


def record_trial(claim: queue.Claim, trial: Trial, tried: Tried) -> None:
    """Store what a version gives, and what of it is different."""
    with claim.finish():
        results = {"entries": list(tried.entries), "runs": list(tried.runs)}
        changed = Trial.objects.filter(pk=trial.pk, state=Trial.State.RUNNING).update(
            state=Trial.State.READY, results=results, differences=differences(tried)
        )
        if changed:
            store_boards(trial.round, trial.game, {StoredBoard.View.TRIAL: tried.boards})


def fail_trial(trial_id: int, reason: Any, log: str) -> None:
    """The version could not be tried; nothing of the round has changed."""
    failed = Trial.objects.filter(pk=trial_id, state=Trial.State.RUNNING)
    if failed.update(state=Trial.State.FAILED, why_failed=reason, log=log[:100_000]):
        trial = Trial.objects.select_related("round__contest").get(pk=trial_id)
        audit.record("trial.failed", trial, contest=trial.round.contest)


def differences(tried: Tried) -> dict[str, Any]:
    """Which entries, results and places would change."""
    return {
        "entries": [_shown(row) for row in tried.entries if row["before"] != row["after"]],
        "runs": [_shown(row) for row in tried.runs if row["before"] != row["after"]],
        "places": list(_moves(tried.boards_before, tried.boards)),
    }


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("scores", "evidence", "pictures")}


def _moves(before: Boards, after: Boards) -> list[dict[str, Any]]:
    """Rows of boards whose place or numbers would change, in the order of the new boards."""
    was = {(board["name"], row["key"]): row for board in before for row in board["rows"]}
    found = []
    for board in after:
        for row in board["rows"]:
            old = was.pop((board["name"], row["key"]), None)
            if old is None or (old["place"], old["values"]) != (row["place"], row["values"]):
                found.append(_move(board["name"], row, old, row))
    return found + [_move(name, row, row, None) for (name, _key), row in was.items()]


def _move(board: str, row: Mapping[str, Any], old: Any, new: Any) -> dict[str, Any]:
    def side(one: Any) -> dict[str, Any]:
        return {"place": one["place"], "values": one["values"]} if one else {"place": None, "values": {}}

    about = {"board": board, "key": row["key"], "kind": row["kind"]}
    return {**about, "before": side(old), "after": side(new)}


def facts_of_entry(entry: Entry) -> dict[str, Any]:
    """What a verdict decides about an entry, as the log and a trial hold it."""
    return {name: getattr(entry, name) for name in ENTRY_FACTS}


def facts_of_run(run: AttackRun) -> dict[str, Any]:
    return {name: getattr(run, name) for name in RUN_FACTS}


def tried_entries(round_: Round) -> list[Entry]:
    """Entries whose files the game accepted: valid ones, and those that broke one of its limits."""
    final = Entry.objects.filter(round=round_, state__in=[Entry.State.VALID, Entry.State.INVALID])
    found = final.exclude(upload_sha256="").select_related("team").order_by("pk")
    return [entry for entry in found if entry.state == Entry.State.VALID or entry.because]


def tried_runs(round_: Round) -> list[AttackRun]:
    """Every result of an attack; a version is asked for each of them again."""
    done = AttackRun.objects.filter(
        attack__round=round_, attack__is_dry_run=False, state=AttackRun.State.DONE
    )
    return list(done.select_related("attack__team", "entry__team").order_by("attack_id", "pk"))


def make_live(trial: Trial, user: User, reason: str) -> None:
    """Play the round by the version that was tried, all of it or nothing; refused where the round has changed
    since."""
    require_reason(reason)
    with transaction.atomic():
        lock_teams(trial.round.contest_id)
        runs = AttackRun.objects.select_for_update(no_key=True, of=("self",))
        list(runs.filter(attack__round=trial.round_id).order_by("pk").values_list("pk", flat=True))
        lock_play(trial.round_id)
        round_ = Round.objects.select_related("contest", "game").get(pk=trial.round_id)
        trial.refresh_from_db()
        if trial.state == Trial.State.RUNNING:
            raise Refused("still-trying", _("A worker is still trying this version."))
        _require_unchanged(round_, trial)
        _decide(trial, user, Trial.State.APPLIED, (Trial.State.READY,), reason)
        _switch(round_, trial)
        _write_results(round_, trial.results)
        count_again(round_, timezone.now(), reason)
        bump_board(round_.pk)
        audit.record(
            "trial.applied",
            trial,
            contest=round_.contest,
            actor=user,
            before={"game": str(trial.game_before)},
            after={"game": str(trial.game), **trial.differences},
            reason=reason,
        )
    trial.refresh_from_db()


def _require_unchanged(round_: Round, trial: Trial) -> None:
    """Everything that counts now was tried, and is as it was then."""
    if round_.game_id != trial.game_before_id:
        raise Refused("changed-meanwhile", _("The round is played by another version of the game by now."))
    require_successor(round_, trial.game)
    entries = {row["entry"]: row["before"] for row in trial.results.get("entries", ())}
    runs = {row["run"]: row["before"] for row in trial.results.get("runs", ())}
    now = {entry.pk: facts_of_entry(entry) for entry in tried_entries(round_)}
    results = {run.pk: facts_of_run(run) for run in tried_runs(round_)}
    if trial.state == Trial.State.READY and (entries != now or runs != results):
        text = _("There are new entries or results since; try the version again.")
        raise Refused("changed-meanwhile", text)


def _switch(round_: Round, trial: Trial) -> None:
    declared = declaration_of(trial.game)
    Round.objects.filter(pk=round_.pk).update(
        game=trial.game,
        params=kept_parameters(declared, round_.params),
        settings_version=F("settings_version") + 1,
    )
    for method in declared.attacks:
        Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE, name=method.name).update(
            version=method.version
        )
    StoredBoard.objects.filter(round=round_, view=StoredBoard.View.TRIAL).delete()


def _write_results(round_: Round, results: Mapping[str, Any]) -> None:
    teams: set[int] = set()
    for row in results["entries"]:
        Score.objects.bulk_create(
            (Score(entry_id=row["entry"], detail={}, **score) for score in row["scores"]),
            ignore_conflicts=True,
        )
        illustrate(row.get("pictures", {}), entry=row["entry"])
        if row["before"] != row["after"]:
            changes = dict(row["after"])
            if changes["state"] == Entry.State.INVALID:
                changes |= {"is_official": False, "is_pinned": False}
            Entry.objects.filter(pk=row["entry"]).update(**changes)
            teams.add(row["team"])
    for row in results["runs"]:
        changes = {**row["after"], "evidence_sha256": row["evidence"]}
        AttackRun.objects.filter(pk=row["run"]).update(**changes)
        illustrate(row.get("pictures", {}), run=row["run"])
    fresh = Round.objects.select_related("contest", "game").get(pk=round_.pk)
    for team in Team.objects.filter(pk__in=teams).order_by("pk"):
        choose_again(fresh, team)
    settle_entries(round_.pk, {row["target"] for row in results["runs"]})


def discard_trial(trial: Trial, user: User) -> None:
    """Leave the round as it is."""
    with transaction.atomic():
        _decide(trial, user, Trial.State.DISCARDED, Trial.OPEN)
        StoredBoard.objects.filter(round=trial.round_id, view=StoredBoard.View.TRIAL).delete()
        audit.record("trial.discarded", trial, contest=trial.round.contest, actor=user)
    trial.refresh_from_db()


def _decide(
    trial: Trial, user: User, state: Trial.State, sources: Sequence[Trial.State], reason: str = ""
) -> None:
    open_ = Trial.objects.filter(pk=trial.pk, state__in=sources)
    decided = {"decided_by": user, "decided_at": timezone.now(), "reason": reason}
    if not open_.update(state=state, **decided):
        raise Refused("already-decided", _("This version was made live or discarded already."))
