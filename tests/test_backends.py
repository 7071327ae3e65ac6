"""The service tests and the races again on PostgreSQL with Redis; on RabbitMQ those about messages."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid

import amqp
import kombu
import pytest
import redis

from contest.jobs.queues import QUEUES
from tests.backends import BROKERS, POSTGRES, need_broker, need_postgres, remove_database, remove_queues
from tests.conftest import ROOT

FILES = ("tests/services", "tests/security/test_races.py")
AGAIN = {"redis": "django_db and not once", "rabbitmq": "broker"}
"""What is run again, by its markers. What the database alone decides is the same with every broker."""
if os.environ.get("KAKURENBO_LONG"):
    AGAIN = dict.fromkeys(AGAIN, "django_db")  # `make backends`: all of them, on both.
PARTS = {"redis": 2, "rabbitmq": 1}
"""How many cases the tests of a backend are divided into, so that all processes of a run share them."""
PLUGINS = ("pytest_django.plugin", "pytest_timeout", "tests.parts", "no:cacheprovider")


def left_in(broker: str, name: str) -> list[str]:
    """What a broker still knows by a name."""
    if broker == "redis":
        with redis.from_url(BROKERS[broker]) as client:
            held = [tag for tag, message in client.hscan_iter("unacked") if name.encode() in message]
            return [str(key) for key in [*client.scan_iter(match=f"*{name}*"), *held]]
    with kombu.Connection(BROKERS[broker]) as connection:
        try:
            kombu.Queue(name, channel=connection.default_channel).queue_declare(passive=True)
        except amqp.NotFound:
            return []
    return [name]


@pytest.mark.service
@pytest.mark.parametrize("broker", BROKERS)
def test_nothing_of_a_run_is_left_in(broker: str) -> None:
    """Also not the message that a worker took and never answered for; what others have there stays."""
    need_broker(broker)
    mine, other = (f"kakurenbo_{uuid.uuid4().hex[:12]}-checks" for _ in range(2))
    try:
        for name in (mine, other):
            with kombu.Connection(BROKERS[broker]) as connection:
                queue = connection.SimpleQueue(name)
                for number in range(3):
                    queue.put({"number": number})
                queue.get(timeout=30)
                # A worker that is killed gives nothing back.
                connection.default_channel.do_restore = False  # type: ignore[attr-defined]
                assert left_in(broker, name)
        remove_queues(BROKERS[broker], [mine])
        assert left_in(broker, mine) == []
        assert left_in(broker, other)
    finally:
        remove_queues(BROKERS[broker], [mine, other])
    assert left_in(broker, other) == []


def run_again(broker: str, part: int) -> subprocess.CompletedProcess[str]:
    """A part of the service tests in a process of their own, on a database and queues that only they have."""
    name = f"kakurenbo_{broker}_{uuid.uuid4().hex[:12]}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {
        "KAKURENBO_DATABASE_URL": POSTGRES.rsplit("/", 1)[0] + f"/{name}",
        "KAKURENBO_BROKER_URL": BROKERS[broker],
        "KAKURENBO_QUEUE_PREFIX": f"{name}-",
        # Plugins that no service test uses take longer to load than most of the tests.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", *FILES, "-m", AGAIN[broker], f"--part={part}/{PARTS[broker]}"]
    command += [f"-p{plugin}" for plugin in PLUGINS]
    command += ["-q", "--tb=short", "--show-capture=no"]
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    finally:
        remove_database(f"test_{name}")
        remove_queues(BROKERS[broker], [f"{name}-{queue}" for queue in set(QUEUES.values())])


@pytest.mark.service
@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("broker", "part"), [(broker, part) for broker, parts in PARTS.items() for part in range(parts)]
)
def test_the_service_tests_pass_on_postgresql_with(broker: str, part: int) -> None:
    need_postgres()
    need_broker(broker)
    done = run_again(broker, part)
    print(done.stdout[-6000:])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
