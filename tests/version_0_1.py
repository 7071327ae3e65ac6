"""What version 0.1 left behind, read by the version of today. tests/fixtures/version_0_1/make.py made it."""

from __future__ import annotations

import io
import json
import lzma
import sqlite3
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from contest.board import queries
from contest.board.export import board_dicts
from contest.board.matrix import attackers, matrix
from contest.files.storage import ContentStore
from contest.models import AttackRun, Commitment, Contest, Entry, Rescore, Round, Standing

FOLDER = Path(__file__).parent / "fixtures" / "version_0_1"
CONTESTS = ("hiding-2016", "hiding-2017", "hiding-2018")
LAST_MIGRATION = "0012_hidden_rounds"
OLDER_ATTACKS = ("re-rfm",)
"""House attacks in the fixtures whose version was raised since: they are not compared."""
COUNTED = ("hits", "guesses", "expected_hits")
BOUNDS = ("low", "high", "baseline")
SOURCE = "version_0_1"
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {}}

Results = dict[str, Any]


@cache
def _expected() -> str:
    return lzma.decompress((FOLDER / "expected.json.xz").read_bytes()).decode()


def expected() -> Results:
    """What version 0.1 showed, as it wrote it down."""
    found: Results = json.loads(_expected())
    return found


def write_database(path: Path) -> None:
    """The database file of version 0.1."""
    dump = lzma.decompress((FOLDER / "database.sql.xz").read_bytes()).decode()
    with sqlite3.connect(path) as database:
        database.executescript(dump)
    database.close()


def copy_rows(path: Path) -> None:
    """Insert the rows of a database file into the connected database, whose schema is that of version 0.1."""
    apps = MigrationExecutor(connection).loader.project_state([("contest", LAST_MIGRATION)]).apps
    models = list(apps.get_app_config("contest").get_models(include_auto_created=True))
    settings = {**SQLITE, "NAME": str(path)}
    connections[SOURCE] = DatabaseWrapper({**connection.settings_dict, **settings}, SOURCE)
    try:
        with transaction.atomic():
            for model in models:
                _copy_table(model)
    finally:
        connections[SOURCE].close()
        del connections[SOURCE]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _copy_table(model: type[Model]) -> None:
    for field in model._meta.concrete_fields:
        # Else the times at which rows were made would become now.
        field.auto_now = field.auto_now_add = False  # type: ignore[attr-defined]
    rows = model._base_manager.using(SOURCE)
    model._base_manager.using(DEFAULT_DB_ALIAS).bulk_create(list(rows.order_by("pk")))


def keep_files() -> None:
    """Put the files of version 0.1 into the stores; they are named by their content and disturb nobody."""
    content = lzma.decompress((FOLDER / "stores.tar.xz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(content)) as stores:
        for member in stores:
            store, _, sha256 = member.name.partition("/")
            file = stores.extractfile(member)
            assert file is not None
            assert ContentStore(store).put(file).sha256 == sha256


def results_of(contest: Contest) -> Results:
    """What the version of today shows of a contest, in the words of the fixtures."""
    rounds, overall = queries.overall_board(contest)
    shown = {
        "rounds": {round_.slug: results_of_round(round_) for round_ in contest.rounds.all()},
        "overall": {
            "rounds": [round_.slug for round_ in rounds],
            "rows": [[row.rank, row.total, row.team.name, list(row.totals)] for row in overall],
        },
    }
    found: Results = json.loads(json.dumps(shown))
    return found


def results_of_round(round_: Round) -> Results:
    table = matrix(round_)
    waiting = (Entry.State.UPLOADED,)
    entries = Entry.objects.filter(round=round_).exclude(state__in=waiting).select_related("team")
    runs = AttackRun.objects.filter(attack__round=round_).select_related("attack__team", "entry__team")
    commitments = Commitment.objects.filter(round=round_).order_by("pk")
    rescores = Rescore.objects.filter(round=round_).order_by("pk")
    return {
        "board": board_dicts(queries.board(round_, None, show_attacks=True)),
        "columns": [[entry.team.name, entry.number] for entry in table.entries],
        "matrix": [
            [row.attack.label, [cell and [cell.state, cell.hits, cell.rate] for cell in row.cells]]
            for row in table.rows
        ],
        "attackers": [
            [row.rank, row.name, row.hits, row.targets, row.mean_percent] for row in attackers(table, None)
        ],
        "entries": [_entry(entry) for entry in entries.order_by("pk")],
        "runs": [_run(run) for run in runs.order_by("pk")],
        "commitments": [
            [it.what, it.version, it.sha256, it.revealed_at is not None, it.withdrawn_at is not None]
            for it in commitments
        ],
        "standings": Standing.objects.filter(round=round_).count(),
        "rescores": list(rescores.values_list("state", flat=True)),
    }


def _entry(entry: Entry) -> Results:
    return {
        "team": entry.team.name,
        "number": entry.number,
        "state": entry.state,
        "mark": entry.mark,
        "official": entry.is_official,
        "utility": entry.utility,
        "measures": entry.measures,
        "problems": [problem["code"] for problem in entry.problems],
    }


def _run(run: AttackRun) -> Results:
    return {
        "attack": [run.attack.kind, run.attack.label, run.attack.version],
        "entry": [run.entry.team.name, run.entry.number],
        "state": run.state,
        "rate": run.risk,
        **{name: getattr(run, name) for name in BOUNDS},
        **{name: run.numbers.get(name) for name in COUNTED},
    }
