"""Run every probe of SECURITY.md and count them, promise by promise: ``make security``."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.security.promises import PLACES, Promise, promises


class Outcomes:
    """Counts what became of each test, by its file."""

    def __init__(self) -> None:
        self.by_file: dict[str, Counter[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            file = report.nodeid.partition("::")[0]
            self.by_file.setdefault(file, Counter())[report.outcome] += 1

    def of(self, promise: Promise) -> Counter[str]:
        return sum((count for file, count in self.by_file.items() if promise.holds(file)), Counter())

    def total(self) -> Counter[str]:
        return sum(self.by_file.values(), Counter())


def line(count: Counter[str], words: str) -> str:
    """
    >>> line(Counter(passed=12, failed=1), "Limits hold")
    '   12 held     1 broken     0 not tried  Limits hold'
    """
    return f"{count['passed']:5} held {count['failed']:5} broken {count['skipped']:5} not tried  {words}"


def main() -> int:
    outcomes = Outcomes()
    places = dict.fromkeys([*PLACES, *(place for promise in promises() for place in promise.tests)])
    status = pytest.main(["-q", *places], plugins=[outcomes])
    for promise in promises():
        print(line(outcomes.of(promise), promise.words))
    print(line(outcomes.total(), "all probes"))
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
