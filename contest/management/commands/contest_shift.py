from __future__ import annotations

import datetime
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.declarations.phase import SHIFT
from contest.errors import Refused
from contest.models import Organiser, Round
from contest.names.lookalikes import normalise_name
from contest.services.shifts import of_shift, plan_of, shift_round
from datasets.setting import BadValue


class Command(BaseCommand):
    help = "Move all of a round that is still to come. Without --yes, only say what would follow."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("contest", help="the contest's address, e.g. pwscup")
        parser.add_argument("round", help="the round's address, e.g. practice")
        for setting in SHIFT:
            parser.add_argument(
                f"--{setting.name}", default="0", help=f"{setting.expected}; negative: earlier"
            )
        parser.add_argument("--organiser", required=True, help="user name of an organiser of the contest")
        parser.add_argument("--reason", default="", help="stored in the log; needed with --yes")
        parser.add_argument("--yes", action="store_true", help="do it")

    def handle(self, *args: Any, **options: Any) -> None:
        round_ = _round(options["contest"], options["round"])
        who = normalise_name(options["organiser"])
        organiser = Organiser.objects.filter(contest=round_.contest, user__name_key=who).first()
        if organiser is None:
            raise CommandError(f"{options['organiser']!r} does not organise {options['contest']}.")
        try:
            by = datetime.timedelta(**{it.name: it.checked(it.parsed(options[it.name])) for it in SHIFT})
            plan = plan_of(round_)
            for consequence in of_shift(round_, by):
                self.stdout.write(consequence.text)
            if options["yes"]:
                version = round_.settings_version
                shift_round(round_, organiser.user, version, by, options["reason"], plan=plan)
        except BadValue as bad:
            raise CommandError(f"--{bad.name}: {bad}.") from None
        except Refused as refusal:
            raise CommandError(refusal.text) from None
        self.stdout.write("Done." if options["yes"] else "Nothing has changed; add --yes to do this.")


def _round(contest: str, slug: str) -> Round:
    found = Round.objects.select_related("contest").filter(contest__slug=contest, slug=slug).first()
    if found is None:
        raise CommandError(f"There is no round {slug!r} of a contest {contest!r}.")
    return found
