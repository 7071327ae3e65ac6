"""A small version of `make portability`: two processes that share nothing but the input."""

from __future__ import annotations

from tests.portability.__main__ import run
from tests.portability.configurations import Configuration, simulated_processors, surroundings


def test_results_are_the_same_bytes_on_another_processor_and_elsewhere() -> None:
    """The oldest kernels, no extensions, another locale, time zone, hash seed and number of threads."""
    here = run(Configuration("as it is"), "some")
    processors = list(simulated_processors())
    variables = {}
    for configuration in (processors[0], processors[-1], *surroundings()):
        variables |= configuration.variables
    there = run(Configuration("all at once", variables), "some")
    assert {name for name in here if here[name] != there.get(name)} == set()
    assert len(here) > 150 and there.keys() == here.keys()
