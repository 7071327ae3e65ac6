"""The service tests and the races again on PostgreSQL with Redis; on RabbitMQ those that send messages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid

import amqp
import kombu
import pytest
import redis

from contest.services.jobs import TASKS
from tests.backends import BROKERS, POSTGRES, need_broker, need_postgres, remove_database, remove_queues
from tests.conftest import ROOT


def parts(broker: str) -> list[str]:
    """What is run again. What the database alone decides is the same with every broker: once is enough."""
    if broker == "redis":
        return ["tests/services", "tests/security/test_races.py"]
    files = sorted((ROOT / "tests/services").glob("test_*.py"))
    sends = re.compile(r"tests\.services\.(installation|servers)|config\.celery|[Bb]roker")
    return [str(path) for path in files if sends.search(path.read_text(encoding="utf-8"))]


def test_what_sends_messages_is_found() -> None:
    names = {path.rsplit("/", 1)[1] for path in parts("rabbitmq")}
    assert names >= {"test_broker.py", "test_jobs.py", "test_killed_workers.py", "test_whole_contest.py"}


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
                connection.default_channel.do_restore = False
                assert left_in(broker, name)
        remove_queues(BROKERS[broker], [mine])
        assert left_in(broker, mine) == []
        assert left_in(broker, other)
    finally:
        remove_queues(BROKERS[broker], [mine, other])
    assert left_in(broker, other) == []


@pytest.mark.service
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("broker", BROKERS)
def test_the_service_tests_pass_on_postgresql_with(broker: str) -> None:
    need_postgres()
    need_broker(broker)
    name = f"kakurenbo_{broker}_{uuid.uuid4().hex[:12]}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {
        "KAKURENBO_DATABASE_URL": POSTGRES.rsplit("/", 1)[0] + f"/{name}",
        "KAKURENBO_BROKER_URL": BROKERS[broker],
        "KAKURENBO_QUEUE_PREFIX": f"{name}-",
        "KAKURENBO_TEST_KILLS": "6",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        *parts(broker),
        "-q",
        "--tb=short",
        "--show-capture=no",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    finally:
        remove_database(f"test_{name}")
        remove_queues(BROKERS[broker], [f"{name}-{queue}" for _, queue in TASKS.values()])
    print(done.stdout[-6000:])
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
