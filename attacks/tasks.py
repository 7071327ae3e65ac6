"""Celery tasks that attack entries: a guess from public files, which the judge compares with the truth."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from celery import shared_task
from django.conf import settings

from attacks.attack import Guess
from attacks.evaluate import Judgement, judge
from attacks.guess_file import as_bytes, from_bytes
from attacks.registry import run_attack as make_guess
from attacks.sandbox import Limits, SandboxResult
from attacks.sandbox import run_program as run_in_sandbox
from contest import vault
from contest.models import Attack, AttackRun, Job
from contest.services import attacks, offence
from contest.services.datasets import load_tables
from contest.services.jobs import Claim, perform_next
from contest.storage import published, submitted
from datasets.check import check_guess


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
    entry, dataset = run.entry, run.entry.round.dataset
    claim.report(5, "reading the tables")
    original = load_tables(dataset.master_sha256, dataset.transactions_sha256)
    released = load_tables(entry.master_sha256, entry.transactions_sha256)
    claim.report(20, run.attack.name)
    start = time.monotonic()
    guess = make_guess(run.attack.name, original, released, entry.round.seed)
    seconds = time.monotonic() - start
    if settings.ROLE == "attacks":
        # The truth is not on this machine: the guess is kept, and a judge elsewhere is called.
        offence.store_guess(claim, run, as_bytes(guess), "", seconds)
        return
    claim.report(90, "judging")
    _record(claim, run, guess, original.n_customers, seconds)


def _record(claim: Claim, run: AttackRun, guess: Guess, n_original: int, seconds: float | None) -> None:
    """The judge's part: the only place where a guess and the truth meet."""
    truth = vault.truth_of(run.entry)
    found = np.sort(truth[guess.rows == truth]).tolist()
    attacks.record_judgement(claim, run, judge(guess, truth, n_original), found=found, seconds=seconds)


def judge_again(run: AttackRun) -> Judgement:
    """Judge an attack as a worker does, a house attack from a guess made anew; nothing is written."""
    entry, dataset = run.entry, run.entry.round.dataset
    if run.attack.kind == Attack.Kind.HOUSE:
        original = load_tables(dataset.master_sha256, dataset.transactions_sha256)
        released = load_tables(entry.master_sha256, entry.transactions_sha256)
        guess = make_guess(run.attack.name, original, released, entry.round.seed)
    else:
        with submitted.open(run.guess_sha256) as file:
            rows, verdict = check_guess(cast(BinaryIO, file), entry.n_released or 0, dataset.n_customers)
        if rows is None:
            raise ValueError(f"The guess of run {run.pk} cannot be read: {verdict.problems[0]}")
        guess = Guess(rows)
    return judge(guess, vault.truth_of(entry), dataset.n_customers)


def _judge(claim: Claim) -> None:
    run = _run(claim)
    n_original = run.entry.round.dataset.n_customers
    if run.attack.kind == Attack.Kind.HOUSE:
        with submitted.open(run.guess_sha256) as file:
            _record(claim, run, from_bytes(file.read()), n_original, run.seconds)
        return
    with submitted.open(run.guess_sha256) as file:
        rows, verdict = check_guess(cast(BinaryIO, file), run.entry.n_released or 0, n_original)
    if rows is None:
        problems = "\n".join(str(problem) for problem in verdict.problems[:20])
        first = str(verdict.problems[0])
        attacks.refuse_run(
            claim, run, f"The guess cannot be read. {first}", log=f"{run.log}\n{problems}".strip()
        )
        return
    _record(claim, run, Guess(rows), n_original, run.seconds)


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


def _execute(run: AttackRun) -> SandboxResult:
    """Run the program once, on copies of the public files of the two folders that it may see."""
    round_, dataset = run.entry.round, run.entry.round.dataset
    limits = Limits(cpu_seconds=round_.program_seconds, memory_bytes=round_.program_megabytes * 1024 * 1024)
    with tempfile.TemporaryDirectory(prefix="kakurenbo-run-") as folder:
        original = _copy(Path(folder) / "original", dataset.master_sha256, dataset.transactions_sha256)
        entry = _copy(Path(folder) / "entry", run.entry.master_sha256, run.entry.transactions_sha256)
        with submitted.open(run.attack.program_sha256) as file:
            program = file.read()
        return run_in_sandbox(
            program, {"original": original, "entry": entry}, limits=limits, backend=settings.SANDBOX
        )


def _copy(folder: Path, master: str, transactions: str) -> Path:
    folder.mkdir()
    for name, sha256 in (("M.csv", master), ("T.csv", transactions)):
        with published.open(sha256) as source:
            (folder / name).write_bytes(source.read())
    return folder
