"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.conftest import ROOT

MODULES = sorted(path.stem for path in (ROOT / "datasets").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"datasets.{name}")).failed == 0
