from __future__ import annotations

import hashlib
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.errors import Refused
from contest.operations.backup.writing import KIND, write_backup
from contest.records.verify import Archive, BadArchive


class Command(BaseCommand):
    help = "Write the whole installation, database and files, into one verified zip while it runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="FILE.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        half = out.with_name(f".{out.name}.new")
        try:
            # It holds truths and password hashes: nobody else may read it, not even while it grows.
            descriptor = os.open(half, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w+b") as file:
                manifest = write_backup(file)
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            with Archive(half, KIND) as written:
                written.verify_files()
            half.replace(out)
        except Refused as refusal:
            raise CommandError(refusal.text) from None
        except BadArchive as error:
            raise CommandError(f"The backup does not read back as it was written: {error}") from None
        except OSError as error:
            raise CommandError(f"Cannot write {out}: {error.strerror}.") from None
        finally:
            half.unlink(missing_ok=True)
        files = sum(name.startswith("files/") for name in manifest["files"])
        self.stdout.write(
            f"{out}: {len(manifest['tables'])} tables, {files} files, "
            f"{len(manifest['withheld'])} not here, verified, sha256 {sha256}"
        )
