"""`manage.py up`: one command that starts everything, keeps it running, and stops it without a trace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from contest.operations.supervisor import Supervisor
from tests.conftest import ROOT, free_port
from tests.services.installation import wait_for

pytestmark = pytest.mark.slow


def answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as response:
            return response.read() == b"ok\n"
    except OSError:
        return False


def started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("KAKURENBO_", "DJANGO_"))
    }
    environment |= {"KAKURENBO_VAR": str(folder), "KAKURENBO_LOG_LEVEL": "ERROR"}
    command = [sys.executable, "manage.py", "up", "--no-demo", "--port", str(port), "--workers", "1"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)


def test_what_dies_is_started_again_and_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    port = free_port()
    up = started(tmp_path, port)
    try:
        wait_for(lambda: answers(port), 120, "the server answers")
        family = psutil.Process(up.pid).children(recursive=True)
        web = next(child for child in family if "config.server" in " ".join(child.cmdline()))
        web.kill()
        wait_for(
            lambda: not web.is_running() or web.status() == psutil.STATUS_ZOMBIE, 30, "the web server died"
        )
        wait_for(lambda: answers(port), 120, "the server answers again")
        family = psutil.Process(up.pid).children(recursive=True)
        up.send_signal(signal.SIGINT)
        assert up.wait(timeout=60) == 0
        _, alive = psutil.wait_procs(family, timeout=20)
        assert alive == []
    finally:
        if up.poll() is None:
            os.killpg(up.pid, signal.SIGKILL)
            up.wait()


def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    port = free_port()
    up = started(tmp_path, port)
    wait_for(lambda: answers(port), 120, "the server answers")
    family = psutil.Process(up.pid).children(recursive=True)
    up.kill()
    up.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def test_a_child_that_has_an_end_is_not_started_again_once_it_ended_well(tmp_path: Path) -> None:
    """Of three children that end, one has an end and ends well, one has an end and fails, one has none."""

    def appending(name: str, code: int) -> list[str]:
        line = f"open({str(tmp_path / name)!r}, 'a').write('x'); raise SystemExit({code})"
        return [sys.executable, "-c", line]

    def starts(name: str) -> int:
        return len((tmp_path / name).read_text()) if (tmp_path / name).exists() else 0

    def stop_when_all_were_seen() -> None:
        supervisor.stopping = starts("failing") >= 2 and starts("lasting") >= 2 and starts("ending") >= 1

    commands = {"ending": appending("ending", 0), "failing": appending("failing", 1)}
    commands["lasting"] = appending("lasting", 0)
    supervisor = Supervisor(commands, on_tick=stop_when_all_were_seen, with_an_end={"ending", "failing"})
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        supervisor.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert starts("ending") == 1


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        up = started(tmp_path, taken.getsockname()[1])
        assert up.wait(timeout=60) != 0
