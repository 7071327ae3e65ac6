"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.test_architecture import NUMERICS, modules

PACKAGES = ("arithmetic", *NUMERICS, "contest", "config", "kakurenbo", "tests")


def has_examples(path: Path) -> bool:
    return re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


NAMES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in modules(*PACKAGES)
    if has_examples(path)
]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0 and result.attempted > 0
