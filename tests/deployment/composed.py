"""The services of docker/compose.yaml, started from the image with their commands, secrets and volumes."""

from __future__ import annotations

import os
import signal
import subprocess
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


class Composed:
    """One container with all the processes; chroot isolation shares network and process numbers with us."""

    def __init__(self, builder: Builder, container: str, folder: Path, urls: dict[str, str]) -> None:
        text = (ROOT / "docker/compose.yaml").read_text(encoding="utf-8")
        self.services: dict[str, Any] = yaml.safe_load(text)["services"]
        self.builder = builder
        self.container = container
        self.folder = folder
        self.port = free_port()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._make_secrets(urls)
        for name in ("entries", "attacks", "vault"):
            (folder / name).mkdir()
            os.chown(folder / name, USER, USER)

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

    def options(self, service: str) -> list[str]:
        """What compose gives a service: environment, secrets and volumes, no capabilities, an empty /tmp."""
        described = self.services[service]
        line = ["--cap-drop", "all", "--mount", "type=tmpfs,destination=/tmp"]
        for key, value in described["environment"].items():
            line += ["--env", f"{key}={_filled(str(value))}"]
        line += ["--env", f"KAKURENBO_PORT={self.port}"]
        for secret in described["secrets"]:
            line += ["--volume", f"{self.folder / 'secrets' / secret}:/run/secrets/{secret}:ro"]
        for volume in described.get("volumes", []):
            line += ["--volume", f"{self.folder}/{volume}"]
        return line

    def command(self, service: str) -> list[str]:
        address = f"127.0.0.1:{self.port}"
        return [word.replace(COMPOSED_ADDRESS, address) for word in self.services[service]["command"]]

    def run(self, service: str, words: list[str]) -> str:
        """What a command prints that is run in the place of a service."""
        return self.builder.output(self.container, words, self.options(service))

    def start(self, service: str) -> None:
        with self._log(service).open("wb") as log:
            self.running[service] = subprocess.Popen(
                ["buildah", "run", *self.options(service), self.container, "--", *self.command(service)],
                env=self.builder.environment,
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
        """SIGTERM to the program itself, as an engine sends it; buildah would kill it."""
        process = self.running[service]
        for program in self._programs(process):
            program.send_signal(signal.SIGTERM)
        return process.wait(timeout=120)

    def _programs(self, process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
        for child in psutil.Process(process.pid).children(recursive=True):
            parent = child.parent()
            if parent and parent.cmdline()[:1] == ["buildah-chroot-exec"]:
                yield child

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


@contextmanager
def composed(builder: Builder, container: str, folder: Path, urls: dict[str, str]) -> Iterator[Composed]:
    place = Composed(builder, container, folder, urls)
    try:
        yield place
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
