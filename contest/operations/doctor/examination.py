"""All checks, in the order in which they make sense to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _

from contest.operations.doctor import files, machine, services
from contest.operations.doctor.finding import Finding, failed

CHECKS: dict[str, Callable[[], Finding]] = {
    "database": services.database,
    "migrations": services.migrations,
    "stores": machine.stores,
    "vault-permissions": machine.vault_permissions,
    "file-modes": machine.file_modes,
    "broker": services.broker,
    "workers": services.workers,
    "sweeper": services.sweeper,
    "sandbox": machine.sandbox,
    "program-limits": machine.program_limits,
    "clock": machine.clock,
    "disk": machine.disk,
    "secret-key": machine.secret_key,
    "audit-chain": files.audit_chain,
    "stored-files": files.stored_files,
}
SLOW = {"stored-files", "sandbox", "file-modes"}
"""Checks that take long where there is much to look at; the page of operations leaves them to the command."""


def examine(names: list[str] | None = None) -> Iterator[tuple[str, Finding]]:
    """Run the checks one by one. A check that breaks is itself a finding."""
    for name in names or CHECKS:
        try:
            yield name, CHECKS[name]()
        except Exception as error:  # noqa: BLE001  # whatever breaks, the doctor continues and reports it
            yield (
                name,
                failed(
                    _("The check itself failed: %(error)s") % {"error": f"{type(error).__name__}: {error}"},
                    _("Fix what it names first; the checks before this one may already say what."),
                ),
            )
