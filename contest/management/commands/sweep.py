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

from contest.jobs.heartbeats import beat, forget_the_dead, say_goodbye
from contest.jobs.queue import WORKER, sweep_jobs
from contest.models import Heartbeat
from contest.outside.notices import forget_old_notices
from contest.outside.outbox import retry_waiting_mail
from contest.outside.webhooks import queue_deliveries
from contest.records.audit import extend_all_chains
from contest.services.board_versions import sweep_tallies
from contest.services.older_house_jobs import adopt_older_jobs
from contest.services.phase_clock import run_clock
from contest.services.standings_history import record_standings

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Run the clock of all rounds, give back what dead workers hold, notify workers again of jobs that "
        "nobody took; forever, or once."
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
                adopt_older_jobs()
                for step in run_clock():
                    logger.info("clock: %s of round %s", step.what, step.round)
                extend_all_chains()
                record_standings()
                sweep_tallies()
                retry_waiting_mail()
                forget_old_notices()
                queue_deliveries()
                done = sweep_jobs()
                if any(done.values()):
                    logger.info("swept: %(given_back)s given back, %(notified)s notified again", done)
            except DatabaseError:
                # The database may be restarting; the next round tries again on a new connection.
                logger.exception("sweep failed")
                connection.close()
            if options["once"] or stop.wait(settings.SWEEP_SECONDS):
                say_goodbye(name)
                return
