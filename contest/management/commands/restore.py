from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.errors import Refused
from contest.operations.backup.restoring import restore_backup
from contest.operations.migrating import migrate
from contest.operations.private_files import close_to_others


class Command(BaseCommand):
    help = "Restore a backup into an empty installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        close_to_others()
        migrate()
        try:
            counts = restore_backup(options["file"])
        except Refused as refusal:
            raise CommandError(refusal.text) from None
        self.stdout.write(f"{sum(counts.values())} rows in {len(counts)} tables restored. Now run: doctor")
