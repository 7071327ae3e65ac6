from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.security.promises import PLACES, Promise, promises


@pytest.mark.parametrize("promise", promises(), ids=lambda promise: promise.words)
def test_a_promise_names_tests_that_exist(promise: Promise) -> None:
    for place in promise.tests:
        path = ROOT / place
        assert path.is_dir() if place.endswith("/") else "def test_" in path.read_text(encoding="utf-8")


def test_every_row_of_the_table_is_a_promise() -> None:
    table = (ROOT / "SECURITY.md").read_text(encoding="utf-8").split("|---|---|---|\n")[1]
    assert len(promises()) == len([line for line in table.splitlines() if line.startswith("|")])


def test_what_make_security_runs_exists() -> None:
    assert all((ROOT / place).exists() for place in PLACES)
