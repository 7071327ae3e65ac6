"""PWSCUP 2026: processor time and memory for judging one defence entry and one attack entry on 29 targets."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import sklearn.model_selection
from sklearn.linear_model import LogisticRegression

from games.loading import load_folder
from games.pwscup2026.layout import HOUSE, N_COHORTS
from games.rehearsal import Rehearsal
from tests.conftest import ROOT

FOLDER = ROOT / "games" / "pwscup2026"
TEAMS = tuple(f"team-{number}" for number in range(HOUSE))
METHODS = ("noise", "swap", "copula")


@contextmanager
def timed(spent: list[float], module: Any, *names: str) -> Iterator[None]:
    """Add up the processor time inside these functions of a module."""

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            started = time.process_time()
            try:
                return real(*arguments, **named)
            finally:
                spent.append(time.process_time() - started)

        return run

    patches = [patch.object(module, name, watched(getattr(module, name))) for name in names]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def report(name: str, work: Callable[[], object], modules: tuple[tuple[Any, str], ...]) -> None:
    """CPU seconds, the share of them in scikit-learn, and the peak memory of the process so far."""
    spent: list[float] = []
    started = time.process_time()
    with timed(spent, *modules[0]), timed(spent, *modules[1]):
        work()
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    share = 100 * sum(spent) / seconds if seconds else 0.0
    print(f"{name}: {seconds:.2f} s of CPU, {share:.0f} % in scikit-learn, peak {peak:.0f} MiB", flush=True)


def main() -> None:
    game = load_folder(FOLDER)
    modules = ((sklearn.model_selection, "cross_val_predict"), (LogisticRegression, "fit"))
    rounds: list[Rehearsal] = []
    report("a world of 30 cohorts", lambda: rounds.append(Rehearsal(game, {}, TEAMS)), modules)
    (round_,) = rounds
    uploads = [round_.anonymize(METHODS[seat % len(METHODS)], seat) for seat in range(N_COHORTS)]
    report("first entry of a cohort", lambda: round_.enter(0, uploads[0]), modules)
    report("another entry of the same cohort", lambda: round_.enter(0, uploads[0]), modules)
    with patch.object(game, "measure", lambda world, entry, names: dict.fromkeys(names, 1.0)):
        for seat in range(1, N_COHORTS):
            round_.enter(seat, uploads[seat])
    answers: list[dict[str, bytes]] = []
    report(
        "the reference attack on 29 targets", lambda: answers.append(round_.attack("reference", 0)), modules
    )
    report("an attack entry, 29 targets, both games", lambda: round_.answer(0, answers[0]), modules)
    assert len(round_.cells) == 2 * (N_COHORTS - 1)
