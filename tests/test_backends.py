"""The service tests and the races again, on PostgreSQL with Redis and on PostgreSQL with RabbitMQ."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from tests.conftest import ROOT, missing

POSTGRES = os.environ.get("KAKURENBO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
BROKERS = {
    "redis": (os.environ.get("KAKURENBO_TEST_REDIS", "redis://127.0.0.1:6379/9"), 6379),
    "rabbitmq": (os.environ.get("KAKURENBO_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"), 5672),
}


def reachable(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return True
    except OSError:
        return False


@pytest.mark.service
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("broker", BROKERS)
def test_the_service_tests_pass_on_postgresql_with(broker: str) -> None:
    url, port = BROKERS[broker]
    if not reachable(5432):
        missing("no PostgreSQL answers on 127.0.0.1:5432 (make system installs it)")
    if not reachable(port):
        missing(f"no {broker} answers on 127.0.0.1:{port} (make system installs it)")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {
        "KAKURENBO_DATABASE_URL": POSTGRES.rsplit("/", 1)[0] + f"/kakurenbo_{broker}_{os.getpid()}",
        "KAKURENBO_BROKER_URL": url,
        "KAKURENBO_QUEUE_PREFIX": f"test-{os.getpid()}-",
        "KAKURENBO_TEST_KILLS": "6",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/services",
        "tests/security/test_races.py",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout[-6000:])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
