from django.apps import AppConfig
from django.contrib.auth.signals import user_login_failed


class ContestConfig(AppConfig):
    name = "contest"
    verbose_name = "Contests"

    def ready(self) -> None:
        from contest.services.password_guesses import note_wrong_password

        user_login_failed.connect(note_wrong_password, dispatch_uid="wrong passwords")
