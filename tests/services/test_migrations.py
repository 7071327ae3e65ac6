"""Migrations on rows that exist already, on every database."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.executor import MigrationExecutor

from contest.jobs.job_version import RELEASE
from contest.jobs.queue import DATABASE_BEHIND
from contest.models import (
    AttackRun,
    AuditEvent,
    Dataset,
    Entry,
    Heartbeat,
    HouseOrder,
    Job,
    Round,
    Sealed,
)
from contest.operations import migrating
from contest.operations.migrating import ATTEMPTS, retry_deadlocks
from contest.services.house import request_house_entry
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off
from tests.services.installation import Processes, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def migrate(name: str) -> None:
    migrating.migrate("contest", name)


@pytest.fixture
def newest() -> Iterator[str]:
    """Whatever a test leaves behind, the tests after it find the schema of today."""
    ((_app, name),) = MigrationExecutor(connection).loader.graph.leaf_nodes("contest")
    yield name
    migrate(name)


def test_rounds_keep_the_places_that_they_published_and_new_ones_give_the_house_none(newest: str) -> None:
    old = make_round(house_takes_places=False)
    migrate("0012_hidden_rounds")
    migrate(newest)
    assert Round.objects.get(pk=old.pk).house_takes_places
    new = make_round()
    assert not Round.objects.get(pk=new.pk).house_takes_places


def test_rounds_whose_house_entries_have_the_presets_old_seed_say_that_it_is_known(newest: str) -> None:
    known, secret = make_round(slug="known"), make_round(slug="secret")
    request_house_entry(known, None, "swap", {}, 1)
    request_house_entry(secret, None, "swap", {}, 1 << 40)
    migrate("0013_house_takes_places")
    migrate(newest)
    assert Round.objects.get(pk=known.pk).seeds_known
    assert not Round.objects.get(pk=secret.pk).seeds_known


def test_rounds_keep_what_they_told_and_how_often_they_could_be_asked(newest: str) -> None:
    old = make_round(feedback="full")
    migrate("0018_heartbeat_slots")
    migrate(newest)
    found = Round.objects.get(pk=old.pk)
    assert (found.feedback, found.attacks_in_total, found.attacks_per_target) == ("full", None, None)
    assert (found.feedback_bands, found.all_targets) == (4, False)


def before_orders(name: str) -> Any:
    """A model as it was before house orders."""
    state = MigrationExecutor(connection).loader.project_state(("contest", "0021_heartbeat_counted_by"))
    return state.apps.get_model("contest", name)


def test_house_entries_that_were_jobs_become_orders(newest: str) -> None:
    """Made, failed and waiting ones, with drawn and with named seeds; and back, for the version before."""
    oni = make_user("oni")
    round_ = make_round(make_contest(oni))
    drawn = request_house_entry(round_, oni, "swap", {"share": 0.5})
    work_off()
    named = request_house_entry(round_, None, "swap", {}, 1 << 40)
    failed = request_house_entry(round_, None, "identity", {}, 7)
    jobs = {order.pk: order.jobs.get().pk for order in (drawn, named, failed)}
    HouseOrder.objects.filter(pk=failed.pk).update(state="failed", reason="An error on our side.")
    Job.objects.filter(pk=jobs[failed.pk]).update(state="failed", reason="An error on our side.")
    AuditEvent.objects.filter(subject=f"houseorder {drawn.pk}").update(subject=f"job {jobs[drawn.pk]}")
    facts = (
        "round",
        "method",
        "parameters",
        "seed",
        "commitment",
        "requested_by",
        "state",
        "reason",
        "entry",
    )
    known = list(HouseOrder.objects.values_list(*facts))
    migrate("0021_heartbeat_counted_by")
    payloads = dict(before_orders("Job").objects.filter(kind="house").values_list("pk", "payload"))
    facts_before = {"round": round_.pk, "method": "swap"}
    assert payloads[jobs[drawn.pk]] == {**facts_before, "parameters": {"share": 0.5}, "commitment": 1}
    assert payloads[jobs[named.pk]] == {**facts_before, "parameters": {}, "seed": 1 << 40}
    assert set(before_orders("Job").objects.filter(state="queued").values_list("release", flat=True)) == {1}
    migrate(newest)
    assert list(HouseOrder.objects.values_list(*facts)) == known
    assert HouseOrder.objects.filter(
        entry=Entry.objects.get(), jobs=jobs[drawn.pk], requested_by=oni
    ).exists()
    open_job = Job.objects.get(pk=jobs[named.pk])
    assert "seed" not in open_job.payload
    assert open_job.release == RELEASE
    work_off()
    assert set(HouseOrder.objects.values_list("state", flat=True)) == {"made", "failed"}
    assert Entry.objects.filter(state="valid").count() == 2


def test_two_like_house_entries_are_told_apart_and_one_of_a_person_is_not_taken(newest: str) -> None:
    round_ = make_round()
    orders = []
    for _ in range(2):
        orders.append(request_house_entry(round_, None, "shuffle"))
        work_off()
    make_entry(round_, make_team(round_.contest))
    Entry.objects.filter(team__is_house=False).update(method="shuffle")
    entries = list(Entry.objects.filter(team__is_house=True).order_by("pk"))
    migrate("0021_heartbeat_counted_by")
    migrate(newest)
    assert [order.entry for order in HouseOrder.objects.order_by("pk")] == entries


def before_any_game(name: str) -> Any:
    """A model as it was before files and numbers had names."""
    state = MigrationExecutor(connection).loader.project_state(("contest", "0023_messages"))
    return state.apps.get_model("contest", name)


def carried() -> dict[str, list[Any]]:
    """What the columns for any game hold."""
    datasets = Dataset.objects.order_by("pk")
    entries = Entry.objects.order_by("pk")
    runs = AttackRun.objects.order_by("pk")
    return {
        "datasets": list(datasets.values_list("files", "files_key", "facts", "n_people")),
        "entries": list(entries.values_list("published", "n_people", "risk", "slot", "variant", "labels")),
        "numbers": [(entry.hits, entry.guesses) for entry in entries],
        "sealed": list(Sealed.objects.order_by("entry").values_list("round", "entry", "name", "sha256")),
        "runs": list(runs.values_list("challenge", "risk", "numbers", "answer_sha256", "found_rows")),
    }


def test_columns_of_shops_become_those_of_any_game_and_back(newest: str) -> None:
    round_ = make_round(attacks=["re-itemset", "re-rfm"])
    make_entry(round_, make_team(round_.contest))
    make_entry(round_, make_team(round_.contest), {**entry_files(), "P.csv": b"1\n1\n"})
    work_off()
    waiting = make_entry(round_, make_team(round_.contest))
    known = carried()
    assert [len(rows) for rows in known.values()] == [1, 3, 3, 1, 2]
    migrate("0023_messages")
    dataset, entry = before_any_game("Dataset").objects.get(), before_any_game("Entry").objects.earliest("pk")
    ((files, _key, facts, n_people),) = known["datasets"]
    assert (dataset.master_sha256, dataset.transactions_sha256) == (files["M.csv"], files["T.csv"])
    assert (dataset.n_customers, dataset.n_rows) == (n_people, dict(facts)["purchases"])
    assert [dataset.first_day.isoformat(), dataset.last_day.isoformat()] == dict(facts)["days"]
    assert entry.truth_sha256 == known["sealed"][0][-1]
    assert (entry.most_hits, entry.guesses) == known["numbers"][0]
    runs = before_any_game("AttackRun").objects.order_by("pk")
    assert [run.hits for run in runs] == [numbers["hits"] for _, _, numbers, _, _ in known["runs"]]
    job = before_any_game("Job").objects.get(entry=waiting.pk)
    assert job.release == 2
    migrate(newest)
    assert carried() == known
    assert Job.objects.get(entry=waiting).release == RELEASE
    work_off()
    waiting.refresh_from_db()
    assert (waiting.state, len(waiting.published)) == (Entry.State.VALID, 2)


def test_filling_the_columns_of_any_game_can_be_done_again(newest: str) -> None:
    round_ = make_round()
    make_entry(round_, make_team(round_.contest))
    work_off()
    known = carried()
    migrate("0024_any_game")
    state = MigrationExecutor(connection).loader.project_state(("contest", "0024_any_game"))
    import_module("contest.migrations.0024_any_game").fill(state.apps, None)
    migrate(newest)
    assert carried() == known


def finished() -> bool:
    return not Job.objects.exclude(state=Job.State.DONE).exists()


@pytest.mark.slow
def test_workers_that_are_newer_than_the_database_let_their_jobs_wait(newest: str) -> None:
    """Whoever starts the new workers before `prepare_database` loses no entry by it."""
    round_ = make_round()
    entry = make_entry(round_, make_team(round_.contest))
    migrate("0012_hidden_rounds")
    with Processes(KAKURENBO_JOB_LEASE_SECONDS="3600") as processes:
        sweeper, worker = processes.start_sweeper(), processes.start_worker()
        found = Job.objects.filter(entry=entry, reason=DATABASE_BEHIND())
        wait_for(found.exists, 120, "the job waits for the database")
        assert (sweeper.poll(), worker.poll()) == (None, None)
        migrate(newest)
        wait_for(finished, 120, "the same processes go on")
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID
    assert set(Job.objects.values_list("attempts", flat=True)) == {1}


NEXT = (
    operations.AddField("job", "later", models.IntegerField(null=True)),
    operations.AddField("entry", "later", models.CharField(max_length=5, db_default="x")),
    operations.AddIndex("job", models.Index(fields=["later"], name="job_by_later")),
    operations.AddConstraint(
        "entry", models.CheckConstraint(condition=~models.Q(later="no"), name="entry_later")
    ),
)
"""What a later version may add, by the rules of docs/deployment.md, to the tables that workers write most."""


class Later:
    """A migration of a version that is not written yet, in one transaction."""

    def __init__(self) -> None:
        self.migration = Migration("9999_later", "contest")
        self.migration.operations = list(NEXT)
        loader = MigrationExecutor(connection).loader
        self.before = loader.project_state()

    def apply(self) -> None:
        with connection.schema_editor(atomic=True) as editor:
            self.migration.apply(self.before.clone(), editor)

    def unapply(self) -> None:
        with connection.schema_editor(atomic=True) as editor:
            self.migration.unapply(self.before.clone(), editor)


class Crossed:
    """A change of tables that PostgreSQL ends a number of times because a worker crosses it."""

    def __init__(self, times: int, error: type[psycopg.Error] = psycopg.errors.DeadlockDetected) -> None:
        self.times, self.error = times, error
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls <= self.times:
            raise OperationalError("ended") from self.error()


def test_a_migration_that_workers_cross_is_made_again() -> None:
    change = Crossed(3)
    retry_deadlocks(change)
    assert change.calls == 4


@pytest.mark.parametrize(
    ("change", "calls"),
    [(Crossed(1, psycopg.errors.DiskFull), 1), (Crossed(ATTEMPTS), ATTEMPTS)],
    ids=["another error", "deadlocks without an end"],
)
def test_a_migration_is_not_made_again_for(change: Crossed, calls: int) -> None:
    with pytest.raises(OperationalError):
        retry_deadlocks(change)
    assert change.calls == calls


@pytest.mark.slow
def test_a_migration_under_working_workers_costs_no_entry_and_ends() -> None:
    round_ = make_round(attacks=["re-itemset", "re-rfm"])
    later = Later()
    teams = [make_team(round_.contest) for _ in range(4)]
    with Processes() as processes:
        started = [processes.start_sweeper(), processes.start_worker(concurrency=2)]
        wait_for(Heartbeat.objects.filter(kind="worker").exists, 120, "the worker is there")
        for seed, team in enumerate(teams):
            make_entry(round_, team, entry_files("swap", seed))
        wait_for(Job.objects.filter(state=Job.State.RUNNING).exists, 120, "the worker is at work")
        retry_deadlocks(later.apply)
        try:
            for seed, team in enumerate(teams):
                make_entry(round_, team, entry_files("noise", seed))
            wait_for(finished, 240, "all jobs are done, those of before and those of after")
            assert [process.poll() for process in started] == [None, None]
        finally:
            retry_deadlocks(later.unapply)
    assert set(Entry.objects.values_list("state", flat=True)) == {Entry.State.VALID}
    assert Entry.objects.filter(risk__isnull=False).count() == 2 * len(teams)
