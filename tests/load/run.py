"""The measurements of `make load`, each a sentence with its figures."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from contest.operations import processes
from tests.deployment.chaos import QUEUES, Installation
from tests.load.people import ROUND, Teams, Viewers, call, percentile, send_file
from tests.services.installation import wait_for
from tests.services.servers import Postgres, Redis, private_server

PREPARE = """
import django; django.setup()
import sys, json, datetime
from pathlib import Path
from django.core.management import call_command
from django.utils import timezone
from contest.models import Phase
from contest.services.tokens import create_token
from tests.factories import make_contest, make_round, make_team, entry_files, as_zip, small_data
n_teams, n_customers, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
call_command("migrate", verbosity=0)
call_command("collectstatic", verbosity=0, interactive=False)
data = small_data(n_customers)
now, day = timezone.now(), datetime.timedelta(days=1)
phases = [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
round_ = make_round(make_contest(slug="load"), data=data, phases=phases, attacks=["re-itemset"],
    entries_per_day=30_000, entries_in_total=30_000, attacks_per_day=1000)
tokens = []
for number in range(n_teams):
    team = make_team(round_.contest, f"Team {number:02d}")
    tokens.append(create_token(team.memberships.get().user, "load", ["read", "submit"], 7))
(folder / "entry.zip").write_bytes(as_zip(entry_files("swap", 3, data)))
print(json.dumps({"tokens": tokens, "rows": data.transactions.n_rows}))
"""
GUESSER = b"""
import sys
original, entry, out = sys.argv[1:]
n = sum(1 for _ in open(original + "/M.csv"))
rows = sum(1 for _ in open(entry + "/M.csv"))
open(out, "w").write("".join(f"{row % n + 1}\\n" for row in range(rows)))
"""


@dataclass
class Site:
    port: int
    url: str
    tokens: list[str]
    archive: bytes
    rows: int
    web: int
    """The number of the web server's first process."""

    def count(self, query: str) -> int:
        with psycopg.connect(self.url) as connection:
            row = connection.execute(query).fetchone()  # type: ignore[arg-type]
        return int(row[0]) if row else 0

    def open_jobs(self) -> int:
        return self.count("SELECT count(*) FROM contest_job WHERE state IN ('queued', 'running')")


@contextlib.contextmanager
def site(teams: int, customers: int, web_processes: int = 2) -> Iterator[Site]:
    """Web (two processes, as in docker/), two worker processes and sweeper on servers of their own."""
    with (
        private_server(Postgres) as postgres,
        private_server(Redis) as redis,
        tempfile.TemporaryDirectory(prefix="kakurenbo-load-") as folder,
    ):
        with psycopg.connect(postgres.url("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE kakurenbo")
        place = Installation(postgres.url(), redis.url(), Path(folder))
        place.environment |= {
            "KAKURENBO_JOB_LEASE_SECONDS": "30",
            "KAKURENBO_JOB_RING_SECONDS": "20",
            "KAKURENBO_CACHE_URL": redis.url(),
            "KAKURENBO_API_RATE_ANONYMOUS": "100000/min",
        }
        place.commands["web"] = processes.web(f"127.0.0.1:{place.port}", processes=web_processes)
        place.commands["worker"] = processes.worker(QUEUES, concurrency=2)
        made = json.loads(place.python(PREPARE, str(teams), str(customers), folder).splitlines()[-1])
        try:
            for name in place.commands:
                place.start(name)
            wait_for(lambda: _answers(place.port), 180, "the site answers")
            archive = (Path(folder) / "entry.zip").read_bytes()
            web = place.running["web"].pid
            yield Site(place.port, postgres.url(), made["tokens"], archive, made["rows"], web)
        finally:
            for name in list(place.running):
                place.kill(name)


def _answers(port: int) -> bool:
    try:
        return call(port, "GET", "/readyz")[0] == 200
    except OSError:
        return False


def measure_bursts(here: Site, bursts: int, every: float, viewers: int) -> str:
    """Uploads in bursts while viewers follow the board; then everything has to become final.

    Before, everybody has looked once and two entries were scored: a site that was not started just now.
    """
    first = Teams(here.port, here.tokens[:2], here.archive)
    first.bursts(1, 0.0)
    wait_for(lambda: here.open_jobs() == 0, 600, "the first entries are scored")
    watching = Viewers(here.port, viewers)
    watching.start()
    wait_for(lambda: len(watching.seconds) >= viewers, 60, "everybody has looked once")
    teams = Teams(here.port, here.tokens, here.archive)
    start = time.monotonic()
    teams.bursts(bursts, every)
    # A rate is over whole intervals: the last burst has its own, also if it was answered at once.
    minutes = max(time.monotonic() - start, bursts * every) / 60
    watching.stop()
    wait_for(lambda: here.open_jobs() == 0, 3600, "all jobs are done")
    drained = time.monotonic() - start
    final = here.count("SELECT count(*) FROM contest_entry WHERE state = 'valid'")
    failed, accepted = first.failed + teams.failed, first.accepted + teams.accepted
    assert not failed, f"{len(failed)} uploads failed: {failed[:5]}"
    assert watching.failed == 0, f"{watching.failed} looks at the board failed"
    assert final == len(set(accepted)), f"{len(accepted)} accepted, {final} valid"
    return (
        f"{len(here.tokens)} teams × {bursts} bursts of entries with {here.rows} rows, {viewers} viewers: "
        f"{len(teams.accepted) / minutes:.0f} accepted a minute; answer p50 "
        f"{percentile(teams.seconds, 0.5):.2f} s, p95 {percentile(teams.seconds, 0.95):.2f} s; board p95 "
        f"{percentile(watching.seconds, 0.95):.2f} s over {len(watching.seconds)} looks; 0 failed, 0 lost; "
        f"all final {drained:.0f} s after the first upload"
    )


def measure_one_by_one(here: Site, number: int) -> str:
    """From the upload of a small entry to its score, with nothing else going on."""
    seconds = []
    for place in range(number):
        token = here.tokens[place % len(here.tokens)]
        start = time.monotonic()
        status, answer = send_file(here.port, f"{ROUND}entries/", token, "archive", "e.zip", here.archive)
        assert status == 201, answer
        path = f"{ROUND}entries/{answer['id']}/"

        def is_scored(path: str = path, token: str = token) -> bool:
            return json.loads(call(here.port, "GET", path, token)[1])["state"] == "valid"

        wait_for(is_scored, 120, "the entry is scored")
        seconds.append(time.monotonic() - start)
        wait_for(lambda: here.open_jobs() == 0, 120, "the attacks on it are done")
    return (
        f"{number} small entries one by one: upload to score p50 {percentile(seconds, 0.5):.2f} s, "
        f"p95 {percentile(seconds, 0.95):.2f} s"
    )


def measure_matrix(here: Site) -> str:
    """Every team sends an entry and a program, which is run against every other team's entry."""
    for token in here.tokens:
        assert send_file(here.port, f"{ROUND}entries/", token, "archive", "e.zip", here.archive)[0] == 201
    wait_for(lambda: here.open_jobs() == 0, 3600, "all entries are scored")
    start = time.monotonic()
    for token in here.tokens:
        status, answer = send_file(here.port, f"{ROUND}programs/", token, "program", "reidentify.py", GUESSER)
        assert status == 201, answer
    wait_for(lambda: here.open_jobs() == 0, 7200, "the matrix is full")
    seconds = time.monotonic() - start
    programs = (
        "SELECT count(*) FROM contest_attackrun r JOIN contest_attack a ON a.id = r.attack_id "
        "WHERE a.kind = 'program' AND r.state = 'done'"
    )
    n, done = len(here.tokens), here.count(programs)
    assert done == n * (n - 1), f"{done} of {n * (n - 1)} cells are done"
    return f"{n} × {n} matrix of sandboxed programs: {done} cells on two worker processes in {seconds:.0f} s"
