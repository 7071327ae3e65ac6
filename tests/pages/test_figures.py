from __future__ import annotations

import doctest

from contest.templatetags import figures


def test_the_examples_of_the_filters_hold() -> None:
    assert doctest.testmod(figures).failed == 0
