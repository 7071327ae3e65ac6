"""Games whose verbs wait at gates, so that a worker can be killed in the middle of any job of a round."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.models import Job
from tests.services.installation import Processes, wait_for

VERBS = ("build", "allot", "publish", "measure", "attack", "judge", "tally")
WAITING = """

import time
from pathlib import Path


def _held(verb):
    plain, gates = getattr(Game, verb), Path({gates!r})

    def held(*given, **named):
        (gates / (verb + ".reached")).touch()
        while (gates / (verb + ".closed")).exists():
            time.sleep(0.01)
        return plain(*given, **named)

    return held


for _verb in {verbs!r}:
    setattr(Game, _verb, _held(_verb))
"""


class Gates:
    """Where the verbs of a game wait. An open gate changes nothing."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()

    def game(self, folder: Path, copy: Path) -> Path:
        """A copy of a game whose verbs pass these gates."""
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        with (copy / "game.py").open("a", encoding="utf-8") as file:
            file.write(WAITING.format(gates=str(self.place), verbs=VERBS))
        return copy

    @contextmanager
    def closed(self, verb: str) -> Iterator[Callable[[], bool]]:
        """Keep a verb waiting meanwhile; gives a question: has somebody reached it?"""
        reached, closed = self.place / f"{verb}.reached", self.place / f"{verb}.closed"
        reached.unlink(missing_ok=True)
        closed.touch()
        try:
            yield reached.exists
        finally:
            closed.unlink()


def open_jobs() -> int:
    return Job.objects.filter(state__in=Job.OPEN).count()


def kill_in(processes: Processes, gates: Gates, verb: str, times: int = 1) -> None:
    """Start a worker and kill it as soon as it is inside a verb; what it held is given back later."""
    for _ in range(times):
        with gates.closed(verb) as is_reached:
            worker = processes.start_worker()
            wait_for(is_reached, 240, f"a worker is inside {verb}")
            processes.kill(worker)
            assert Job.objects.filter(state=Job.State.RUNNING).exists(), f"killed in {verb}, and held nothing"


def kill_at(processes: Processes, kind: Job.Kind, times: int = 1) -> None:
    """Start a worker and kill it as soon as it holds a job of a kind."""
    for _ in range(times):
        worker = processes.start_worker()
        held = set(Job.objects.filter(state=Job.State.RUNNING).values_list("token", flat=True))
        taken = Job.objects.filter(kind=kind, state=Job.State.RUNNING).exclude(token__in=held)
        wait_for(taken.exists, 240, f"a worker has taken a job of the kind {kind}")
        processes.kill(worker)
        assert Job.objects.filter(kind=kind, state=Job.State.RUNNING).exists(), f"no {kind} was held"


def finish_all(processes: Processes) -> None:
    """Let a worker do everything that is left, undisturbed."""
    worker = processes.start_worker()
    wait_for(lambda: open_jobs() == 0, 300, "all jobs are done")
    processes.kill(worker)
