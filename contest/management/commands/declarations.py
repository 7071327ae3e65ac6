from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from contest.management.setting_files import generated_files


class Command(BaseCommand):
    help = "Write the files made from the declared settings: bundles' JSON schema, settings and glossary."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is stale")

    def handle(self, *args: Any, **options: Any) -> None:
        for name, text in generated_files().items():
            path = settings.BASE_DIR / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            if options["check"]:
                raise CommandError(f"{name} is not up to date; run `manage.py declarations`.")
            path.write_text(text, encoding="utf-8")
            self.stdout.write(f"{name} written")
