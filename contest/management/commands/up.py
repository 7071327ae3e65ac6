from __future__ import annotations

import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from contest.operations import processes
from contest.operations.migrating import migrate
from contest.operations.private_files import close_to_others
from contest.operations.supervisor import Supervisor
from contest.services import demo


class Command(BaseCommand):
    help = "Migrate, prepare the demo contest, then run web server, workers and sweeper until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--workers",
            type=int,
            default=2,
            help="Processes that score and attack, and as many for programs (default 2); one more checks.",
        )
        parser.add_argument("--no-demo", action="store_true", help="Do not create the demo contest.")

    def handle(self, *args: Any, **options: Any) -> None:
        _require_free_port(options["host"], options["port"])
        settings.VAR.mkdir(parents=True, exist_ok=True, mode=0o700)
        close_to_others()
        migrate()
        call_command("collectstatic", verbosity=0, interactive=False)
        self.demo = not options["no_demo"] and not settings.PRODUCTION
        if self.demo and demo.seed_demo():
            self.stdout.write("The demo contest is being prepared; its first entries are on their way.")
        self.url = f"http://{options['host']}:{options['port']}/"
        # E-mails hold links; unless the installation sets its address, they lead to the port that is served.
        os.environ.setdefault("KAKURENBO_SITE_URL", self.url)
        self.announced = False
        Supervisor(self._commands(options), on_tick=self._announce, with_an_end={"demo"}).run()
        self.stdout.write("Stopped. Everything is kept; start again with the same command.")

    def _commands(self, options: dict[str, Any]) -> dict[str, list[str]]:
        commands = {
            "web": processes.web(f"{options['host']}:{options['port']}"),
            **processes.workers_of_one_machine(settings.QUEUE_PREFIX, concurrency=options["workers"]),
            "sweeper": processes.sweeper(),
        }
        if self.demo:
            commands["demo"] = ["manage.py", "play_demo"]
        manage = str(settings.BASE_DIR / "manage.py")
        return {
            name: [sys.executable, *(manage if word == "manage.py" else word for word in command)]
            for name, command in commands.items()
        }

    def _announce(self) -> None:
        """Print the address once the server answers there."""
        if self.announced:
            return
        try:
            with urlopen(f"{self.url}healthz", timeout=1):  # noqa: S310  # our own address
                pass
        except (URLError, OSError):
            return
        self.announced = True
        self.stdout.write(f"\nKakurenbo is up: {self.url}\nIts data is kept in {settings.VAR}\n")
        if self.demo:
            self.stdout.write(demo.log_ins())
        self.stdout.write("Ctrl-C stops it.\n")
        # Where the output is a file or a pipe, too, the address is there while the server runs.
        self.stdout.flush()


def _require_free_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}). Another server may be running; "
                f"choose a port with: make run PORT={port + 1}"
            ) from None
