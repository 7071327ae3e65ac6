"""Rows and archives of version 0.1 on every database: they migrate, are imported, and score the same."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from contest.archive.importing import import_archive
from contest.models import AuditEvent, Contest, Entry, Job
from contest.records import audit
from contest.work.verification import recount
from tests.factories import make_user
from tests.version_0_1 import (
    CONTESTS,
    FOLDER,
    LAST_MIGRATION,
    copy_rows,
    expected,
    keep_files,
    results_of,
    write_database,
)


def migrate(name: str) -> None:
    MigrationExecutor(connection).migrate([("contest", name)])


@pytest.fixture
def old_schema(transactional_db: None) -> Iterator[str]:
    """The schema of version 0.1; the tests after it find that of today. Gives the newest migration."""
    ((_app, newest),) = MigrationExecutor(connection).loader.graph.leaf_nodes("contest")
    migrate(LAST_MIGRATION)
    yield newest
    migrate(newest)


def test_rows_of_version_0_1_migrate_and_show_the_same(old_schema: str, tmp_path: Path) -> None:
    write_database(tmp_path / "kakurenbo.sqlite3")
    copy_rows(tmp_path / "kakurenbo.sqlite3")
    migrate(old_schema)
    keep_files()
    for slug, then in expected()["contests"].items():
        contest = Contest.objects.get(slug=slug)
        assert results_of(contest)["rounds"] == then["rounds"]
        audit.extend_chain(contest.pk)
        assert audit.verify_chain(contest.pk)[1] == ""
    assert recount(Contest.objects.get(slug="hiding-2018")).differences == []
    waiting = Job.objects.filter(state=Job.State.QUEUED).order_by("pk").values_list("kind", flat=True)
    assert list(waiting) == ["house", "check"]
    # New rows get numbers of their own.
    assert make_user("new-person").pk > 1


@pytest.fixture
def empty_stores(settings: Any, tmp_path: Path) -> None:
    """Stores without the files that other tests left: an archive withholds some of them."""
    settings.STORAGES = {
        alias: {**made, "OPTIONS": {**made["OPTIONS"], "location": str(tmp_path / alias)}}
        if "location" in made.get("OPTIONS", {})
        else made
        for alias, made in settings.STORAGES.items()
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("empty_stores")
@pytest.mark.parametrize("slug", CONTESTS)
def test_an_archive_of_version_0_1_is_imported_and_scores_the_same(slug: str) -> None:
    contest = import_archive(FOLDER / f"{slug}.zip", make_user())
    then, now = expected()["contests"][slug], results_of(contest)
    for name, round_ in now["rounds"].items():
        told = {key: value for key, value in then["rounds"][name].items() if key in KEPT}
        assert {key: value for key, value in round_.items() if key in KEPT} == told
    assert audit.verify_chain(contest.pk) == (then["audit"][0], "")
    last = AuditEvent.objects.filter(contest=contest).latest("number")
    assert [last.number, last.hash] == then["audit"]
    found = recount(contest)
    assert found.differences == []
    assert found.compared["commitment"] == then["recount"]["commitment"]
    withheld = Entry.objects.filter(round__contest=contest, team__in_archive=False).exclude(measures={})
    assert found.compared["measure"] == then["recount"]["measure"] - sum(
        len(entry.measures) for entry in withheld
    )


KEPT = ("board", "columns", "matrix", "attackers", "entries", "runs", "commitments")
"""What an archive holds of a round; the history of places stays behind."""


@pytest.mark.parametrize("slug", CONTESTS)
def test_an_archive_of_version_0_1_verifies_itself(slug: str, tmp_path: Path) -> None:
    """By the program inside it, which needs nothing but Python."""
    archive = FOLDER / f"{slug}.zip"
    with zipfile.ZipFile(archive) as members:
        members.extract("verify.py", tmp_path)
    command = [sys.executable, "-I", str(tmp_path / "verify.py"), str(archive)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
