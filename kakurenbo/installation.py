"""Commands that work on an installation. Django is loaded only here: all other commands need none."""

from __future__ import annotations

import os

from kakurenbo.main import UsageError


def manage(command: str, *words: str, **options: str | None) -> int:
    """Run a management command of the installation that the environment describes; returns its exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.management import CommandError, call_command
    from django.db import DatabaseError

    django.setup()
    given = [f"--{name}={value}" for name, value in options.items() if value is not None]
    try:
        call_command(command, *words, *given)
    except CommandError as error:
        if error.returncode == 1 and command == "doctor":
            return 1
        raise UsageError(str(error)) from error
    except DatabaseError as error:
        raise UsageError(
            f"The database of this installation does not answer as it should: {error}"
        ) from error
    return 0
