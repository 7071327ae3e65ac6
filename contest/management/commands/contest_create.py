from __future__ import annotations

import dataclasses
import datetime
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.bundle.files import open_bundle
from contest.bundle.specification import KNOWN_SEEDS, Bundle, moved
from contest.errors import Refused
from contest.models import User
from contest.names.lookalikes import normalise_name
from contest.services.bundles import create_from_bundle


class Command(BaseCommand):
    help = "Create a contest from a bundle: a YAML file, a zip, or the name of a preset."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organiser", required=True, help="user name of the first organiser")
        parser.add_argument("--slug", help="another address than the bundle's")
        parser.add_argument("--known-seeds", action="store_true", help=KNOWN_SEEDS)
        parser.add_argument("--starts", help="move the contest so that its first phase starts then")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(name_key=normalise_name(options["organiser"])).first()
        if user is None:
            raise CommandError(f"There is no user {options['organiser']!r}. Sign up on the site first.")
        try:
            opened = open_bundle(options["file"])
        except OSError as error:
            raise CommandError(f"Cannot read {options['file']}: {error.strerror}.") from None
        with opened:
            if opened.checked.bundle is None:
                raise CommandError("\n".join(str(problem) for problem in opened.checked.problems))
            bundle = _moved(opened.checked.bundle, options["starts"])
            try:
                contest = create_from_bundle(
                    bundle,
                    user,
                    opened.open_file,
                    slug=options["slug"],
                    known_seeds=options["known_seeds"],
                )
            except Refused as refusal:
                raise CommandError(refusal.text) from None
        self.stdout.write(f"{contest.slug}: {len(bundle.rounds)} rounds, first phase {bundle.starts_at}")


def _moved(bundle: Bundle, starts: str | None) -> Bundle:
    if starts is None:
        return dataclasses.replace(bundle)
    try:
        moment = datetime.datetime.fromisoformat(starts)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(
            f"The '--starts' option must be a time with its zone. Got {starts} instead of, say, "
            "2027-08-01T10:00:00+09:00."
        )
    return moved(bundle, moment)
