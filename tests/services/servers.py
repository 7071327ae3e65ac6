"""PostgreSQL, Redis and RabbitMQ of a test's own: own folders and ports, ended with the test."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import psycopg

from tests.conftest import free_port, missing
from tests.services.installation import wait_for


def plain_user() -> str | None:
    """PostgreSQL refuses to run as root; then it runs as the user that its package made."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            pwd.getpwnam(name)
            return name
    return None


def postgres_program(name: str) -> str:
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        missing(f"PostgreSQL absent: there is no {name} for a server of the test's own (make system)")
    return str(found)


class Server:
    """A program that is started, killed and started again on the same folder and port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def answers(self) -> bool:
        raise NotImplementedError

    def url(self) -> str:
        raise NotImplementedError

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command(),
            cwd=self.folder,
            user=plain_user(),
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.environment()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for(self.answers, 120, f"{type(self).__name__} answers on port {self.port}")

    def environment(self) -> dict[str, str]:
        return {}

    def kill(self) -> None:
        """kill -9 of it and of all that it started."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def restart(self) -> None:
        self.kill()
        self.start()


class Postgres(Server):
    def prepare(self) -> None:
        # In the C locale the encoding would be none, and a text would be read as bytes.
        command = [
            postgres_program("initdb"), "-D", str(self.folder / "data"), "-U", "kakurenbo", "-A", "trust",
            "--encoding", "UTF8", "--no-locale",
        ]  # fmt: skip
        subprocess.run(command, check=True, user=plain_user(), cwd=self.folder, capture_output=True)

    def command(self) -> list[str]:
        return [
            postgres_program("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port),
            "-h", "127.0.0.1", "-k", str(self.folder), "-c", "max_connections=300",
        ]  # fmt: skip

    def kill(self) -> None:
        # Its children are sessions of their own, so all of them end through it: SIGQUIT is its kill -9.
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            self.process = None

    def url(self, name: str = "kakurenbo") -> str:
        return f"postgresql://kakurenbo@127.0.0.1:{self.port}/{name}"

    def answers(self) -> bool:
        try:
            with psycopg.connect(self.url("postgres"), connect_timeout=2) as connection:
                connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True


class Redis(Server):
    users: Path | None = None

    def command(self) -> list[str]:
        users = ["--aclfile", str(self.users)] if self.users else []
        return [
            str(shutil.which("redis-server")), "--port", str(self.port), "--bind", "127.0.0.1",
            "--dir", str(self.folder), "--appendonly", "yes", "--save", "", *users,
        ]  # fmt: skip

    def restart_with_users(self, users: str) -> None:
        """From now on only these may come in, as docker/redis-users.sh prints them."""
        self.users = self.folder / "users"
        self.users.write_text(users, encoding="utf-8")
        self.users.chmod(0o644)
        self.restart()

    def at(self, url: str) -> str:
        """A URL of docker/make-secrets.sh, but of this server."""
        return url.strip().replace("@redis:6379/", f"@127.0.0.1:{self.port}/")

    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def answers(self) -> bool:
        import redis

        try:
            return bool(redis.Redis(port=self.port, socket_timeout=2).ping())
        except redis.AuthenticationError:
            return True  # It answers that it wants a password.
        except redis.RedisError:
            return False

    def empty(self) -> None:
        """All messages are lost."""
        import redis

        redis.Redis(port=self.port).flushall()


class RabbitMq(Server):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.distribution = free_port()

    def command(self) -> list[str]:
        return [str(shutil.which("rabbitmq-server"))]

    def environment(self) -> dict[str, str]:
        return {
            "RABBITMQ_NODENAME": f"chaos{self.port}@localhost",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(self.distribution),
            "RABBITMQ_BASE": str(self.folder),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq"),
        }

    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def answers(self) -> bool:
        import amqp

        try:
            with amqp.Connection(
                f"127.0.0.1:{self.port}", "guest", "guest", connect_timeout=2, read_timeout=5
            ):
                return True
        except (OSError, amqp.AMQPError):
            return False


Kind = TypeVar("Kind", bound=Server)


@contextlib.contextmanager
def private_server(kind: type[Kind]) -> Iterator[Kind]:
    """A running server of the test's own, whose folder is removed afterwards."""
    program = {Redis: "redis-server", RabbitMq: "rabbitmq-server"}.get(kind)
    if program and shutil.which(program) is None:
        missing(f"{kind.__name__} absent: there is no {program} for a server of the test's own (make system)")
    if os.geteuid() == 0 and plain_user() is None:
        missing("plain user absent: root may not run a server of the test's own")
    folder = Path(tempfile.mkdtemp(prefix="kakurenbo-server-"))
    user = plain_user()
    if user:
        shutil.chown(folder, user)
    server = kind(folder)
    try:
        if isinstance(server, Postgres):
            server.prepare()
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
