from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from contest.models import AuditEvent, Contest
from contest.records.audit import extend_all_chains, verify_chain


class Command(BaseCommand):
    help = "Compute every hash of the audit logs again; name the first row that was changed, if any."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="one contest (default: all, and the site's own log)")

    def handle(self, *args: Any, **options: Any) -> None:
        contests = Contest.objects.order_by("slug")
        if options["slug"]:
            contests = contests.filter(slug=options["slug"])
            if not contests.exists():
                raise CommandError(f"There is no contest {options['slug']!r}.")
        extend_all_chains()
        chains: list[tuple[str, int | None]] = [(contest.slug, contest.pk) for contest in contests]
        if not options["slug"]:
            chains.append(("the site", None))
        broken = 0
        for name, key in chains:
            number, problem = verify_chain(key)
            broken += bool(problem)
            total = AuditEvent.objects.filter(contest=key).count()
            self.stdout.write(
                f"{name}: {f'BROKEN: {problem}' if problem else f'{number} of {total} rows hold'}"
            )
        if broken:
            raise CommandError(f"{broken} of {len(chains)} logs are broken.")
