"""Starts viewers as a process and reads what they see."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from types import TracebackType

from tests.conftest import ROOT


class Audience:
    """N viewers of a board; `seen` holds, for each, the versions it showed and when."""

    def __init__(self, host: str, port: int, path: str, n: int) -> None:
        self.n = n
        self.seen: dict[int, list[tuple[int, float]]] = {viewer: [] for viewer in range(n)}
        self.errors: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.viewers", host, str(port), path, str(n)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def take_in(self) -> None:
        while not self._lines.empty():
            line = self._lines.get()
            if line.startswith("error"):
                self.errors.append(line.strip())
            else:
                viewer, version, at = line.split()
                self.seen[int(viewer)].append((int(version), float(at)))

    def wait_for(self, version: int, seconds: float) -> bool:
        """Whether all viewers show this version or a newer one before the limit, which only bounds a hang."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.take_in()
            if all(shown and shown[-1][0] >= version for shown in self.seen.values()):
                return True
            if self._process.poll() is not None:
                raise AssertionError(f"the viewers ended with {self._process.returncode}")
            time.sleep(0.05)
        return False

    def delays(self, version: int, since: float) -> list[float]:
        """How long after a moment each viewer first showed the version or a newer one; absent where never."""
        found = []
        for shown in self.seen.values():
            times = [at for seen, at in shown if seen >= version]
            if times:
                found.append(min(times) - since)
        return found

    def __enter__(self) -> Audience:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        self.take_in()
