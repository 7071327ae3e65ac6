"""The services that test runs of several clones and users share, and how the runs keep apart on them.

A service is present if it lets us in and do what the tests do; an open port alone may be anybody's. Every run
takes databases, roles and queues with names of its own and removes them.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import amqp
import kombu
import psycopg
import redis
from django.db import connection

from tests.conftest import missing

POSTGRES = os.environ.get("KAKURENBO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
BROKERS = {
    "redis": os.environ.get("KAKURENBO_TEST_REDIS", "redis://127.0.0.1:6379/9"),
    "rabbitmq": os.environ.get("KAKURENBO_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"),
}
TITLES = {"redis": "Redis", "rabbitmq": "RabbitMQ"}
CROWD = 0x6B616B75
"""The key of a lock in PostgreSQL: any number, as long as all runs take the same."""


def need_postgres(url: str = POSTGRES) -> None:
    """Skip where no PostgreSQL lets us make databases and roles."""
    question = "SELECT rolsuper OR (rolcreatedb AND rolcreaterole) FROM pg_roles WHERE rolname = current_user"
    try:
        with psycopg.connect(url, connect_timeout=5) as admin:
            answer = admin.execute(question).fetchone()
    except psycopg.Error as error:
        _refused("PostgreSQL", url, error)
    else:
        if answer != (True,):
            _refused("PostgreSQL", url, "its user may not make databases and roles")


def need_broker(name: str, url: str | None = None) -> None:
    """Skip where a broker does not let us in."""
    url = url or BROKERS[name]
    try:
        if name == "redis":
            with redis.from_url(url, socket_timeout=5, socket_connect_timeout=5) as client:
                client.ping()
        else:
            with kombu.Connection(url, connect_timeout=5) as broker:
                broker.connect()
    except (OSError, redis.RedisError, amqp.AMQPError) as error:
        _refused(TITLES[name], url, error)


def _refused(title: str, url: str, why: object) -> None:
    """Says where a service was looked for, without the password, and why it cannot be used."""
    place = f"{urlsplit(url).hostname}:{urlsplit(url).port}"
    variable = "KAKURENBO_TEST_" + title.upper().replace("POSTGRESQL", "POSTGRES")
    missing(f"{title} absent: make system installs it, {variable} says where it is; not at {place} ({why})")


def remove_database(name: str) -> None:
    with psycopg.connect(POSTGRES, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def remove_queues(url: str, queues: Sequence[str]) -> None:
    """Remove what a run leaves in a broker, which would keep it for ever."""
    if url.startswith("redis"):
        _remove_from_redis(url, queues)
        return
    with kombu.Connection(url) as broker:
        for name in queues:
            queue = kombu.Queue(name, kombu.Exchange(name)).bind(broker.default_channel)
            queue.delete()
            queue.exchange.delete()


def _remove_from_redis(url: str, queues: Sequence[str]) -> None:
    """Kombu deletes only queues that this process has declared, and forgets what killed workers held.

    That is kept in one place for all queues, and given back to them after an hour by any worker.
    """
    with redis.from_url(url) as client:
        for name in set(queues):
            for key in [*client.scan_iter(match=f"{name}*"), *client.scan_iter(match=f"_kombu.*.{name}*")]:
                client.delete(key)
        for tag, held in client.hscan_iter("unacked"):
            if json.loads(held)[2] in queues:
                client.hdel("unacked", tag)
                client.zrem("unacked_index", tag)


@contextlib.contextmanager
def crowd() -> Iterator[None]:
    """One test at a time takes most of the server's connections, whoever runs it and from whichever clone."""
    if connection.vendor != "postgresql":
        yield
        return
    # In the database that all runs begin with: PostgreSQL keeps such a lock for each database.
    with psycopg.connect(POSTGRES, autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(%s)", [CROWD])
        yield
