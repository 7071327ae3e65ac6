"""One closing summary of all skips: "162 skipped: real data absent (97), Chromium absent (40), …".

A reason is written as "what is absent: what would fix it"; those with the same words before the colon are
one group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """A skip is reported as its file, its line and "Skipped: reason"."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    return " ".join(text.removeprefix("Skipped: ").split())


def summary(reasons: Iterable[str]) -> list[str]:
    """A line of the groups, largest first, and a line for every reason that says more than its group.

    >>> summary(["real data absent: get it", "too slow", "real data absent: get it"])
    ['3 skipped: real data absent (2), too slow (1)', '  real data absent: get it']
    """
    counted = Counter(reasons)
    if not counted:
        return []
    groups: Counter[str] = Counter()
    for reason, number in counted.items():
        groups[reason.partition(": ")[0]] += number
    line = ", ".join(f"{group} ({number})" for group, number in _largest_first(groups))
    details = [f"  {reason}" for reason, _ in _largest_first(counted) if reason not in groups]
    return [f"{counted.total()} skipped: {line}", *details]


def _largest_first(counted: Counter[str]) -> list[tuple[str, int]]:
    """Equal numbers by their words: several processes report in any order."""
    return sorted(counted.items(), key=lambda item: (-item[1], item[0].casefold()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Of several processes, the one that gathers all reports says it."""
    lines = summary(map(reason_of, terminalreporter.getreports("skipped")))
    if lines:
        terminalreporter.section("skipped")
        for line in lines:
            terminalreporter.line(line)
