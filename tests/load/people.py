"""Teams that upload and viewers that follow a board, over HTTP."""

from __future__ import annotations

import http.client
import json
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

ROUND = "/api/v1/contests/load/rounds/practice/"


def call(
    port: int,
    method: str,
    path: str,
    token: str = "",
    body: bytes | None = None,
    kind: str = "application/json",
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["Content-Type"] = kind
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def send_file(
    port: int, path: str, token: str, field_name: str, name: str, content: bytes
) -> tuple[int, Any]:
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field_name}"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    status, answer = call(port, "POST", path, token, body, f"multipart/form-data; boundary={boundary}")
    return status, json.loads(answer)


@dataclass
class Teams:
    """Every team uploads at the same moment, again and again."""

    port: int
    tokens: list[str]
    archive: bytes
    accepted: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def bursts(self, number: int, every: float) -> None:
        begin = time.monotonic()
        hands: list[threading.Thread] = []
        for burst in range(number):
            time.sleep(max(0.0, begin + burst * every - time.monotonic()))
            hands += [threading.Thread(target=self._upload, args=[token]) for token in self.tokens]
            for hand in hands[-len(self.tokens) :]:
                hand.start()
        for hand in hands:
            hand.join()

    def _upload(self, token: str) -> None:
        start = time.monotonic()
        try:
            status, answer = send_file(self.port, f"{ROUND}entries/", token, "archive", "e.zip", self.archive)
        except (OSError, http.client.HTTPException, ValueError):
            self.failed.append(0)
            return
        self.seconds.append(time.monotonic() - start)
        if status == 201:
            self.accepted.append(int(answer["id"]))
        else:
            self.failed.append(status)


@dataclass
class Viewers:
    """Each follows the public board as the page does, every few seconds."""

    port: int
    number: int
    every: float = 5.0
    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    hands: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        for place in range(self.number):
            hand = threading.Thread(target=self._follow, args=[place * self.every / self.number], daemon=True)
            self.hands.append(hand)
            hand.start()

    def stop(self) -> None:
        self.stopping.set()
        for hand in self.hands:
            hand.join(timeout=60)

    def _follow(self, wait: float) -> None:
        self.stopping.wait(wait)
        while not self.stopping.is_set():
            start = time.monotonic()
            try:
                status, _ = call(self.port, "GET", "/contests/load/practice/")
            except (OSError, http.client.HTTPException):
                status = 0
            self.seconds.append(time.monotonic() - start)
            self.failed += status != 200
            self.stopping.wait(self.every)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)] if ordered else float("nan")
