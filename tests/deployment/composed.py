"""The services of docker/compose.yaml with their commands, secrets and volumes: from an image or not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import yaml

from tests.conftest import ROOT, free_port
from tests.deployment.images import SHOWN_CHARACTERS, Builder

HOST = "contest.example.org"
USER = 10001
COMPOSED_ADDRESS = "0.0.0.0:8000"
SECRETS = "/run/secrets"
STORES = "/var/lib/kakurenbo/files"


class Composed(ABC):
    """All services on one machine, whose network and process numbers they share."""

    def __init__(self, folder: Path, urls: dict[str, str]) -> None:
        text = (ROOT / "docker/compose.yaml").read_text(encoding="utf-8")
        self.services: dict[str, Any] = yaml.safe_load(text)["services"]
        self.folder = folder
        self.port = free_port()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._make_secrets(urls)
        for name in ("entries", "attacks", "vault"):
            (folder / name).mkdir()

    def _make_secrets(self, urls: dict[str, str]) -> None:
        for name in ("make-secrets.sh", "redis-users.sh"):
            (self.folder / name).write_bytes((ROOT / "docker" / name).read_bytes())
        subprocess.run(["sh", str(self.folder / "make-secrets.sh")], check=True, capture_output=True)
        for name, url in urls.items():
            self.change_secret(name, url)

    def secret(self, name: str) -> str:
        return (self.folder / "secrets" / name).read_text(encoding="utf-8")

    def change_secret(self, name: str, value: str) -> None:
        secret = self.folder / "secrets" / name
        assert secret.exists(), name
        secret.unlink()
        secret.write_text(value, encoding="utf-8")
        secret.chmod(0o644)

    def variables(self, service: str) -> dict[str, str]:
        """What compose puts into the environment of a service, and the port that it listens on here."""
        described = self.services[service]["environment"]
        return {key: _filled(str(value)) for key, value in described.items()} | {
            "KAKURENBO_PORT": str(self.port)
        }

    def command(self, service: str) -> list[str]:
        address = f"127.0.0.1:{self.port}"
        return [word.replace(COMPOSED_ADDRESS, address) for word in self.services[service]["command"]]

    @abstractmethod
    def run(self, service: str, words: list[str]) -> str:
        """What a command prints that is run in the place of a service."""

    @abstractmethod
    def store(self, name: str) -> str:
        """Where a service sees a store."""

    @abstractmethod
    def _started(self, service: str) -> tuple[list[str], dict[str, str]]:
        """The line that starts a service, and its environment."""

    @abstractmethod
    def _programs(self, process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
        """The program of a service itself."""

    def start(self, service: str) -> None:
        line, environment = self._started(service)
        with self._log(service).open("wb") as log:
            self.running[service] = subprocess.Popen(
                line,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _log(self, service: str) -> Path:
        return self.folder / f"{service}.log"

    def said(self) -> str:
        """What the processes printed, with how they ended."""
        parts = []
        for name, process in self.running.items():
            text = self._log(name).read_text(encoding="utf-8", errors="replace")[-SHOWN_CHARACTERS:]
            parts.append(f"--- {name} (exit code {process.poll()})\n{text}")
        return "\n".join(parts)

    def ended(self) -> list[str]:
        """Which services have ended by themselves; none should."""
        return [name for name, process in self.running.items() if process.poll() is not None]

    def stop(self, service: str) -> int:
        """SIGTERM to the program itself, as an engine sends it."""
        process = self.running[service]
        for program in self._programs(process):
            program.send_signal(signal.SIGTERM)
        return process.wait(timeout=120)

    def kill(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                family = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                process.wait()
                for child in family:
                    with suppress(psutil.NoSuchProcess):
                        child.kill()
                psutil.wait_procs(family, timeout=60)


class FromImage(Composed):
    """One container with all the processes: no capabilities, an empty /tmp, the user of the image."""

    def __init__(self, builder: Builder, container: str, folder: Path, urls: dict[str, str]) -> None:
        super().__init__(folder, urls)
        self.builder = builder
        self.container = container
        for name in ("entries", "attacks", "vault"):
            os.chown(folder / name, USER, USER)

    def options(self, service: str) -> list[str]:
        """What compose gives a service, for buildah."""
        described = self.services[service]
        line = ["--cap-drop", "all", "--mount", "type=tmpfs,destination=/tmp"]
        for key, value in self.variables(service).items():
            line += ["--env", f"{key}={value}"]
        for secret in described["secrets"]:
            line += ["--volume", f"{self.folder / 'secrets' / secret}:{SECRETS}/{secret}:ro"]
        for volume in described.get("volumes", []):
            line += ["--volume", f"{self.folder}/{volume}"]
        return line

    def run(self, service: str, words: list[str]) -> str:
        return self.builder.output(self.container, words, self.options(service))

    def store(self, name: str) -> str:
        return f"{STORES}/{name}"

    def _started(self, service: str) -> tuple[list[str], dict[str, str]]:
        line = ["buildah", "run", *self.options(service), self.container, "--", *self.command(service)]
        return line, self.builder.environment

    def _programs(self, process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
        """buildah would kill it."""
        for child in psutil.Process(process.pid).children(recursive=True):
            parent = child.parent()
            if parent and parent.cmdline()[:1] == ["buildah-chroot-exec"]:
                yield child


class FromCheckout(Composed):
    """The same services with the Python of the tests, each with a folder that holds its own stores alone."""

    def __init__(self, folder: Path, urls: dict[str, str]) -> None:
        super().__init__(folder, urls)
        for service, described in self.services.items():
            if "build" in described:
                self._connect_stores(service, described.get("volumes", []))

    def _connect_stores(self, service: str, volumes: list[str]) -> None:
        for volume in volumes:
            name, place = volume.split(":")[:2]
            link = self._own(service) / Path(place).relative_to(Path(STORES).parent)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(self.folder / name)
        self._own(service).mkdir(parents=True, exist_ok=True)

    def _own(self, service: str) -> Path:
        return self.folder / "machines" / service

    def environment(self, service: str) -> dict[str, str]:
        """What the image and compose set. A secret that compose does not grant the service is an error."""
        secrets: list[str] = self.services[service]["secrets"]
        granted = {f"{SECRETS}/{name}": self.folder / "secrets" / name for name in secrets}
        found = {
            key: str(granted[value]) if value.startswith(f"{SECRETS}/") else value
            for key, value in self.variables(service).items()
        }
        ours = ("KAKURENBO_", "DJANGO_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        image = {"KAKURENBO_PRODUCTION": "1", "KAKURENBO_STATIC": str(self.folder / "static")}
        return kept | image | {"KAKURENBO_VAR": str(self._own(service))} | found

    def run(self, service: str, words: list[str]) -> str:
        done = subprocess.run(
            _here(words), cwd=ROOT, env=self.environment(service), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def store(self, name: str) -> str:
        return str(self.folder / name)

    def _started(self, service: str) -> tuple[list[str], dict[str, str]]:
        return _here(self.command(service)), self.environment(service)

    def _programs(self, process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
        yield psutil.Process(process.pid)


def _here(words: list[str]) -> list[str]:
    """A command of compose, by the Python of the tests."""
    assert words[0] == "python", words
    return [sys.executable, *words[1:]]


@contextmanager
def running(place: Composed) -> Iterator[None]:
    """Whatever happens, no service is left; what they printed is added to an error."""
    try:
        yield
    except BaseException as error:
        error.add_note(place.said())
        raise
    finally:
        place.kill()


def _filled(text: str) -> str:
    for name in ("${KAKURENBO_HOST:?set it in .env}", "${KAKURENBO_HOST}"):
        text = text.replace(name, HOST)
    assert "${" not in text, text
    return text
