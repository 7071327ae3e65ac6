"""Trying another version of a round's game on all entries and answers; nothing that is live changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, BinaryIO, cast

from contest.board.official import official_among
from contest.files.storage import submitted
from contest.jobs.queue import JUDGING, READING_TABLES, Claim
from contest.models import Attack, AttackRun, Entry, Round, Trial
from contest.play.boxes import MemoryBox
from contest.play.counting import boards_among, entries_of, runs_of
from contest.play.evidence import keep_evidence
from contest.play.pictures import illustrated_entry
from contest.play.table import Table
from contest.play.uploads import answer_files, upload_box
from contest.services import trials
from contest.services.entries import BROKEN_LIMIT
from contest.work.game_attacks import Shown, judge, seat_of, seek_results
from contest.work.game_entries import judged_target, measured, scores_of
from games.contract.values import Result


def try_version(claim: Claim) -> None:
    related = ("game", "game_before", "round__contest", "round__dataset", "round__game")
    trial = Trial.objects.select_related(*related).get(pk=claim.job.payload["trial"])
    if trial.state != Trial.State.RUNNING:
        with claim.finish():
            return
    table = Table(trial.round, trial.game)
    claim.report(5, READING_TABLES())
    entries = [_tried_entry(table, entry) for entry in trials.tried_entries(trial.round)]
    claim.report(40, JUDGING())
    runs = list(_tried_runs(table, trials.tried_runs(trial.round)))
    claim.report(90, JUDGING())
    now, results = entries_of(trial.round), runs_of(trial.round)
    before = boards_among(Table(trial.round), now, results)
    after = boards_among(table, _as_tried(trial.round, now, entries), _judged(results, runs))
    trials.record_trial(claim, trial, trials.Tried(entries, runs, before, after))


def _tried_entry(table: Table, entry: Entry) -> dict[str, Any]:
    target = judged_target(table, entry)
    figures, verdict = measured(table, target)
    because = [BROKEN_LIMIT(name=name).as_data() for name in verdict.because]
    after = {
        "state": (Entry.State.INVALID if because else Entry.State.VALID).value,
        "utility": verdict.utility,
        "measures": figures,
        "parts": dict(verdict.parts),
        "because": because,
    }
    scores = [
        {"measure": score.measure, "version": score.version, "game": score.game, "value": score.value}
        for score in scores_of(table, entry, figures)
    ]
    about = {"entry": entry.pk, "team": entry.team_id, "name": str(entry)}
    pictures = illustrated_entry(table, target).as_data()
    before = trials.facts_of_entry(entry)
    return {**about, "before": before, "after": after, "scores": scores, "pictures": pictures}


def _tried_runs(table: Table, runs: Sequence[AttackRun]) -> Iterator[dict[str, Any]]:
    """The house attacks once more, by the new version; teams' answers are judged as they were sent."""
    for run in runs:
        run.entry.round = table.round
    for attack, group in groupby(runs, key=lambda run: run.attack):
        own = list(group)
        results = GIVEN[Attack.Kind(attack.kind)](table, attack, own)
        for run in own:
            yield _tried_run(run, results[run.pk])


def _house_results(table: Table, attack: Attack, runs: Sequence[AttackRun]) -> dict[int, Shown]:
    found: dict[int, Shown] = {}
    for entry, group in groupby(sorted(runs, key=lambda run: run.entry_id), key=lambda run: run.entry):
        by_challenge = dict(seek_results(table, attack.name, entry))
        found |= {run.pk: by_challenge[run.challenge] for run in group}
    return found


def _answer_results(table: Table, attack: Attack, runs: Sequence[AttackRun]) -> dict[int, Shown]:
    entries = {run.entry_id: run.entry for run in runs}
    pairs = [(run.entry.key, run.challenge) for run in runs]
    judged = judge(table, pairs, entries.values(), seat_of(table, attack), _answer(table, attack))
    return {run.pk: result for run, result in zip(runs, judged, strict=True)}


def _program_results(table: Table, attack: Attack, runs: Sequence[AttackRun]) -> dict[int, Shown]:
    """What programs wrote is stored by target; they do not run again."""
    seat = seat_of(table, attack)
    found = {}
    for run in runs:
        box = _box(table, run.answer_sha256, [run.entry.key])
        (found[run.pk],) = judge(table, [(run.entry.key, run.challenge)], [run.entry], seat, box)
    return found


GIVEN: dict[Attack.Kind, Callable[[Table, Attack, Sequence[AttackRun]], dict[int, Shown]]] = {
    Attack.Kind.HOUSE: _house_results,
    Attack.Kind.GUESS: _answer_results,
    Attack.Kind.PROGRAM: _program_results,
}


def _answer(table: Table, attack: Attack) -> MemoryBox:
    """The files of an answer. Its targets were official then; they need not be today."""
    keys = Entry.objects.filter(round=table.round).exclude(key="").order_by("pk")
    return _box(table, attack.upload_sha256, list(keys.values_list("key", flat=True)))


def _box(table: Table, sha256: str, keys: Sequence[str]) -> MemoryBox:
    with submitted.open(sha256) as file:
        return upload_box(cast(BinaryIO, file), answer_files(table.declared, keys))


def _tried_run(run: AttackRun, shown: Shown) -> dict[str, Any]:
    result, pictures = shown
    about = {
        "run": run.pk,
        "attack": run.attack.label,
        "target": run.entry_id,
        "name": str(run.entry),
        "challenge": run.challenge,
    }
    return {
        **about,
        "before": trials.facts_of_run(run),
        "after": facts_of_result(result),
        "evidence": keep_evidence(result),
        "pictures": pictures.as_data(),
    }


def facts_of_result(result: Result) -> dict[str, Any]:
    """What the judge says, as rows hold it."""
    low, high = result.interval or (None, None)
    numbers = {name: None if value is None else float(value) for name, value in result.numbers.items()}
    after = {"risk": result.risk, "low": low, "high": high, "baseline": result.baseline, "numbers": numbers}
    return {name: None if one is None else _plain(one) for name, one in after.items()}


def _plain(value: Any) -> Any:
    return value if isinstance(value, Mapping) else float(value)


def _as_tried(round_: Round, entries: Sequence[Entry], tried: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """The entries as the new version has them, with those official that then would be."""
    after = {row["entry"]: row["after"] for row in tried}
    found = [copy.copy(entry) for entry in entries]
    for entry in found:
        for name, value in after.get(entry.pk, {}).items():
            setattr(entry, name, value)
    chosen = {entry.pk for entry in official_among(round_, found).values()}
    for entry in found:
        if not entry.is_brought:
            entry.is_official = entry.pk in chosen
    return found


def _judged(runs: Sequence[AttackRun], tried: Sequence[Mapping[str, Any]]) -> list[AttackRun]:
    """The results as the new version has them."""
    after = {row["run"]: {**row["after"], "evidence_sha256": row["evidence"]} for row in tried}
    found = [copy.copy(run) for run in runs]
    for run in found:
        for name, value in after.get(run.pk, {}).items():
            setattr(run, name, value)
    return found
