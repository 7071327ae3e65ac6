"""Whether the database has the tables that this version expects."""

from __future__ import annotations

import datetime

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder


def is_up_to_date() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def changed_since(moment: datetime.datetime) -> bool:
    """Whether a migration was applied at that moment or later."""
    return bool(MigrationRecorder(connection).migration_qs.filter(applied__gte=moment).exists())
