"""The outcome of a run, with the sentence that the team reads."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace

from attacks.sandbox.launch import Report, read_report
from attacks.sandbox.limits import Limits, size_text
from attacks.sandbox.usage import Usage
from attacks.sandbox.watch import Observation
from datasets.messages import Message, Template

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

TIMED_OUT = Template(
    "run.timed-out", "The program was stopped after %(seconds)s s, the limit of wall time of a run."
)
CPU_EXCEEDED = Template(
    "run.cpu-exceeded",
    "The program was stopped after %(seconds)s s of CPU time, the limit of a run, counted over all its "
    "processes.",
)
MEMORY_EXCEEDED = Template(
    "run.memory-exceeded",
    "The program needed more than %(size)s of memory, the limit of a run, counted over all its processes.",
)
TOO_MANY_FILES = Template(
    "run.too-many-files",
    "The program was stopped because it made more than %(n)s files in a private folder.",
)
ENDLESS_LOG = Template(
    "run.endless-log",
    "The program was stopped because it wrote without end to its log, of which %(size)s are stored.",
)
RESULT_TOO_LARGE = Template(
    "run.result-too-large",
    "The result is larger than %(size)s, the limit of a result file. "
    "A Q has one row number per line and one line per row of M′.",
)
FINISHED = Template(
    "run.finished",
    "The program finished in %(wall)s s (%(cpu)s s of CPU time, %(memory)s of memory) and wrote a result of "
    "%(size)s.",
)
NO_RESULT = Template(
    "run.no-result",
    "The program finished without a result: expected a plain file at OUT_FILE, the third argument; found "
    "%(found)s.",
)
FOUND = {
    "link": Template("found.link", "a link instead of a plain file"),
    "other": Template("found.other", "a folder, a pipe or a device instead of a plain file"),
    "file": Template("found.empty", "an empty file"),
    "missing": Template("found.report-destroyed", "nothing, and the run's own report was destroyed"),
}
FOUND_NOTHING = Template("found.nothing", "nothing")
TOO_MANY_PROCESSES = Template(
    "run.too-many-processes",
    "The program ended with an error (exit code %(code)s) after it tried to run more than %(n)s processes "
    "and threads at once, the limit of a run.",
)
SIGNALLED = Template(
    "run.signalled",
    "The program was ended by signal %(number)s. The log shows what it wrote before.",
)
CRASHED = Template(
    "run.crashed", "The program ended with an error (exit code %(code)s). The log shows what it wrote."
)
CRASHED_DISK = Template(
    "run.crashed-disk",
    "The program ended with an error (exit code %(code)s). The log shows what it wrote. Its private disk "
    "space is %(size)s and %(n)s files.",
)

OUT_OF_MEMORY = ("MemoryError", "Unable to allocate", "Cannot allocate memory", "bad_alloc", "out of memory")
OUT_OF_TASKS = ("Resource temporarily unavailable", "can't start new thread", "Cannot fork")
OUT_OF_DISK = ("No space left on device", "File too large")
OWN_TASKS = 4
"""The sandbox's own processes in the tree that is watched: bwrap twice, the limiter, the reporter."""


@dataclass(frozen=True)
class SandboxResult:
    """Result of one run. ``output`` is there only if it is "done", and is as untrusted as an upload."""

    status: str
    reason: Message | str
    """A text only where the platform cannot run programs at all, which organisers read."""
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


def _stopped(seen: Observation, limits: Limits) -> tuple[str, Message] | None:
    """Why the platform itself ended the run, if it did."""
    reasons = {
        "wall": ("timed-out", TIMED_OUT(seconds=f"{limits.wall_seconds:g}")),
        "cpu": _cpu_exceeded(limits),
        "memory": _memory_exceeded(limits),
        "files": ("killed", TOO_MANY_FILES(n=f"{limits.files:,}")),
        "log": ("killed", ENDLESS_LOG(size=size_text(limits.log_bytes))),
    }
    return reasons[seen.stopped] if seen.stopped else None


def _ended(seen: Observation, report: Report, exit_code: int, limits: Limits) -> tuple[str, Message]:
    """What happened where the run came to its own end."""
    if report.size > limits.output_bytes or len(report.content) > limits.output_bytes:
        return "output-too-large", RESULT_TOO_LARGE(size=size_text(limits.output_bytes))
    if exit_code != 0:
        return _failed(seen, exit_code, limits)
    if report.content:
        return "done", FINISHED(
            wall=f"{seen.wall_seconds:.1f}",
            cpu=f"{seen.usage.cpu_seconds:.1f}",
            memory=size_text(seen.usage.memory_bytes),
            size=size_text(len(report.content)),
        )
    return "no-output", NO_RESULT(found=FOUND.get(report.kind, FOUND_NOTHING)())


def _failed(seen: Observation, exit_code: int, limits: Limits) -> tuple[str, Message]:
    signal_number = exit_code - 128 if exit_code > 128 else -exit_code if exit_code < 0 else 0
    used_up = seen.usage.cpu_seconds >= limits.cpu_seconds * 0.9
    if signal_number == signal.SIGXCPU or (signal_number == signal.SIGKILL and used_up):
        return _cpu_exceeded(limits)
    last_lines = seen.log[-2000:]
    if any(word in last_lines for word in OUT_OF_MEMORY):
        return _memory_exceeded(limits)
    if any(word in last_lines for word in OUT_OF_TASKS) or seen.usage.tasks >= limits.processes + OWN_TASKS:
        return "too-many-processes", TOO_MANY_PROCESSES(code=exit_code, n=limits.processes)
    if signal_number:
        return "killed", SIGNALLED(number=signal_number)
    if any(word in last_lines for word in OUT_OF_DISK):
        space = size_text(limits.scratch_bytes)
        return "crashed", CRASHED_DISK(code=exit_code, size=space, n=f"{limits.files:,}")
    return "crashed", CRASHED(code=exit_code)


def _cpu_exceeded(limits: Limits) -> tuple[str, Message]:
    return "cpu-exceeded", CPU_EXCEEDED(seconds=limits.cpu_seconds)


def _memory_exceeded(limits: Limits) -> tuple[str, Message]:
    return "memory-exceeded", MEMORY_EXCEEDED(size=size_text(limits.memory_bytes))
