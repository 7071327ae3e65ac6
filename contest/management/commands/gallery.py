from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from games.formats.gallery import KEPT, METHODS, complete, compute


class Command(BaseCommand):
    help = "Compute the worked examples of the methods gallery again and write its gallery.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--missing", action="store_true", help="only those of new measures and methods")

    def handle(self, **options: Any) -> None:
        made = complete if options["missing"] else compute
        found = {name: made(name, say=lambda method: self.stdout.write(f"{method} …")) for name in METHODS}
        KEPT.write_text(
            json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
        )
        self.stdout.write(f"written: {KEPT.name}")
