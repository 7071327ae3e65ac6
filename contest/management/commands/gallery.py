from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

from contest.gallery.examples import KEPT, METHODS, compute


class Command(BaseCommand):
    help = "Compute the worked examples of the methods gallery anew and write contest/gallery/gallery.json."

    def handle(self, **options: Any) -> None:
        found = {name: compute(name, say=lambda method: self.stdout.write(f"{method} …")) for name in METHODS}
        KEPT.write_text(
            json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
        )
        self.stdout.write(f"written: {KEPT.name}")
