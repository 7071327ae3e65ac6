"""Attacking entries: a guess from public files, which the judge compares with the truth."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings

from attacks.sandbox import Limits, SandboxResult
from attacks.sandbox import run_program as run_in_sandbox
from contest.files import vault
from contest.files.storage import submitted
from contest.jobs.queue import IN_SANDBOX, JUDGING, READING_TABLES, Claim
from contest.models import Attack, AttackRun
from contest.services import attacks, team_attacks
from contest.services.datasets import copy_files, load_original, load_released
from contest.services.guess_checks import game_of
from contest.work import game_programs
from datasets.problems import Verdict
from games.formats.attacks import run_attack as make_guess
from games.formats.guessing import Game, Outcome, Target

HIDDEN_OF_GAMES = tuple(
    f"entry__round__game__{name}" for name in ("zip_sha256", "log", "findings", "uploaded_by")
)
"""Columns of a game that attack machines do not need."""


def _run(claim: Claim) -> AttackRun:
    rounds = ("contest", "dataset", "game")
    related = ("attack__team", "entry__team", *(f"entry__round__{name}" for name in rounds))
    # The role of attack machines may not even know the names of files in the vault.
    hidden = ("found_rows", "evidence_sha256", "entry__upload_sha256", *HIDDEN_OF_GAMES)
    run = AttackRun.objects.select_related(*related).defer(*hidden).get(jobs=claim.job)
    attacks.begin_run(run)
    return run


def attack(claim: Claim) -> None:
    run = _run(claim)
    entry = run.entry
    claim.report(5, READING_TABLES())
    original, released = load_original(entry.round.dataset), load_released(entry)
    claim.report(20, run.attack.name)
    start = time.monotonic()
    guess = make_guess(run.attack.name, original, released, entry.round.seed)
    seconds = time.monotonic() - start
    if settings.ROLE == "attacks":
        # The truth is not on this machine: the guess is stored, and a judge elsewhere is queued.
        team_attacks.store_guess(claim, run, game_of(entry)[0].as_bytes(guess), "", seconds)
        return
    claim.report(90, JUDGING())
    _record(claim, run, guess, seconds)


def checked_guess(run: AttackRun, game: Game, target: Target) -> tuple[Any, Verdict]:
    """The guess that a team sent, read and checked; nothing where it cannot be read."""
    with submitted.open(run.answer_sha256) as file:
        return game.check(cast(BinaryIO, file), target)


def _record(claim: Claim, run: AttackRun, guess: Any, seconds: float | None) -> None:
    """The judge's part: the only place where a guess and the truth meet."""
    game, target = game_of(run.entry)
    outcome = game.judge(guess, target, vault.truth_of(run.entry))
    attacks.record_judgement(claim, run, outcome, seconds=seconds)


def judge_again(run: AttackRun) -> Outcome:
    """Judge an attack as a worker does, a house attack from a newly made guess; nothing is written."""
    entry = run.entry
    game, target = game_of(entry)
    if run.attack.kind == Attack.Kind.HOUSE:
        guess = make_guess(run.attack.name, target.original(), target.released(), entry.round.seed)
    else:
        guess, verdict = checked_guess(run, game, target)
        if guess is None:
            raise ValueError(f"The guess of run {run.pk} cannot be read: {verdict.problems[0]}")
    return game.judge(guess, target, vault.truth_of(entry))


def judge(claim: Claim) -> None:
    run = _run(claim)
    if run.entry.round.game_id is not None:
        game_programs.judge_program(claim, run)
        return
    game, target = game_of(run.entry)
    if run.attack.kind == Attack.Kind.HOUSE:
        with submitted.open(run.answer_sha256) as file:
            _record(claim, run, game.from_bytes(file.read()), run.seconds)
        return
    guess, verdict = checked_guess(run, game, target)
    if guess is None:
        problems = "\n".join(str(problem) for problem in verdict.problems[:20])
        reason = attacks.UNREADABLE_GUESS(problem=verdict.problems[0].message)
        attacks.refuse_run(claim, run, reason, log=f"{run.log}\n{problems}".strip())
        return
    _record(claim, run, guess, run.seconds)


def run_program_job(claim: Claim) -> None:
    run = _run(claim)
    earlier = team_attacks.earlier_answer(run)
    if earlier is not None:
        with submitted.open(earlier.answer_sha256) as file:
            team_attacks.store_guess(claim, run, file.read(), earlier.log, earlier.seconds or 0.0)
        return
    if run.entry.round.game_id is not None:
        game_programs.run_program(claim, run)
        return
    claim.report(10, IN_SANDBOX())
    result = _execute(run)
    if result.status == "refused":
        attacks.fail_run(claim, run, result.reason)
    elif result.output is None:
        attacks.refuse_run(claim, run, result.reason, log=result.log, seconds=result.wall_seconds)
    else:
        team_attacks.store_guess(claim, run, result.output, result.log, result.wall_seconds)


def _execute(run: AttackRun) -> SandboxResult:
    """Run the program once, on copies of the public files of the two folders that it may see."""
    round_, dataset = run.entry.round, run.entry.round.dataset
    limits = Limits(cpu_seconds=round_.program_seconds, memory_bytes=round_.program_megabytes * 1024 * 1024)
    inputs = {"original": dataset.files, "entry": run.entry.published}
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
