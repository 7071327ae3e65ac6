from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.operations.doctor.examination import CHECKS, examine

SIGNS = {"ok": "ok     ", "warning": "WARNING", "failed": "FAILED "}


class Command(BaseCommand):
    help = "Report what is wrong with this installation and how to fix it. Exit code 1 where something is."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument("--only", default="", help="some checks, separated by commas")
        parser.add_argument("--skip", default="", help="all but these checks")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = options["only"].split(",") if options["only"] else list(CHECKS)
        skipped = [name for name in options["skip"].split(",") if name]
        unknown = sorted({*chosen, *skipped} - set(CHECKS))
        if unknown:
            raise CommandError(f"There is no check {unknown[0]!r}. There are: {', '.join(CHECKS)}.")
        found = []
        for name, finding in examine([name for name in chosen if name not in skipped]):
            found.append((name, finding))
            if not options["json"]:
                self.stdout.write(f"{SIGNS[finding.state]} {name}: {finding.text}")
                if finding.mend:
                    self.stdout.write(f"        → {finding.mend}")
        failures = sum(finding.state == "failed" for _, finding in found)
        if options["json"]:
            findings = {name: finding.as_dict() for name, finding in found}
            self.stdout.write(json.dumps({"ok": not failures, "findings": findings}, indent=2))
        if failures:
            raise CommandError(f"{failures} of {len(found)} checks failed.", returncode=1)
