from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from contest.errors import Refused
from contest.services import demo
from contest.work.game_demo import play_game_demo


class Command(BaseCommand):
    help = "Create a contest of an installed game on a small world, with sample entries, and play it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="the name of an installed game")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("A demo has log-ins that everybody knows; production never creates one.")
        try:
            contest = play_game_demo(options["game"], self.stdout.write)
        except (Refused, RuntimeError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Its board: {contest.rounds.get().get_absolute_url()}")
        self.stdout.write(demo.log_ins())
