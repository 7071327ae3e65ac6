"""`pytest -p tests.parts --part 0/3` runs the first of three parts of all tests, about equally long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

Item = TypeVar("Item")


def part_of(items: Sequence[Item], is_slow: Callable[[Item], bool], part: int, parts: int) -> list[Item]:
    """Slow tests and quick ones are dealt out in turn, each in their order.

    >>> [part_of("aBcdEF", str.isupper, part, 2) for part in range(2)]
    [['B', 'F', 'c'], ['E', 'a', 'd']]
    """
    return sorted(items, key=lambda item: not is_slow(item))[part::parts]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="0/1", help="which part of how many")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part, parts = map(int, config.getoption("--part").split("/"))
    chosen = part_of(items, lambda item: item.get_closest_marker("slow") is not None, part, parts)
    places = {item: place for place, item in enumerate(items)}
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = sorted(chosen, key=places.__getitem__)
