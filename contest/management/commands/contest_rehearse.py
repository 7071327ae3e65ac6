from __future__ import annotations

import json
import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.bundle.files import open_bundle
from contest.errors import Refused
from contest.models import Contest
from contest.rehearsal import Plan, as_dict, as_text, rehearse


class Command(BaseCommand):
    help = "Play the contest of a bundle with invented teams, in an installation that holds nothing else."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--teams", type=int, default=20)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--workers", type=int, default=2)
        parser.add_argument("--program-seconds", type=float, default=0.0)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if Contest.objects.exists():
            raise CommandError(
                "This installation has contests; `kakurenbo contest rehearse` makes an empty one."
            )
        # The progress of a search is for people who wait for one.
        for name in ("anonymizers", "contest", "games"):
            logging.getLogger(name).setLevel(logging.WARNING)
        plan = Plan(options["teams"], options["seed"], options["workers"], options["program_seconds"])
        with open_bundle(options["file"]) as opened:
            if opened.checked.bundle is None:
                raise CommandError("\n".join(str(problem) for problem in opened.checked.problems))
            try:
                outcome = rehearse(opened.checked.bundle, opened.open_file, plan, self.stderr.write)
            except Refused as refusal:
                raise CommandError(refusal.text) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_dict(outcome), indent=2, ensure_ascii=False))
        else:
            self.stdout.write(as_text(outcome))
