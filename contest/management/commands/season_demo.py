from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from contest.errors import Refused
from contest.files.season_archives import season_archive
from contest.records.verify import Archive, verify
from contest.services import demo
from contest.work.season_demo import play_season
from games.formats.demo import SEASON


class Command(BaseCommand):
    help = "Create a contest whose season is played to its end: practice, final, reveal, awards, archive."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("A demo has log-ins that everybody knows; production never creates one.")
        # The progress of a search is for the people who started it.
        logging.getLogger("games").setLevel(logging.WARNING)
        try:
            contest, is_new = play_season(SEASON, self.stdout.write)
        except (Refused, RuntimeError) as error:
            raise CommandError(str(error)) from error
        path = season_archive(contest.slug)
        if is_new or not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            call_command("contest_archive", contest.slug, out=path, stdout=self.stdout)
            with Archive(path) as archive:
                self.stdout.write("\n".join(verify(archive)))
        self.stdout.write(f"Its story: {reverse('story', args=[contest.slug])}")
        self.stdout.write(demo.log_ins())
