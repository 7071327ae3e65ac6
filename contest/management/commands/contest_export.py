from __future__ import annotations

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.bundle.files import write_zip
from contest.bundle.writing import bundle_text
from contest.files.storage import published
from contest.models import Contest
from contest.services.bundles import export_bundle


class Command(BaseCommand):
    help = "Write a contest's bundle: a YAML file with its data files beside it, or a zip of all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, help="FILE.yaml or FILE.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        contest = Contest.objects.filter(slug=options["slug"]).first()
        if contest is None:
            raise CommandError(f"There is no contest {options['slug']!r}.")
        out: Path = options["out"]
        exported = export_bundle(contest)
        text = bundle_text(exported.bundle)
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(published.open(sha256)) for name, sha256 in exported.files.items()
            }
            if out.suffix.lower() == ".zip":
                write_zip(out, text, files)
            else:
                out.write_text(text, encoding="utf-8")
                for name, file in files.items():
                    (out.parent / name).write_bytes(file.read())
        self.stdout.write(f"{out}: {len(exported.bundle.rounds)} rounds, {len(exported.files)} data files")
