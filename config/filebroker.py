"""A message broker made of files, for installations without a broker service.

Kombu's own filesystem transport writes a message in place, so a reader can see half of it: under load it
loses messages, and the worker dies of the broken one. Here a message is written to a hidden name and then
renamed, which readers see wholly or not at all, and a broken file is dropped instead of raised.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import virtual
from kombu.utils.json import dumps, loads

SUFFIX = ".msg"


class Channel(virtual.Channel):
    @property
    def folder(self) -> Path:
        options: dict[str, Any] = self.connection.client.transport_options or {}  # type: ignore[union-attr]
        return Path(options["folder"])

    def _lookup(self, exchange: str, routing_key: str, default: str | None = None) -> list[str]:
        # Messages are addressed by the name of their queue, so that no exchange table has to be shared.
        return [routing_key]

    def _waiting(self, queue: str) -> list[str]:
        with os.scandir(self.folder) as entries:
            names = (entry.name for entry in entries)
            return sorted(name for name in names if name.startswith(f"{queue}.") and name.endswith(SUFFIX))

    def _put(self, queue: str, message: dict[str, Any], **kwargs: Any) -> None:
        # The name starts with the wall clock, so that older messages are read first, also after a reboot.
        name = f"{queue}.{time.time_ns():020d}.{uuid.uuid4().hex}{SUFFIX}"
        hidden = self.folder / f".{name}"
        hidden.write_text(dumps(message), encoding="utf-8")
        hidden.rename(self.folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for name in self._waiting(queue):
            taken = self.folder / f".{uuid.uuid4().hex}.taken"
            try:
                (self.folder / name).rename(taken)
            except FileNotFoundError:
                continue  # Another worker was faster.
            try:
                message: dict[str, Any] = loads(taken.read_text(encoding="utf-8"))
            except ValueError:
                continue  # Unreadable: the sweeper sends another message for a job that nobody took.
            finally:
                taken.unlink(missing_ok=True)
            return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._waiting(queue))

    def _purge(self, queue: str) -> int:
        names = self._waiting(queue)
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        return len(names)


class Transport(virtual.Transport):
    Channel = Channel
    global_state = virtual.BrokerState()
    polling_interval = 0.1
    default_port = 0
    driver_type = "files"
    driver_name = "files"

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        Path(client.transport_options["folder"]).mkdir(parents=True, exist_ok=True, mode=0o700)

    def driver_version(self) -> str:
        return "1"
