from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.archive.games import absent_games
from contest.archive.importing import import_archive
from contest.archive.overall import archived_overall
from contest.errors import Refused
from contest.models import User
from contest.names.lookalikes import normalise_name
from contest.work.overall_verification import recount_overall
from contest.work.verification import recount


class Command(BaseCommand):
    help = "Import a contest from its archive, beside the contests that are here already."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organiser", required=True, help="user name of the organiser here")
        parser.add_argument("--slug", help="another address than the archive's")
        parser.add_argument(
            "--rescore",
            action="store_true",
            help="measure every entry and judge every attack again, and compare all numbers",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(name_key=normalise_name(options["organiser"])).first()
        if user is None:
            raise CommandError(f"There is no user {options['organiser']!r}. Sign up on the site first.")
        try:
            contest = import_archive(options["file"], user, slug=options["slug"])
        except Refused as refusal:
            raise CommandError(refusal.text) from None
        self.stdout.write(f"{contest.slug}: imported, {contest.rounds.count()} rounds")
        for sentence in absent_games(contest):
            self.stdout.write(self.style.WARNING(sentence))
        if options["rescore"]:
            found = recount(contest)
            recount_overall(found, contest, archived_overall(options["file"]))
            for sentence in found.sentences():
                self.stdout.write(sentence)
            if found.differences:
                raise CommandError(f"{len(found.differences)} numbers differ from the archive's.")
