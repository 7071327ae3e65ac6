"""The board at 25, 100 and 1,000 entries: queries, CPU beside a trivial view, and bytes over the wire."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ROUNDS = 40


@contextmanager
def installation() -> Iterator[None]:
    """Django on an empty database of its own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.db import connection
    from django.test.utils import setup_test_environment, teardown_test_environment

    setup_test_environment()
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
        teardown_test_environment()


def cpu(call: Callable[[], Any]) -> float:
    """Median CPU seconds of a warm call."""
    call()
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def n_queries(call: Callable[[], Any]) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def measure(n: int) -> None:
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from tests.contest.test_leaderboard import fill_board
    from tests.factories import make_round

    settings.API_RATES = dict.fromkeys(settings.API_RATES)  # a benchmark is not throttled
    round_ = make_round()
    fill_board(round_, n)
    round_.refresh_from_db()
    client = Client(headers={"accept-encoding": "gzip"})
    page = round_.get_absolute_url()
    api = reverse("api-leaderboard", args=[round_.contest.slug, round_.slug])
    poll = {"HX-Request": "true"}
    calls: dict[str, Callable[[], Any]] = {
        "page": lambda: client.get(page),
        "API": lambda: client.get(api),
        "poll, changed": lambda: client.get(f"{page}?version=0", headers=poll),
        "poll, unchanged": lambda: client.get(f"{page}?version={round_.board_version}", headers=poll),
    }
    trivial = cpu(lambda: client.get("/healthz"))
    for name, call in calls.items():
        answer = call()
        assert answer.status_code in (200, 204), answer.status_code
        spent = cpu(call)
        print(
            f"{n:5} entries, {name:16} {n_queries(call)} queries, {1000 * spent:5.1f} ms CPU, "
            f"{spent / trivial:4.1f} x a trivial view, {len(answer.content):6} B"
        )


def main() -> None:
    with installation():
        for n in (25, 100, 1000):
            measure(n)


if __name__ == "__main__":
    main()
