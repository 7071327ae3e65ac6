"""A small round of tests/deployment/chaos.py: every fault once, nothing lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.deployment.chaos import run

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]


def test_nothing_is_lost_when_everything_is_killed_once(capsys: pytest.CaptureFixture[str]) -> None:
    figures = run(rounds=6, broker="redis", pause=0.5)
    with capsys.disabled():
        print(f"\n{figures}")
    assert set(figures.faults.values()) == {1}
    assert figures.accepted >= 2


@pytest.mark.parametrize("module", ["tests.deployment.chaos", "tests.load.run"])
def test_the_long_proofs_start_outside_of_the_test_runner(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], cwd=ROOT, env={}, check=True)
