"""The application: what is connected when it starts."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_login_failed


def _record_failure(**facts: Any) -> None:
    from contest.work.failures import record_failure  # It loads the numerics, which few commands need.

    record_failure(**facts)


class ContestConfig(AppConfig):
    name = "contest"
    verbose_name = "Contests"

    def ready(self) -> None:
        from contest.jobs.queue import job_failed
        from contest.services.password_guesses import note_wrong_password

        job_failed.connect(_record_failure, dispatch_uid="record failure")
        user_login_failed.connect(note_wrong_password, dispatch_uid="wrong passwords")
