from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from contest.templatetags import figures, markdown, words


@pytest.mark.parametrize("filters", [figures, markdown, words])
def test_the_examples_of_the_filters_hold(filters: ModuleType) -> None:
    assert doctest.testmod(filters).failed == 0
