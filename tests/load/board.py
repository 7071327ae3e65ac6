"""A round of PWSCUP 2026 until its board is complete: every team enters, every team attacks all others.

PostgreSQL and Redis of its own, two real worker processes and a sweeper; entries and answers are handed in
through the services. What teams do at home, making entries and answers, is done before and not counted.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg

from contest.operations import processes
from tests.deployment.chaos import QUEUES, Installation
from tests.services.installation import wait_for
from tests.services.servers import Postgres, Redis, private_server

STEP = """
import django; django.setup()
import json, sys
from tests.load import board_steps
print(json.dumps(board_steps.{step}(*sys.argv[1:])))
"""
LIMIT = 3600
PER_KIND = """
SELECT kind, count(*), sum(extract(epoch FROM finished_at - started_at))
FROM contest_job WHERE state = 'done' AND started_at IS NOT NULL GROUP BY kind ORDER BY 3 DESC
"""


def cpu_seconds(session: int) -> float:
    """Processor time of all living processes of a session, whatever else the machine does."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name, which may hold blanks: state, parent, group, session, …, user and system time.
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:13])) if int(fields[3]) == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")


class Board:
    """The installation, and what is asked of its database."""

    def __init__(self, place: Installation, url: str, folder: Path) -> None:
        self.place, self.url, self.folder = place, url, folder

    def do(self, step: str, *arguments: object) -> Any:
        """One step of `board_steps`, in a process with Django."""
        said = self.place.python(STEP.format(step=step), str(self.folder), *map(str, arguments))
        return json.loads(said.splitlines()[-1])

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]

    def is_idle(self) -> bool:
        return self.rows("SELECT count(*) FROM contest_job WHERE state IN ('queued', 'running')") == [(0,)]

    def timed(self, step: str) -> float:
        """Seconds from the first upload of a step to the end of the last job."""
        start = time.monotonic()
        self.do(step)
        wait_for(self.is_idle, LIMIT, f"the jobs of {step} are done")
        return time.monotonic() - start


@contextlib.contextmanager
def site() -> Iterator[Board]:
    with (
        private_server(Postgres) as postgres,
        private_server(Redis) as redis,
        tempfile.TemporaryDirectory(prefix="kakurenbo-board-") as folder,
    ):
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        place = Installation(postgres.url(), redis.url(), Path(folder))
        place.environment |= {"KAKURENBO_JOB_LEASE_SECONDS": "60", "KAKURENBO_JOB_RING_SECONDS": "20"}
        place.commands = {
            "worker": processes.worker(QUEUES, concurrency=2),
            "sweeper": processes.sweeper(),
        }
        try:
            yield Board(place, postgres.url(), Path(folder))
        finally:
            for name in list(place.running):
                place.kill(name)


def measure_board(teams: int, params: Mapping[str, Any] | None = None) -> str:
    """Play the round, check that every cell and every row is there, and say what each part took."""
    with site() as here:
        prepared = here.do("prepare", teams, json.dumps(dict(params or {})))
        here.do("make_entries")
        for name in here.place.commands:
            here.place.start(name)
        entries = here.timed("enter")
        handed_over = here.timed("hand_over")
        here.do("make_answers")
        answers = here.timed("answer")
        found = here.do("outcome")
        per_kind = here.rows(PER_KIND)
        spent = cpu_seconds(here.place.running["worker"].pid)
    assert found["entries"] == teams and found["rows"] == teams, found
    assert found["cells"] == 2 * teams * (teams - 1), found
    assert found["house cells"] == 2 * teams * prepared["house"], found
    kinds = ", ".join(f"{number} × {kind} {float(seconds):.0f} s" for kind, number, seconds in per_kind)
    house, built, load = prepared["house"], prepared["built"], os.getloadavg()[1]
    return (
        f"{teams} × {teams} board of PWSCUP 2026, two worker processes, PostgreSQL: complete after "
        f"{entries + handed_over + answers:.0f} s ({teams} entries checked and scored {entries:.0f} s, "
        f"handed over and attacked by {house} house attacks {handed_over:.0f} s, {teams} answers to "
        f"{teams - 1} targets in both games {answers:.0f} s); the world was built before in {built:.0f} s; "
        f"the workers used {spent:.0f} s of CPU; load average {load:.1f}; jobs: {kinds}"
    )
