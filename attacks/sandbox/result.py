"""What came of a run, with the sentence that the team reads."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace

from attacks.sandbox.launch import Report, read_report
from attacks.sandbox.limits import Limits, size_text
from attacks.sandbox.usage import Usage
from attacks.sandbox.watch import Observation

STATUSES = {
    "done": "The program finished and wrote a result.",
    "no-output": "The program finished without a result file.",
    "output-too-large": "The result is larger than the limit.",
    "crashed": "The program ended with an error.",
    "timed-out": "The program took longer than the limit of wall time.",
    "cpu-exceeded": "The program used more CPU time than the limit.",
    "memory-exceeded": "The program used more memory than the limit.",
    "too-many-processes": "The program ended because it could not start more processes.",
    "killed": "The program was ended from outside or by itself with a signal.",
    "invalid-program": "The upload is no program that can be run.",
    "refused": "The platform did not run the program, because it cannot isolate it.",
}
"""Every status and its meaning. ``refused`` is the platform's fault, all others the program's doing."""

OUT_OF_MEMORY = ("MemoryError", "Unable to allocate", "Cannot allocate memory", "bad_alloc", "out of memory")
OUT_OF_TASKS = ("Resource temporarily unavailable", "can't start new thread", "Cannot fork")
OUT_OF_DISK = ("No space left on device", "File too large")
OWN_TASKS = 4
"""The sandbox's own processes in the tree that is watched: bwrap twice, the limiter, the reporter."""


@dataclass(frozen=True)
class SandboxResult:
    """Result of one run. ``output`` is there only if it is "done", and is as untrusted as an upload."""

    status: str
    reason: str
    exit_code: int | None = None
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    log: str = ""
    output: bytes | None = None

    @property
    def ok(self) -> bool:
        return self.status == "done"


class SandboxFault(Exception):
    """The sandbox broke before the program began: the platform's fault, worth another try."""


def conclude(seen: Observation, limits: Limits) -> SandboxResult:
    """Turn what was seen into a status and a sentence, or raise `SandboxFault`."""
    report = read_report(seen.report)
    if not report.started:
        raise SandboxFault(
            f"The sandbox did not start (exit code {seen.exit_code}): {seen.log.strip()[-500:]}"
        )
    # What a run used since the last look is known only to the shell that waited for it.
    seen = replace(seen, usage=seen.usage.after(Usage(report.cpu_seconds)))
    exit_code = report.exit_code if report.exit_code is not None else seen.exit_code
    status, reason = _stopped(seen, limits) or _ended(seen, report, exit_code, limits)
    return SandboxResult(
        status=status,
        reason=reason,
        exit_code=None if seen.stopped else exit_code,
        wall_seconds=seen.wall_seconds,
        cpu_seconds=seen.usage.cpu_seconds,
        peak_memory=seen.usage.memory_bytes,
        log=seen.log,
        output=report.content if status == "done" else None,
    )


def _stopped(seen: Observation, limits: Limits) -> tuple[str, str] | None:
    """For what the platform itself ended the run, if it did."""
    log_size = size_text(limits.log_bytes)
    reasons = {
        "wall": (
            "timed-out",
            f"The program was stopped after {limits.wall_seconds:g} s, the limit of wall time of a run.",
        ),
        "cpu": _cpu_exceeded(limits),
        "memory": _memory_exceeded(limits),
        "files": (
            "killed",
            f"The program was stopped because it made more than {limits.files:,} files in a private folder.",
        ),
        "log": (
            "killed",
            f"The program was stopped because it wrote without end to its log, of which {log_size} are kept.",
        ),
    }
    return reasons[seen.stopped] if seen.stopped else None


def _ended(seen: Observation, report: Report, exit_code: int, limits: Limits) -> tuple[str, str]:
    """What happened where the run came to its own end."""
    if report.size > limits.output_bytes or len(report.content) > limits.output_bytes:
        return "output-too-large", (
            f"The result is larger than {size_text(limits.output_bytes)}, the limit of a result file."
            " A Q has one row number a line, one line a row of M′."
        )
    if exit_code != 0:
        return _failed(seen, exit_code, limits)
    if report.content:
        memory = size_text(seen.usage.memory_bytes)
        took = f"{seen.wall_seconds:.1f} s ({seen.usage.cpu_seconds:.1f} s of CPU time, {memory} of memory)"
        return (
            "done",
            f"The program finished in {took} and wrote a result of {size_text(len(report.content))}.",
        )
    found = {
        "link": "a link instead of a plain file",
        "other": "a folder, a pipe or a device instead of a plain file",
        "file": "an empty file",
        "missing": "nothing, and the run's own report was destroyed",
    }.get(report.kind, "nothing")
    return "no-output", (
        "The program finished without a result: expected a plain file at OUT_FILE, the third argument;"
        f" found {found}."
    )


def _failed(seen: Observation, exit_code: int, limits: Limits) -> tuple[str, str]:
    signal_number = exit_code - 128 if exit_code > 128 else -exit_code if exit_code < 0 else 0
    used_up = seen.usage.cpu_seconds >= limits.cpu_seconds * 0.9
    if signal_number == signal.SIGXCPU or (signal_number == signal.SIGKILL and used_up):
        return _cpu_exceeded(limits)
    last_lines = seen.log[-2000:]
    if any(word in last_lines for word in OUT_OF_MEMORY):
        return _memory_exceeded(limits)
    if any(word in last_lines for word in OUT_OF_TASKS) or seen.usage.tasks >= limits.processes + OWN_TASKS:
        return "too-many-processes", (
            f"The program ended with an error (exit code {exit_code}) after it tried to run more than"
            f" {limits.processes} processes and threads at once, the limit of a run."
        )
    if signal_number:
        return (
            "killed",
            f"The program was ended by signal {signal_number}. The log shows what it wrote before.",
        )
    sentence = f"The program ended with an error (exit code {exit_code}). The log shows what it wrote."
    if any(word in last_lines for word in OUT_OF_DISK):
        sentence += (
            f" Its private disk space is {size_text(limits.scratch_bytes)} and {limits.files:,} files."
        )
    return "crashed", sentence


def _cpu_exceeded(limits: Limits) -> tuple[str, str]:
    return "cpu-exceeded", (
        f"The program was stopped after {limits.cpu_seconds} s of CPU time, the limit of a run,"
        " counted over all its processes."
    )


def _memory_exceeded(limits: Limits) -> tuple[str, str]:
    return "memory-exceeded", (
        f"The program needed more than {size_text(limits.memory_bytes)} of memory, the limit of a run,"
        " counted over all its processes."
    )
