"""Celery tasks that attack entries: a guess from public files, which the judge compares with the truth."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from celery import shared_task
from django.conf import settings

from attacks.games import Game, Outcome, Target, find_game
from attacks.registry import run_attack as make_guess
from attacks.sandbox import Limits, SandboxResult
from attacks.sandbox import run_program as run_in_sandbox
from attacks.signals import search
from contest import vault
from contest.models import Attack, AttackRun, Entry, Job, Round, Signal
from contest.services import attacks, offence, signals
from contest.services.datasets import copy_files, load_original, load_released
from contest.services.jobs import Claim, perform_next
from contest.storage import submitted


@shared_task(name="attacks.tasks.run_attack")
def run_attack(job_id: int) -> None:
    perform_next(Job.Kind.ATTACK, _attack)


@shared_task(name="attacks.tasks.run_program")
def run_program(job_id: int) -> None:
    perform_next(Job.Kind.PROGRAM, _program)


@shared_task(name="attacks.tasks.judge_guess")
def judge_guess(job_id: int) -> None:
    perform_next(Job.Kind.JUDGE, _judge)


def _run(claim: Claim) -> AttackRun:
    related = ("attack__team", "entry__team", "entry__round__contest", "entry__round__dataset")
    # The role of attack machines may not even know by which names the vault keeps things.
    hidden = ("found_customers", "entry__truth_sha256", "entry__upload_sha256")
    run = AttackRun.objects.select_related(*related).defer(*hidden).get(jobs=claim.job)
    attacks.begin_run(run)
    return run


def _attack(claim: Claim) -> None:
    run = _run(claim)
    entry = run.entry
    claim.report(5, "reading the tables")
    original, released = load_original(entry.round.dataset), load_released(entry)
    claim.report(20, run.attack.name)
    start = time.monotonic()
    guess = make_guess(run.attack.name, original, released, entry.round.seed)
    seconds = time.monotonic() - start
    if settings.ROLE == "attacks":
        # The truth is not on this machine: the guess is kept, and a judge elsewhere is called.
        offence.store_guess(claim, run, _game(entry)[0].as_bytes(guess), "", seconds)
        return
    claim.report(90, "judging")
    _record(claim, run, guess, seconds)


def _game(entry: Entry) -> tuple[Game, Target]:
    dataset = entry.round.dataset
    target = Target(
        n_original=dataset.n_customers,
        n_released=entry.n_released or 0,
        original=lambda: load_original(dataset),
        released=lambda: load_released(entry),
    )
    return find_game(dataset.format), target


def _record(claim: Claim, run: AttackRun, guess: Any, seconds: float | None) -> None:
    """The judge's part: the only place where a guess and the truth meet."""
    game, target = _game(run.entry)
    outcome = game.judge(guess, target, vault.truth_of(run.entry))
    attacks.record_judgement(claim, run, outcome, seconds=seconds)


def judge_again(run: AttackRun) -> Outcome:
    """Judge an attack as a worker does, a house attack from a guess made anew; nothing is written."""
    entry = run.entry
    game, target = _game(entry)
    if run.attack.kind == Attack.Kind.HOUSE:
        guess = make_guess(run.attack.name, target.original(), target.released(), entry.round.seed)
    else:
        with submitted.open(run.guess_sha256) as file:
            guess, verdict = game.check(cast(BinaryIO, file), target)
        if guess is None:
            raise ValueError(f"The guess of run {run.pk} cannot be read: {verdict.problems[0]}")
    return game.judge(guess, target, vault.truth_of(entry))


def _judge(claim: Claim) -> None:
    run = _run(claim)
    game, target = _game(run.entry)
    if run.attack.kind == Attack.Kind.HOUSE:
        with submitted.open(run.guess_sha256) as file:
            _record(claim, run, game.from_bytes(file.read()), run.seconds)
        return
    with submitted.open(run.guess_sha256) as file:
        guess, verdict = game.check(cast(BinaryIO, file), target)
    if guess is None:
        problems = "\n".join(str(problem) for problem in verdict.problems[:20])
        first = str(verdict.problems[0])
        attacks.refuse_run(
            claim, run, f"The guess cannot be read. {first}", log=f"{run.log}\n{problems}".strip()
        )
        return
    _record(claim, run, guess, run.seconds)


def _program(claim: Claim) -> None:
    run = _run(claim)
    earlier = offence.earlier_answer(run)
    if earlier is not None:
        with submitted.open(earlier.guess_sha256) as file:
            offence.store_guess(claim, run, file.read(), earlier.log, earlier.seconds or 0.0)
        return
    claim.report(10, "in the sandbox")
    result = _execute(run)
    if result.status == "refused":
        attacks.fail_run(claim, run, result.reason)
    elif result.output is None:
        attacks.refuse_run(claim, run, result.reason, log=result.log, seconds=result.wall_seconds)
    else:
        offence.store_guess(claim, run, result.output, result.log, result.wall_seconds)


@shared_task(name="attacks.tasks.look_for_signals")
def look_for_signals(job_id: int) -> None:
    perform_next(Job.Kind.SIGNALS, _look)


def _look(claim: Claim) -> None:
    """Compare all official entries and all guesses at them; only the truth tells mistakes from hits."""
    round_ = Round.objects.select_related("contest", "dataset").get(pk=claim.job.payload["round"])
    original = load_original(round_.dataset)
    found: list[Signal] = []
    official = Entry.objects.filter(round=round_, is_official=True).select_related("team", "round__dataset")
    for entry in official.order_by("pk"):
        found += [_signal(round_, it) for it in search.climbers(entry.pk, _histories(entry))]
    entries = {it.pk: it for it in official.filter(team__is_house=False).order_by("pk")}
    for number, entry in enumerate(entries.values()):
        claim.report(80 * number // max(1, len(entries)), entry.team.name)
        truth = vault.truth_of(entry)
        lit = [*search.entries_alone(original, load_released(entry), truth, entry.pk)]
        lit += search.pairs_of_guesses(entry.pk, truth, _guesses_at(entry), partial(_house_guesses, entry))
        found += [_signal(round_, it) for it in lit]
    claim.report(85, "comparing the entries")
    loaders = {key: partial(load_released, entry) for key, entry in entries.items()}
    found += [_signal(round_, it) for it in search.pairs_of_entries(original, loaders)]
    signals.record_signals(claim, round_, found)


def _guesses_at(entry: Entry) -> dict[int, Any]:
    """The newest judged guess of every team at an entry, by attack."""
    return {attack: rows for attack, rows, _ in (history[-1] for history in _histories(entry))}


def _histories(entry: Entry) -> list[list[tuple[int, Any, int]]]:
    """What each team sent at an entry and was judged: attack, rows of the guess and hits, in order."""
    game, target = _game(entry)
    runs = AttackRun.objects.filter(entry=entry, state=AttackRun.State.DONE, attack__is_dry_run=False)
    runs = runs.exclude(attack__kind=Attack.Kind.HOUSE).exclude(guess_sha256="").order_by("attack__pk")
    histories: dict[int | None, list[tuple[int, Any, int]]] = {}
    for run in runs.select_related("attack"):
        with submitted.open(run.guess_sha256) as file:
            guess, _ = game.check(cast(BinaryIO, file), target)
        if guess is not None:
            history = histories.setdefault(run.attack.team_id, [])
            history.append((run.attack_id, guess.rows, run.hits or 0))
    return list(histories.values())


def _house_guesses(entry: Entry) -> list[Any]:
    names = Attack.objects.filter(round=entry.round, kind=Attack.Kind.HOUSE).values_list("name", flat=True)
    original, released = load_original(entry.round.dataset), load_released(entry)
    return [make_guess(name, original, released, entry.round.seed).rows for name in names]


def _signal(round_: Round, lit: search.Lit) -> Signal:
    first, second = lit.attacks or (None, None)
    return Signal(
        round=round_,
        kind=lit.evidence.kind,
        entry_id=lit.entry,
        other_id=lit.other,
        attack_id=first,
        other_attack_id=second,
        strength=lit.evidence.strength,
        threshold=lit.evidence.threshold,
        detail=lit.evidence.detail,
    )


def _execute(run: AttackRun) -> SandboxResult:
    """Run the program once, on copies of the public files of the two folders that it may see."""
    round_, dataset = run.entry.round, run.entry.round.dataset
    limits = Limits(cpu_seconds=round_.program_seconds, memory_bytes=round_.program_megabytes * 1024 * 1024)
    inputs = {"original": dataset.files, "entry": run.entry.files}
    with tempfile.TemporaryDirectory(prefix="kakurenbo-run-") as name:
        folders = {side: Path(name) / side for side in inputs}
        for side, files in inputs.items():
            folders[side].mkdir()
            copy_files(folders[side], tuple(files.items()))
        with submitted.open(run.attack.program_sha256) as file:
            program = file.read()
        return run_in_sandbox(
            program,
            folders,
            limits=limits,
            backend=settings.SANDBOX,
            accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS,
            public={side: tuple(files) for side, files in inputs.items()},
        )
