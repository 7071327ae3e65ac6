"""Sandboxes of a container engine: docker, podman, and gVisor through docker's runtime ``runsc``.

The image holds Python with the offered libraries, ``sh``, ``head`` and ``wc``; nothing of the platform. The
engine's own memory and process limits replace those that bubblewrap's runs get from the kernel.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attacks.sandbox.launch import Launch, reporting
from attacks.sandbox.limits import Limits
from attacks.sandbox.program import EXECUTABLE
from attacks.sandbox.seccomp import container_profile
from attacks.sandbox.stage import Stage
from attacks.sandbox.world import ENVIRONMENT

ENGINES = {"docker": "docker", "podman": "podman", "gvisor": "docker"}
IMAGE_VARIABLE = "KAKURENBO_SANDBOX_IMAGE"
DEFAULT_IMAGE = "kakurenbo-sandbox"
USER = "61001:61001"
CLIENT_VARIABLES = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONFIG", "XDG_RUNTIME_DIR")
FROM_IMAGE = ("PATH", "PYTHONPATH")
"""Variables that the image knows better."""


@dataclass(frozen=True)
class Container:
    """Runs each program in a fresh container that is removed afterwards."""

    name: str
    binary: Path
    image: str
    counted_by: str = "engine"

    @property
    def mend(self) -> str:
        return (
            f"See that `{self.binary.name} run --rm {self.image} python3 -c 'import numpy'` works for this"
            " user; the image is built from the folder docker/."
        )

    @contextmanager
    def launch(self, stage: Stage, limits: Limits) -> Iterator[Launch]:
        profile = stage.folder / "seccomp.json"
        profile.write_text(json.dumps(container_profile()), encoding="ascii")
        container = f"kakurenbo-{secrets.token_hex(8)}"
        client = {name: os.environ[name] for name in CLIENT_VARIABLES if name in os.environ}
        yield Launch(
            argv=self.command(stage, limits, container, profile),
            environment=client,
            end_argv=(str(self.binary), "rm", "--force", container),
        )

    def command(self, stage: Stage, limits: Limits, container: str, profile: Path) -> tuple[str, ...]:
        program = f"/program/{stage.entry}"
        start = (program,) if stage.entry == EXECUTABLE else ("python3", program)
        return (
            *(str(self.binary), "run", "--rm", "--name", container, "--pull", "never"),
            *(("--runtime", "runsc") if self.name == "gvisor" else ()),
            *_isolation(profile),
            *_limits(limits),
            *(word for outside, inside in stage.mounts for word in ("--volume", f"{outside}:{inside}:ro")),
            *(word for pair in _environment() for word in ("--env", pair)),
            *("--workdir", "/tmp", "--entrypoint", "", self.image),  # noqa: S108 -- the private one inside
            *reporting((*start, *stage.arguments()), limits),
        )


def find_container(name: str) -> Container | None:
    """The engine of that name, if its client is installed."""
    binary = shutil.which(ENGINES[name])
    return Container(name, Path(binary), os.environ.get(IMAGE_VARIABLE, DEFAULT_IMAGE)) if binary else None


def _isolation(profile: Path) -> tuple[str, ...]:
    return (
        *("--network", "none", "--ipc", "private", "--hostname", "sandbox", "--user", USER),
        *("--read-only", "--cap-drop", "ALL", "--log-driver", "none"),
        *("--security-opt", "no-new-privileges", "--security-opt", f"seccomp={profile}"),
    )


def _limits(limits: Limits) -> tuple[str, ...]:
    memory, cpu = str(limits.memory_bytes), limits.cpu_seconds
    scratch = f"rw,nosuid,nodev,size={limits.scratch_bytes},mode=1777"
    return (
        *("--memory", memory, "--memory-swap", memory, "--cpus", "1"),
        *("--pids-limit", str(limits.processes + 2), "--shm-size", "16m"),
        *("--tmpfs", f"/tmp:{scratch}", "--tmpfs", f"/out:{scratch}"),  # noqa: S108
        *("--ulimit", f"cpu={cpu}:{cpu + 1}", "--ulimit", f"nofile={limits.open_files}"),
        *("--ulimit", f"fsize={limits.scratch_bytes}", "--ulimit", "core=0"),
    )


def _environment() -> list[str]:
    return [f"{name}={value}" for name, value in ENVIRONMENT.items() if name not in FROM_IMAGE]
