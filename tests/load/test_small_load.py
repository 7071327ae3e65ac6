"""A small run of `make load`: the same code, few people, no figure asserted that is a time."""

from __future__ import annotations

import pytest

from games.loading import read_folder
from tests.conftest import ROOT
from tests.load.board import measure_board
from tests.load.people import percentile
from tests.load.run import measure_bursts, measure_one_by_one, site

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]


def test_a_burst_of_uploads_with_viewers_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with site(teams=4, customers=12) as here:
        burst = measure_bursts(here, bursts=2, every=1.0, viewers=8)
        single = measure_one_by_one(here, 2)
    with capsys.disabled():
        print(f"\n{burst}\n{single}")
    assert burst.startswith("4 teams × 2 bursts") and "0 failed, 0 lost" in burst


def test_a_small_board_of_2026_becomes_complete(capsys: pytest.CaptureFixture[str]) -> None:
    said = measure_board(3, read_folder(ROOT / "games" / "pwscup2026").rehearsal)
    with capsys.disabled():
        print(f"\n{said}")
    assert said.startswith("3 × 3 board of PWSCUP 2026") and "3 × answer" in said


def test_a_percentile_is_a_value_that_was_seen() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([float(value) for value in range(1, 101)], 0.95) == 95.0
    assert percentile([5.0], 0.95) == 5.0
