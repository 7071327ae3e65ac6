from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

LANGUAGES = ("ja",)


class Command(BaseCommand):
    help = "Collect every text of the platform and compile its translations; GNU gettext is not needed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing, fail if a text lacks its translation"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from contest.management.i18n_catalog import gather, untranslated, write_catalogue
        except ImportError:
            raise CommandError("This command needs Babel, which developers have: `make install`.") from None
        for language in LANGUAGES:
            catalogue = gather(language) if options["check"] else write_catalogue(language)
            lacking = untranslated(catalogue)
            self.stdout.write(f"{language}: {len(catalogue)} texts, {len(lacking)} without translation")
            for message in lacking:
                self.stdout.write(f"  {message.locations[0][0]}: {message.id!r}")
            if options["check"] and lacking:
                raise CommandError(f"{len(lacking)} texts lack their translation to {language!r}.")
