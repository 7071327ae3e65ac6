"""500 viewers follow a live board of 100 entries on one web process: how soon each sees each update."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from contest.operations import processes
from tests.bench.audience import Audience
from tests.bench.bench_board import installation
from tests.conftest import ROOT, free_port

VIEWERS = 500
UPDATES = 6
WITHIN = 5.0


def main() -> None:
    with installation():
        from contest.services.entries import pin_entry
        from tests.contest.test_leaderboard import fill_board
        from tests.factories import make_round, make_user

        round_ = make_round()
        fill_board(round_, 100)
        entry = round_.entries.select_related("team", "round__contest").first()
        user = make_user()
        port = free_port()
        server = _serve(port)
        try:
            _wait(port)
            with Audience("127.0.0.1", port, round_.get_absolute_url(), VIEWERS) as audience:
                assert audience.wait_for(0, 60), "not all viewers arrived"
                delays: list[float] = []
                for _ in range(UPDATES):
                    pin_entry(entry, user)
                    at = time.time()
                    round_.refresh_from_db()
                    audience.wait_for(round_.board_version, 30)
                    delays += audience.delays(round_.board_version, at)
                _report(delays, audience.errors)
        finally:
            server.terminate()
            server.wait(timeout=30)


def _serve(port: int) -> subprocess.Popen[bytes]:
    """The web process as `manage.py up` starts it, on the benchmark's database."""
    from tests.services.installation import environment

    known = environment(DJANGO_SETTINGS_MODULE="config.settings")
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "-v", "0"],
        cwd=ROOT,
        env=known,
        check=True,
    )
    command = [sys.executable, *processes.web(f"127.0.0.1:{port}")]
    return subprocess.Popen(command, cwd=ROOT, env=known)


def _wait(port: int) -> None:
    from urllib.error import URLError
    from urllib.request import urlopen

    for _ in range(600):
        try:
            with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("the web process did not start")


def _report(delays: list[float], errors: list[str]) -> None:
    wanted = VIEWERS * UPDATES
    in_time = sum(delay <= WITHIN for delay in delays)
    print(f"{VIEWERS} viewers, {UPDATES} updates, one web process: {len(delays)} of {wanted} seen,")
    print(f"  {in_time} within {WITHIN:.0f} s; median {statistics.median(delays):.2f} s, last", end=" ")
    print(f"{max(delays):.2f} s; {len(errors)} failed polls; load of the machine {os.getloadavg()[0]:.1f}")
    for error in errors[:5]:
        print(f"  {error}")


if __name__ == "__main__":
    main()
