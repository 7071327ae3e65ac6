from __future__ import annotations

import hashlib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.archive.importing import archive_contest
from contest.errors import Refused
from contest.models import Contest


class Command(BaseCommand):
    help = "Write the archive of a contest: one zip that verifies itself and can be imported elsewhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, help="FILE.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        contest = Contest.objects.filter(slug=options["slug"]).first()
        if contest is None:
            raise CommandError(f"There is no contest {options['slug']!r}.")
        out: Path = options["out"]
        half = out.with_name(f".{out.name}.new")
        try:
            with half.open("w+b") as file:
                manifest = archive_contest(contest, file)
                file.seek(0)
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            half.replace(out)
        except Refused as refusal:
            raise CommandError(refusal.text) from None
        except OSError as error:
            raise CommandError(f"Cannot write {out}: {error.strerror}.") from None
        finally:
            half.unlink(missing_ok=True)
        withheld = len(manifest["withheld"])
        self.stdout.write(f"{out}: {len(manifest['files'])} files, {withheld} withheld, sha256 {sha256}")
