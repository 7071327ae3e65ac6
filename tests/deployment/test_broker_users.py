"""The attack machines' user of the broker: it works, and every other command, key, queue and act is refused.

On a Redis and in a virtual host of RabbitMQ of the test's own, with the users that docker/*-users.sh make.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import amqp
import psycopg
import pytest
import redis

from contest.operations import processes
from tests.backends import BROKERS, POSTGRES, need_broker, need_postgres, remove_database
from tests.conftest import ROOT, missing
from tests.services.installation import FAST, wait_for
from tests.services.servers import Redis, private_server

pytestmark = [pytest.mark.service, pytest.mark.slow]

DOCKER = ROOT / "docker"
OWN = ("attacks", "programs")
REDIS_COMMANDS = {"auth", "hello", "quit", "reset", "ping", "brpop"}
"""Everything that the user can do; the first four Redis lets anybody do who has not even given a password."""
RABBITMQ_ACTS = {
    "basic.consume", "basic.get", "queue.purge", "queue.declare passive", "queue.declare passive of others",
    "exchange.declare passive",
}  # fmt: skip


@dataclass(frozen=True)
class Broker:
    everybody: str
    attacks: str


@pytest.fixture(scope="module")
def redis_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("docker")
    for name in ("make-secrets.sh", "redis-users.sh"):
        (folder / name).write_bytes((DOCKER / name).read_bytes())
    subprocess.run(["sh", str(folder / "make-secrets.sh")], check=True, capture_output=True)
    made = {path.name: path.read_text("utf-8") for path in (folder / "secrets").iterdir()}
    with private_server(Redis) as server:
        assert isinstance(server, Redis)
        server.restart_with_users(made["redis_users"])
        yield Broker(server.at(made["broker_url"]), server.at(made["attacks_broker_url"]))


@pytest.fixture(scope="module")
def rabbitmq_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    need_broker("rabbitmq")
    need_rabbitmqctl()
    name = f"kakurenbo_{uuid.uuid4().hex[:12]}"
    place = f"{urlsplit(BROKERS['rabbitmq']).hostname}:{urlsplit(BROKERS['rabbitmq']).port}"
    urls = [f"amqp://{user}:{secrets.token_urlsafe(24)}@{place}/{name}" for user in (name, f"{name}_attacks")]
    folder = tmp_path_factory.mktemp("rabbitmq")
    files = [folder / "broker_url", folder / "attacks_broker_url"]
    for file, url in zip(files, urls, strict=True):
        file.write_text(url + "\n", encoding="utf-8")
    try:
        # A second time changes nothing: that is how rights are set anew.
        for _ in range(2):
            subprocess.run(["sh", str(DOCKER / "rabbitmq-users.sh"), *map(str, files)], check=True)
        yield Broker(*urls)
    finally:
        for words in (["delete_vhost", name], ["delete_user", name], ["delete_user", f"{name}_attacks"]):
            subprocess.run(["rabbitmqctl", "--quiet", *words], check=False, capture_output=True)


def need_rabbitmqctl() -> None:
    if shutil.which("rabbitmqctl") is None:
        missing("RabbitMQ absent: there is no rabbitmqctl (make system)")
    asked = subprocess.run(
        ["rabbitmqctl", "--quiet", "list_vhosts"], capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        missing(f"RabbitMQ's control absent: rabbitmqctl needs root on its machine ({asked.stderr[-200:]!r})")


# Redis


def commands(client: redis.Redis) -> list[tuple[tuple[str, ...], int]]:
    """Every command of this server with its subcommands, and how many words each has at least."""
    connection = client.connection_pool.make_connection()
    connection.connect()
    connection.send_command("COMMAND")
    found = []
    for described in connection.read_response():
        name, arity = described[0].decode(), abs(described[1])
        below = described[9] if len(described) > 9 else []
        found += [((name,), arity)] if not below else []
        found += [(tuple(sub[0].decode().split("|")), abs(sub[1])) for sub in below]
    connection.disconnect()
    return found


def is_refused(url: str, words: tuple[str, ...]) -> bool:
    """Whether Redis says that this user has no right to it, rather than that the words make no sense."""
    with redis.from_url(url) as client:
        connection = client.connection_pool.make_connection()
        connection.connect()
        try:
            connection.send_command(*words)
            connection.read_response()
        except redis.ResponseError as error:
            # DEBUG and MODULE are closed to everybody by default, before anybody's rights are looked at.
            return bool(re.search(r"has no permissions|command not allowed", str(error)))
        except redis.AuthenticationError:
            return False
        finally:
            connection.disconnect()
    return False


def test_of_all_commands_of_redis_the_attack_machines_can_do_six(redis_users: Broker) -> None:
    with redis.from_url(redis_users.everybody) as client:
        known = commands(client)
    assert len(known) > 300
    allowed = set()
    for name, arity in known:
        words = (*name, *("attacks" for _ in range(arity - len(name))))
        if not is_refused(redis_users.attacks, words):
            allowed.add(" ".join(name))
    assert allowed == REDIS_COMMANDS


def test_the_attack_machines_reach_no_other_key_of_redis(redis_users: Broker) -> None:
    with redis.from_url(redis_users.everybody) as client:
        others = [queue for queues in processes.MACHINES.values() for queue in queues if queue not in OWN]
        assert {"checks", "scoring", "house"} == set(others)
        others += [
            ":1:throttle_anonymous_127.0.0.1",
            "unacked",
            "unacked_index",
            "_kombu.binding.attacks",
            "",
        ]
        others += ["attacks2", "xattacks", "attack?", "*", "attacks\x06\x163", "Attacks"]
        for key in others:
            client.delete(key)
            assert is_refused(redis_users.attacks, ("BRPOP", key, "0.01")), key
            assert is_refused(redis_users.attacks, ("BRPOP", "attacks", key, "0.01")), key
            assert not client.exists(key)
    for key in OWN:
        assert not is_refused(redis_users.attacks, ("BRPOP", key, "0.01"))


def test_redis_lets_nobody_in_without_a_password(redis_users: Broker) -> None:
    place = redis_users.attacks.split("@")[1]
    for url in (f"redis://{place}", f"redis://:wrong@{place}", f"redis://kakurenbo_attacks:wrong@{place}"):
        with redis.from_url(url) as client, pytest.raises(redis.AuthenticationError):
            client.ping()


@pytest.mark.parametrize(
    ("everybody", "attacks", "sentence"),
    [
        ("redis://:{a}@h:1/0", "redis://:{b}@h:1/0", "kakurenbo_attacks:PASSWORD"),
        ("redis://h:1/0", "redis://kakurenbo_attacks:{b}@h:1/0", "must hold redis://:PASSWORD"),
        ("redis://:{a}@h:1/0", "redis://kakurenbo_attacks:{a}@h:1/0", "a password of their own"),
        ("redis://:short@h:1/0", "redis://kakurenbo_attacks:{b}@h:1/0", "20 or more"),
    ],
)
def test_users_of_redis_are_not_made_from_urls_that_do_not_keep_them_apart(
    everybody: str, attacks: str, sentence: str, tmp_path: Path
) -> None:
    for name, url in (("one", everybody), ("two", attacks)):
        (tmp_path / name).write_text(url.format(a="a" * 30, b="b" * 30) + "\n", encoding="utf-8")
    command = ["sh", str(DOCKER / "redis-users.sh"), str(tmp_path / "one"), str(tmp_path / "two")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert sentence in done.stderr
    assert "a" * 30 not in done.stderr and "b" * 30 not in done.stderr


# RabbitMQ


@contextlib.contextmanager
def channel(url: str) -> Iterator[amqp.Channel]:
    parts = urlsplit(url)
    assert parts.username and parts.password
    with amqp.Connection(
        f"{parts.hostname}:{parts.port}",
        parts.username,
        parts.password,
        virtual_host=parts.path[1:],
        connect_timeout=10,
        read_timeout=20,
        confirm_publish=True,
    ) as connection:
        yield connection.channel()


def may(url: str, act: Callable[[amqp.Channel], Any]) -> bool:
    try:
        with channel(url) as opened:
            act(opened)
    except amqp.AccessRefused:
        return False
    return True


def publish(exchange: str, queue: str) -> Callable[[amqp.Channel], Any]:
    return lambda it: it.basic_publish_confirm(amqp.Message("{}"), exchange, queue)


def acts(queue: str) -> dict[str, Callable[[amqp.Channel], Any]]:
    """Everything in AMQP that reads, writes or changes something of a queue or an exchange."""
    return {
        "basic.consume": lambda it: it.basic_consume(queue),
        "basic.get": lambda it: it.basic_get(queue),
        "basic.publish to the default exchange": publish("", queue),
        "basic.publish to amq.direct": publish("amq.direct", queue),
        "basic.publish to amq.fanout": publish("amq.fanout", queue),
        "basic.publish to amq.topic": publish("amq.topic", queue),
        "queue.purge": lambda it: it.queue_purge(queue),
        "queue.delete": lambda it: it.queue_delete(queue),
        "queue.declare": lambda it: it.queue_declare(queue, durable=True, auto_delete=False),
        "queue.declare exclusive": lambda it: it.queue_declare(queue, exclusive=True),
        "queue.declare passive": lambda it: it.queue_declare(queue, passive=True),
        "queue.bind": lambda it: it.queue_bind(queue, "amq.direct", "x"),
        "queue.unbind": lambda it: it.queue_unbind(queue, "amq.direct", "x"),
        "exchange.declare": lambda it: it.exchange_declare(f"{queue}-exchange", "direct", auto_delete=False),
        "exchange.declare passive": lambda it: it.exchange_declare("amq.direct", "direct", passive=True),
        "exchange.delete": lambda it: it.exchange_delete("amq.direct"),
        "exchange.bind": lambda it: it.exchange_bind("amq.direct", "amq.topic", "x"),
    }


def test_the_attack_machines_can_read_their_queues_of_rabbitmq_and_do_nothing_else(
    rabbitmq_users: Broker,
) -> None:
    with channel(rabbitmq_users.everybody) as admin:
        admin.queue_declare("checks", durable=True, auto_delete=False)
    for queue in OWN:
        allowed = {name for name, act in acts(queue).items() if may(rabbitmq_users.attacks, act)}
        assert allowed == RABBITMQ_ACTS - {"queue.declare passive of others"}
    allowed = {name for name, act in acts("checks").items() if may(rabbitmq_users.attacks, act)}
    assert allowed == {"queue.declare passive", "exchange.declare passive"}
    for queue in ("", "celery", "new"):
        assert not may(rabbitmq_users.attacks, lambda it, queue=queue: it.queue_declare(queue))
    with channel(rabbitmq_users.everybody) as admin:
        for queue in (*OWN, "checks"):
            assert admin.queue_declare(queue, passive=True).message_count == 0  # type: ignore[attr-defined]


def test_the_attack_machines_have_no_other_virtual_host_of_rabbitmq(rabbitmq_users: Broker) -> None:
    elsewhere = rabbitmq_users.attacks.rsplit("/", 1)[0] + "//"
    with pytest.raises(amqp.NotAllowed), channel(elsewhere):
        pass
    tags = subprocess.run(
        ["rabbitmqctl", "--quiet", "list_users", "--formatter", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    name = urlsplit(rabbitmq_users.attacks).username
    assert [user["tags"] for user in json.loads(tags.stdout) if user["user"] == name] == [[]]


def test_the_list_in_the_documentation_is_this_one() -> None:
    text = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (Redis|RabbitMQ) \| (.+) \|$", text, re.MULTILINE))
    assert set(re.findall(r"`([A-Z]+)`", rows["Redis"])) == {name.upper() for name in REDIS_COMMANDS}
    assert set(re.findall(r"`([a-z. ]+\.[a-z ]+)`", rows["RabbitMQ"])) == RABBITMQ_ACTS
    for queue in OWN:
        assert f"`{queue}`" in rows["Redis"] and f"`{queue}`" in rows["RabbitMQ"]


# An attack from end to end


PREPARE = """
import sys
import django
django.setup()
from django.core.management import call_command
from contest.operations.attack_role import grant_attack_role
from tests.factories import make_entry, make_round, make_team

call_command("prepare_database", verbosity=0)
grant_attack_role(sys.argv[1], sys.argv[2])
round_ = make_round(attacks=["re-itemset", "re-rfm"])
make_entry(round_, make_team(round_.contest))
"""


class Installation:
    """Each kind of machine with its own credentials for the database and the broker."""

    def __init__(self, broker: Broker, database: str, folder: Path) -> None:
        self.broker = broker
        self.database = database
        self.role = database.rsplit("/", 1)[1]
        self.password = secrets.token_urlsafe(24)
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, machine: str) -> dict[str, str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("KAKURENBO_")}
        common = {
            **clean,
            **FAST,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "KAKURENBO_VAR": str(self.folder),
        }
        if machine != "attacks":
            return {
                **common,
                "KAKURENBO_DATABASE_URL": self.database,
                "KAKURENBO_BROKER_URL": self.broker.everybody,
            }
        narrow = self.database.replace("postgres@", f"{self.role}:{self.password}@", 1)
        return {
            **common,
            "KAKURENBO_ROLE": "attacks",
            "KAKURENBO_PRODUCTION": "1",
            "KAKURENBO_DATABASE_URL": narrow,
            "KAKURENBO_BROKER_URL": self.broker.attacks,
        }

    def prepare(self) -> None:
        command = [sys.executable, "-c", PREPARE, self.role, self.password]
        subprocess.run(command, cwd=ROOT, env=self.environment("web"), check=True)

    def start(self, machine: str) -> None:
        queues = processes.MACHINES.get(machine)
        command = processes.worker(queues, concurrency=1) if queues else processes.sweeper()
        with (self.folder / f"{machine}.log").open("wb") as log:
            self.running[machine] = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=self.environment(machine),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self, machine: str) -> str:
        return (self.folder / f"{machine}.log").read_text(encoding="utf-8", errors="replace")

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database) as connection:
            return connection.execute(question).fetchall()

    def kill(self) -> None:
        for process in self.running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def installed(broker: Broker, folder: Path) -> Iterator[Installation]:
    need_postgres()
    name = f"kakurenbo_users_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    place = Installation(broker, POSTGRES.rsplit("/", 1)[0] + f"/{name}", folder)
    try:
        yield place
    except BaseException as error:
        error.add_note("\n".join(f"--- {name}\n{place.said(name)[-3000:]}" for name in place.running))
        raise
    finally:
        place.kill()
        remove_database(name)
        with psycopg.connect(POSTGRES, autocommit=True) as admin:
            admin.execute(f"DROP ROLE IF EXISTS {name}")


@pytest.mark.parametrize("kind", ["redis", "rabbitmq"])
def test_an_attack_machine_with_its_own_users_works_a_job_from_end_to_end(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    broker: Broker = request.getfixturevalue(f"{kind}_users")
    with installed(broker, tmp_path) as place:
        place.prepare()
        for machine in ("attacks", "checks", "scoring", "sweeper"):
            place.start(machine)
        done = "SELECT count(*) FROM contest_attackrun WHERE state = 'done'"
        wait_for(lambda: place.rows(done) == [(2,)], 240, "both attacks are made there and judged elsewhere")
        workers = place.rows("SELECT DISTINCT worker FROM contest_job WHERE kind = 'attack'")
        assert workers[0][0].endswith(f":{place.running['attacks'].pid}")
        assert place.rows("SELECT DISTINCT state, attempts FROM contest_job") == [("done", 1)]
        place.running["attacks"].send_signal(signal.SIGTERM)
        assert place.running["attacks"].wait(timeout=120) == 0
        for machine in place.running:
            said = place.said(machine)
            assert not re.search(r"NOPERM|ACCESS_REFUSED|Traceback|unregistered", said), said[-3000:]
