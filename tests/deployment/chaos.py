"""A whole installation on servers of its own, with uploads going on, while everything is killed at random.

``python -m tests.deployment.chaos --rounds 100 --broker redis`` prints the figures; `make chaos` runs it.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from contest.operations import processes
from tests.conftest import ROOT, free_port
from tests.services.installation import wait_for
from tests.services.servers import Postgres, RabbitMq, Redis, private_server

BROKERS = {"redis": Redis, "rabbitmq": RabbitMq}
QUEUES = ("attacks", "checks", "house", "programs", "scoring")
PREPARE = """
import django; django.setup()
import sys, json
from django.core.management import call_command
from tests.factories import make_contest, make_round, make_team, entry_files, as_zip
from contest.services.tokens import create_token
call_command("migrate", verbosity=0)
round_ = make_round(make_contest(slug="chaos"), entries_per_day=30_000,
    entries_in_total=30_000, attacks=["re-itemset"])
tokens = []
for number in range(24):
    team = make_team(round_.contest, f"Team {number}")
    tokens.append(create_token(team.memberships.get().user, "x", ["read", "submit"], 7))
open(sys.argv[1], "wb").write(as_zip(entry_files("swap", 3)))
print(json.dumps(tokens))
"""


@dataclass
class Uploads:
    """Sends entries without pause and remembers which were answered with success."""

    port: int
    tokens: list[str]
    archive: bytes
    accepted: list[int] = field(default_factory=list)
    refused: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(self, tokens: list[str]) -> None:
        for token in itertools.cycle(tokens):
            if self.stopping.is_set():
                return
            number = self.send(token)
            if number is None:
                self.refused += 1
                self.stopping.wait(0.3)
            else:
                self.accepted.append(number)
                self.stopping.wait(0.5)

    def send(self, token: str) -> int | None:
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="e.zip"\r\n\r\n'
        body = head.encode() + self.archive + f"\r\n--{boundary}--\r\n".encode()
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", "/api/v1/contests/chaos/rounds/practice/entries/", body, headers)
            answer = connection.getresponse()
            content = answer.read()
            return int(json.loads(content)["id"]) if answer.status == 201 else None
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return None
        finally:
            connection.close()


class Installation:
    """Web, worker and sweeper with the very commands of production."""

    def __init__(self, database: str, broker: str, folder: Path) -> None:
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("KAKURENBO_", "DJANGO_"))
        }
        self.environment = {
            **clean,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "KAKURENBO_VAR": str(folder),
            "KAKURENBO_DATABASE_URL": database,
            "KAKURENBO_BROKER_URL": broker,
            "KAKURENBO_LOG_LEVEL": "CRITICAL",
            "KAKURENBO_JOB_LEASE_SECONDS": "3",
            "KAKURENBO_JOB_RING_SECONDS": "3",
            "KAKURENBO_SWEEP_SECONDS": "1",
            "KAKURENBO_JOB_MAX_ATTEMPTS": "1000",
            "KAKURENBO_API_RATE_WRITE": "100000/min",
            "KAKURENBO_API_RATE_TOKEN": "100000/min",
        }
        self.port = free_port()
        self.commands = {
            "web": processes.web(f"127.0.0.1:{self.port}"),
            "worker": processes.worker(QUEUES),
            "sweeper": processes.sweeper(),
        }
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def python(self, code: str, *arguments: str) -> str:
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        return done.stdout

    def start(self, name: str) -> None:
        self.running[name] = subprocess.Popen(
            [sys.executable, *self.commands[name]],
            cwd=ROOT,
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()

    def restart(self, name: str) -> None:
        self.kill(name)
        self.start(name)

    def revive(self) -> None:
        """What a service manager does: start again whatever has ended by itself."""
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                self.start(name)


@dataclass(frozen=True)
class Figures:
    broker: str
    rounds: int
    faults: dict[str, int]
    accepted: int
    unanswered: int
    retried_jobs: int
    recovery_seconds: float

    def __str__(self) -> str:
        faults = ", ".join(f"{name} {number}" for name, number in sorted(self.faults.items()))
        return (
            f"chaos with {self.broker}: {self.rounds} rounds ({faults}); {self.accepted} uploads answered "
            f"with success, all final, 0 lost, 0 doubled; {self.unanswered} not answered; "
            f"{self.retried_jobs} jobs tried again; recovered {self.recovery_seconds:.1f} s after the last"
        )


def run(rounds: int, broker: str, seed: int = 1, pause: float = 1.0) -> Figures:
    with (
        private_server(Postgres) as postgres,
        private_server(BROKERS[broker]) as bell,
        tempfile.TemporaryDirectory(prefix="kakurenbo-chaos-") as folder,
    ):
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        place = Installation(postgres.url(), bell.url(), Path(folder))
        archive = Path(folder) / "entry.zip"
        tokens = json.loads(place.python(PREPARE, str(archive)).splitlines()[-1])
        uploads = Uploads(place.port, tokens, archive.read_bytes())
        for name in place.commands:
            place.start(name)
        hands = [threading.Thread(target=uploads.run, args=[tokens[i::4]], daemon=True) for i in range(4)]
        try:
            for hand in hands:
                hand.start()
            wait_for(lambda: len(uploads.accepted) >= 2, 180, "the first uploads are accepted")
            faults = _torment(rounds, place, postgres, bell, random.Random(seed), pause)
            last = time.monotonic()
            reached = len(uploads.accepted)
            wait_for(
                lambda: _revived(place, lambda: len(uploads.accepted) >= reached + 2), 180, "uploads go on"
            )
            uploads.stopping.set()
            for hand in hands:
                hand.join(timeout=60)
            wait_for(
                lambda: _revived(place, lambda: _open_jobs(postgres.url()) == 0), 300, "all jobs are done"
            )
            recovery = time.monotonic() - last
            retried = _verify(postgres.url(), uploads.accepted)
        finally:
            uploads.stopping.set()
            for name in list(place.running):
                place.kill(name)
    return Figures(broker, rounds, faults, len(uploads.accepted), uploads.refused, retried, recovery)


def _torment(
    rounds: int,
    place: Installation,
    postgres: Postgres,
    bell: Redis | RabbitMq,
    chance: random.Random,
    pause: float,
) -> dict[str, int]:
    acts: dict[str, Callable[[], None]] = {
        name: lambda name=name: place.restart(name) for name in place.commands
    }
    acts["database"] = postgres.restart
    acts["broker"] = bell.restart
    if isinstance(bell, Redis):
        acts["queues emptied"] = bell.empty
    order = list(acts)
    faults = dict.fromkeys(order, 0)
    for number in range(rounds):
        # Every kind of fault comes once before chance decides.
        name = order[number] if number < len(order) else chance.choice(order)
        acts[name]()
        faults[name] += 1
        time.sleep(pause * chance.random())
        place.revive()
    return faults


def _revived(place: Installation, condition: Callable[[], bool]) -> bool:
    place.revive()
    return condition()


def _open_jobs(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM contest_job WHERE state IN ('queued', 'running')"
        ).fetchone()
    return int(row[0]) if row else 0


def _verify(url: str, accepted: list[int]) -> int:
    """Every answered upload is there, final and scored once; returns how many jobs needed another attempt."""
    with psycopg.connect(url) as connection:

        def one(query: str) -> int:
            row = connection.execute(query).fetchone()
            return int(row[0]) if row else 0

        states = dict(connection.execute("SELECT id, state FROM contest_entry").fetchall())
        lost = [number for number in accepted if number not in states]
        assert not lost, f"answered with success and lost: {lost}"
        assert set(states.values()) == {"valid"}, sorted(set(states.values()))
        twice = "SELECT 1 FROM contest_score GROUP BY entry_id, measure HAVING count(*) > 1"
        assert one(f"SELECT count(*) FROM ({twice}) AS doubled") == 0
        assert one("SELECT count(*) FROM contest_score") == 4 * len(states)
        assert one("SELECT count(*) FROM contest_attackrun WHERE state <> 'done'") == 0
        assert one("SELECT count(*) FROM contest_attackrun") == len(states)
        assert one("SELECT count(*) FROM contest_job WHERE state = 'failed'") == 0
        return one("SELECT count(*) FROM contest_job WHERE attempts > 1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--broker", choices=sorted(BROKERS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for broker in given.broker or sorted(BROKERS):
        print(run(given.rounds, broker, given.seed), flush=True)


if __name__ == "__main__":
    main()
