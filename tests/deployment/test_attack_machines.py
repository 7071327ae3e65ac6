"""A machine that only attacks: the same results as on one machine, and nothing secret within reach."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from contest.models import AttackRun
from games.shop.attacks.registry import ATTACKS
from tests.backends import POSTGRES, need_postgres, remove_database
from tests.conftest import ROOT
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, work_off

RESULT = ("state", "risk", "low", "high", "baseline", "numbers", "found_rows")


@pytest.mark.django_db
def test_a_judge_elsewhere_gives_the_same_results_to_the_last_digit(settings) -> None:
    names = [attack.name for attack in ATTACKS if attack.name not in {"re-ensemble", "re-refit"}]
    results = {}
    for role in ("all", "attacks"):
        settings.ROLE = role
        round_ = make_round(make_contest(), attacks=names)
        make_entry(round_, make_team(round_.contest, f"Team {role}"), entry_files("round", 3))
        work_off()
        runs = AttackRun.objects.filter(attack__round=round_).order_by("attack__name")
        results[role] = list(runs.values_list("attack__name", *RESULT))
    assert len(results["all"]) == len(names)
    assert results["all"] == results["attacks"]
    assert {row[1] for row in results["all"]} == {"done"}


@pytest.fixture
def installation() -> Iterator[str]:
    """A database of its own on PostgreSQL, prepared as a deployment would; yields its URL."""
    need_postgres()
    name = f"kakurenbo_role_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    try:
        yield POSTGRES.rsplit("/", 1)[0] + f"/{name}"
    finally:
        remove_database(name)
        with psycopg.connect(POSTGRES, autocommit=True) as admin:
            admin.execute(f"DROP ROLE IF EXISTS {name}")


SCRIPT = """
import os, sys
import django
django.setup()
from contest.models import Entry, Job, AttackRun, User
from tests.factories import make_round, make_team, make_entry, work_off
from django.core.management import call_command
from contest.jobs.queue import OUR_ERROR, claim_next, put_back
from contest.operations.attack_role import grant_attack_role
from contest.work.handlers import work_on
from django.db import connection

if sys.argv[1] == "prepare":
    call_command("prepare_database", verbosity=0)
    grant_attack_role(sys.argv[2], "narrow")
    round_ = make_round(attacks=["re-itemset", "re-rfm"])
    make_entry(round_, make_team(round_.contest))
    for kind in ("check", "score"):
        work_on(Job.Kind(kind))
    assert Job.objects.filter(kind="attack", state="queued").count() == 2
elif sys.argv[1] == "attack":
    for _ in range(3):
        work_on(Job.Kind.ATTACK)
    print(list(Job.objects.filter(kind="judge").values_list("state", flat=True)))
elif sys.argv[1] == "put back":
    claim = claim_next(Job.Kind.ATTACK)
    while claim is not None and claim.job.pk == Job.objects.filter(kind="attack").earliest("pk").pk:
        assert put_back(claim.job.pk, claim.token, OUR_ERROR(), f"broken {claim.job.attempts}")
        claim.job.refresh_from_db(fields=["state", "attempts", "error"])
        print(claim.job.state, claim.job.attempts, claim.job.error)
        claim = claim_next(Job.Kind.ATTACK)
    print(sorted(AttackRun.objects.values_list("state", flat=True)))
else:
    work_off()
    assert set(AttackRun.objects.values_list("state", flat=True)) == {"done"}
    assert Entry.objects.get().hits is not None
    print(AttackRun.objects.count())
"""
JOB = (
    "INSERT INTO contest_job (kind, payload, state, attempts, token, worker, progress, step, reason, error,"
    " created_at, rung_at, attack_run_id) VALUES"
)
EVENT = (
    "INSERT INTO contest_auditevent (verb, actor_id, actor_name, number, subject, before, after, reason, at)"
    " VALUES"
)
FORBIDDEN = (
    "SELECT password FROM contest_user",
    "SELECT * FROM django_session",
    "SELECT * FROM contest_apitoken",
    "SELECT * FROM contest_membership",
    "SELECT * FROM contest_invitation",
    "SELECT * FROM contest_organiser",
    "SELECT payload FROM contest_commitment",
    "SELECT seed FROM contest_houseorder",
    "SELECT id FROM contest_houseorder",
    "SELECT * FROM contest_score",
    "SELECT sha256 FROM contest_sealed",
    "SELECT id FROM contest_sealed",
    "SELECT upload_sha256 FROM contest_entry",
    "SELECT found_rows FROM contest_attackrun",
    "UPDATE contest_attackrun SET risk = 0",
    "UPDATE contest_attackrun SET numbers = '{}'",
    "UPDATE contest_entry SET published = '{}'",
    "UPDATE contest_entry SET n_people = 1",
    "UPDATE contest_entry SET state = 'valid'",
    "UPDATE contest_auditevent SET verb = 'x'",
    "DELETE FROM contest_job",
    "DELETE FROM contest_auditevent",
    "CREATE TABLE mine (x int)",
    # A letter of the site's to anybody, a round's data as a house entry, a judgement of nothing.
    f"{JOB} ('letter', '{{}}', 'queued', 0, '', '', 0, '', '', '', now(), now(), NULL)",
    f"{JOB} ('house', '{{}}', 'queued', 0, '', '', 0, '', '', '', now(), now(), NULL)",
    f"{JOB} ('judge', '{{}}', 'queued', 0, '', '', 0, '', '', '', now(), now(), NULL)",
    f"{JOB} ('judge', '{{\"mail\": 1}}', 'queued', 0, '', '', 0, '', '', '', now(), now(), 1)",
    f"{EVENT} ('entry.voided', NULL, '', NULL, 'contest.Entry:1', '{{}}', '{{}}', '', now())",
    f"{EVENT} ('attack_run.failed', 1, '', NULL, 'contest.Entry:1', '{{}}', '{{}}', '', now())",
    f"{EVENT} ('attack_run.failed', NULL, 'oni', NULL, 'contest.Entry:1', '{{}}', '{{}}', '', now())",
    f"{EVENT} ('attack_run.failed', NULL, '', 9, 'contest.Entry:1', '{{}}', '{{}}', '', now())",
)
UNREACHED = (
    "UPDATE contest_job SET state = 'done' WHERE kind NOT IN ('attack', 'program')",
    "UPDATE contest_job SET attempts = 99 WHERE kind = 'judge'",
)
"""Rows that are not there for it, where it changes something."""


@dataclass(frozen=True)
class Machines:
    """The machine of the web part, and one that only attacks and has a database role of its own for that."""

    url: str
    folder: Path

    @property
    def role(self) -> str:
        return self.url.rsplit("/", 1)[1]

    @property
    def narrow_url(self) -> str:
        return self.url.replace("postgres@", f"{self.role}:narrow@", 1)

    def run(self, step: str) -> str:
        return self._run(step, KAKURENBO_DATABASE_URL=self.url)

    def run_narrow(self, step: str) -> str:
        return self._run(step, KAKURENBO_DATABASE_URL=self.narrow_url, KAKURENBO_ROLE="attacks")

    def _run(self, step: str, **extra: str) -> str:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("KAKURENBO_")}
        base = {"DJANGO_SETTINGS_MODULE": "config.settings", "KAKURENBO_VAR": str(self.folder)}
        environment = {**clean, **base, "KAKURENBO_LOG_LEVEL": "ERROR", **extra}
        command = [sys.executable, "-c", SCRIPT, step, self.role]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return done.stdout


@pytest.fixture
def machines(installation: str, tmp_path: Path) -> Machines:
    made = Machines(installation, tmp_path)
    made.run("prepare")
    return made


@pytest.mark.service
def test_its_database_role_can_attack_and_read_no_truth_and_no_account(machines: Machines) -> None:
    assert machines.run_narrow("attack") == "['queued', 'queued']\n"
    with psycopg.connect(machines.narrow_url, autocommit=True) as attacker:
        assert attacker.execute("SELECT count(*) FROM contest_entry").fetchone() == (1,)
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attacker.execute(statement)
        for statement in UNREACHED:
            assert attacker.execute(statement).rowcount == 0, statement
    assert machines.run("judge") == "2\n"


@pytest.mark.service
def test_its_database_role_can_put_a_job_back_and_end_it_as_failed(machines: Machines) -> None:
    """The role may change some columns of a job alone, so a worker there must write no other."""
    *again, last, runs = machines.run_narrow("put back").splitlines()
    assert again == [f"queued {n} broken {n}" for n in range(1, len(again) + 1)] and again
    assert last == f"failed {len(again) + 1} broken {len(again) + 1}"
    assert runs == "['failed', 'queued']"
