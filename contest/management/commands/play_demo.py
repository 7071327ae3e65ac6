from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection

from contest.services.demo import play_on

logger = logging.getLogger(__name__)

SECONDS_BETWEEN = 0.5


class Command(BaseCommand):
    help = "Let the teams of the demo contest play, each move when the last one has been judged; then end."

    def handle(self, *args: Any, **options: Any) -> None:
        # The progress of a search is for the people who started it, not for the terminal of the server.
        logging.getLogger("anonymizers").setLevel(logging.WARNING)
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        while not stop.is_set():
            try:
                if not play_on():
                    return
            except DatabaseError:
                # SQLite has one writer; the rows say which move is next, so it is simply tried again.
                logger.exception("the demo's play was interrupted")
                connection.close()
            stop.wait(SECONDS_BETWEEN)
