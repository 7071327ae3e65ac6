from __future__ import annotations

import logging
import os
import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.utils import timezone

from contest.models import Heartbeat
from contest.services.audit import extend_all_chains
from contest.services.clock import run_clock
from contest.services.heartbeats import beat, forget_the_dead, say_goodbye
from contest.services.history import record_standings
from contest.services.jobs import WORKER, sweep_jobs
from contest.services.post import ring_for_waiting_mail
from contest.services.webhooks import queue_deliveries

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Run the clock of all rounds, give back what dead workers hold, ring again for jobs that nobody took "
        "up; for ever, or once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        if not options["once"]:
            signal.signal(signal.SIGTERM, lambda *_: stop.set())
        name, started_at = f"{WORKER.host}:{os.getpid()}:sweeper", timezone.now()
        while True:
            try:
                beat(name, Heartbeat.Kind.SWEEPER, [], started_at)
                forget_the_dead()
                for step in run_clock():
                    logger.info("clock: %s of round %s", step.what, step.round)
                extend_all_chains()
                record_standings()
                ring_for_waiting_mail()
                queue_deliveries()
                done = sweep_jobs()
                if any(done.values()):
                    logger.info("swept: %(given_back)s given back, %(rung)s rung again", done)
            except DatabaseError:
                # The database may be restarting; the next round tries again on a new connection.
                logger.exception("sweep failed")
                connection.close()
            if options["once"] or stop.wait(settings.SWEEP_SECONDS):
                say_goodbye(name)
                return
