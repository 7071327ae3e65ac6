from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from config import environment
from contest.operations.attack_role import ROLE, grant_attack_role
from contest.operations.migrating import migrate
from contest.operations.private_files import close_to_others


class Command(BaseCommand):
    help = (
        "Bring the installation up to date before a new version starts: close its files to others on the "
        "machine, migrate, and on PostgreSQL give the role "
        f"{ROLE} of the attack machines its narrow rights (where KAKURENBO_ATTACKS_PASSWORD is set)."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        close_to_others()
        migrate(verbosity=options["verbosity"])
        password = environment.text("ATTACKS_PASSWORD")
        if password and connection.vendor == "postgresql":
            grant_attack_role(ROLE, password)
            self.stdout.write(f"The role {ROLE} may now run attacks, and nothing else.")
