"""Running programs of teams against the targets of a game, on machines without secrets; and judging them."""

from __future__ import annotations

import io
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings

from attacks.sandbox import Program, SandboxResult, read_program, run_files
from contest.files.storage import submitted
from contest.jobs.queue import IN_SANDBOX, JUDGING, Claim
from contest.models import AttackRun, Entry, Round
from contest.play.programs import hides_logs, target_facts, task_facts
from contest.play.table import Table
from contest.play.uploads import answer_files, entry_files, most_bytes, upload_box
from contest.services import answers, attacks, entries, hiders, team_attacks
from contest.services.datasets import copy_files
from contest.work.game_attacks import judge, seat_of
from datasets.archive import ArchiveError
from datasets.problems import Verdict
from datasets.zip_writer import zipped
from games.checks import check_answer
from games.contract.boxes import write_files
from games.programs import (
    HIDER,
    HIDER_INPUTS,
    SEEKER_INPUTS,
    STARTER,
    TARGET_FACTS,
    TASK_FACTS,
    files_of,
    started,
)

HIDDEN = tuple(f"round__game__{name}" for name in ("zip_sha256", "log", "findings", "uploaded_by"))
"""Columns of a game that attack machines do not need."""


def run_program(claim: Claim, run: AttackRun) -> None:
    """Run the program once on one target; what it writes is stored for the judge."""
    table = Table(run.entry.round)
    claim.report(10, IN_SANDBOX())
    round_ = run.entry.round
    with submitted.open(run.attack.program_sha256) as file:
        program = read_program(file.read())
    with tempfile.TemporaryDirectory(prefix="kakurenbo-run-") as name:
        place = Path(name)
        folders = _folders(place, SEEKER_INPUTS)
        _copy(folders["round"], round_.dataset.files)
        _copy(folders["target"], run.entry.published)
        (folders["target"] / TARGET_FACTS).write_bytes(target_facts(run.entry))
        _unpack(place, run.attack.upload_sha256)
        result = _started(program, folders, round_, team_attacks.MAX_GUESS_BYTES)
    log = "" if hides_logs(table, "publish") else result.log
    files = None if result.output is None else files_of(result.output, team_attacks.MAX_GUESS_BYTES)
    if result.status == "refused":
        attacks.fail_run(claim, run, result.reason)
    elif files is None:
        reason = team_attacks.NO_FILES() if result.output is not None else result.reason
        attacks.refuse_run(claim, run, reason, log=log, seconds=result.wall_seconds)
    else:
        team_attacks.store_guess(claim, run, zipped(files), log, result.wall_seconds)


def _folders(place: Path, names: Sequence[str]) -> dict[str, Path]:
    folders = {name: place / name for name in names}
    for folder in folders.values():
        folder.mkdir()
    return folders


def _copy(folder: Path, files: Mapping[str, str]) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
    copy_files(folder, tuple(files.items()))


def _unpack(place: Path, sha256: str) -> None:
    """What was stored with the program; we packed it ourselves."""
    if sha256:
        with submitted.open(sha256) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            write_files(place, {name: archive.read(name) for name in archive.namelist()})


def _started(
    program: Program, folders: Mapping[str, Path], round_: Round, output_bytes: int
) -> SandboxResult:
    limits = {
        "cpu_seconds": round_.program_seconds,
        "memory_bytes": round_.program_megabytes * 1024 * 1024,
        "output_bytes": output_bytes,
    }
    return run_files(
        started(program.files, program.entry),
        STARTER,
        folders,
        limits,
        backend=settings.SANDBOX,
        accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS,
    )


def hide(claim: Claim) -> None:
    """Run a hider on the data that its entry is made from; what it writes is checked like any upload."""
    rounds = ("contest", "dataset", "game")
    related = ("team", *(f"round__{name}" for name in rounds))
    # The role of attack machines may not even know the names of files in the vault.
    entry = Entry.objects.select_related(*related).defer("upload_sha256", *HIDDEN).get(jobs=claim.job)
    table = Table(entry.round)
    claim.report(10, IN_SANDBOX())
    with submitted.open(entry.program_sha256) as file:
        program = read_program(file.read(), HIDER)
    most = most_bytes(entry_files(table.declared, entry.slot))
    with tempfile.TemporaryDirectory(prefix="kakurenbo-run-") as name:
        place = Path(name)
        folders = _folders(place, HIDER_INPUTS)
        _copy(folders["round"], entry.round.dataset.files)
        (folders["task"] / TASK_FACTS).write_bytes(task_facts(table, entry))
        _unpack(place, entry.inputs_sha256)
        result = _started(program, folders, entry.round, most)
    if result.status == "refused":
        raise RuntimeError(str(result.reason))
    files = None if result.output is None else files_of(result.output, most)
    reason = entries.NO_ENTRY() if files is None and result.output is not None else result.reason
    log = "" if hides_logs(table, "open") else result.log
    made = None if files is None else submitted.put(io.BytesIO(zipped(files)))
    hiders.record_made(claim, entry, made, "" if made else reason, log)


def judge_program(claim: Claim, run: AttackRun) -> None:
    """Judge what a program wrote about one target in one challenge."""
    start = time.monotonic()
    table = Table(run.entry.round)
    claim.report(20, JUDGING())
    try:
        with submitted.open(run.answer_sha256) as file:
            box = upload_box(cast(BinaryIO, file), answer_files(table.declared, [run.entry.key]))
    except ArchiveError as error:
        _refuse(claim, run, error.verdict)
        return
    seat = seat_of(table, run.attack, "team")
    world, target = table.world(secret=False), table.target(run.entry)
    found = check_answer(table.game, world, seat, box, [target], table.lookup(seat))
    if not found.verdict.ok:
        _refuse(claim, run, found.verdict)
        return
    pairs = [pair for pair in found.pairs if pair[1] == run.challenge]
    if not pairs:
        attacks.refuse_run(claim, run, team_attacks.NOT_ANSWERED(), log=run.log, seconds=run.seconds)
        return
    ((result, made),) = judge(table, pairs, [run.entry], seat_of(table, run.attack), box)
    answers.record_results(claim, [(run, result, made)], run.seconds or time.monotonic() - start)


def _refuse(claim: Claim, run: AttackRun, verdict: Verdict) -> None:
    reason = attacks.UNREADABLE_GUESS(problem=verdict.problems[0].message)
    attacks.refuse_run(claim, run, reason, log=run.log, seconds=run.seconds)
