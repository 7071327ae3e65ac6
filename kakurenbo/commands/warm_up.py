"""Run every method once on a small table: numba compiles its kernels on first use and stores them."""

from __future__ import annotations

import argparse
import time

from anonymizers.registry import ANONYMIZERS, run_anonymizer
from attacks.registry import ATTACKS, run_attack
from datasets.generate import generate
from scoring.registry import MEASURES
from scoring.run import measure_release

CUSTOMERS = 40
SMALL: dict[str, dict[str, object]] = {"kmm": {"k": 2, "items": 2}}
"""Settings that work with so few customers, where a method's defaults need more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes no options."""


def run(args: argparse.Namespace) -> int:
    start = time.monotonic()
    original = generate(CUSTOMERS, seed=1)
    for method in ANONYMIZERS:
        settings = SMALL.get(method.name, {})
        release = run_anonymizer(method.name, original, {"ut-jaccard": 0.7}, 1, settings).release
    measure_release(original, release, MEASURES)
    for attack in ATTACKS:
        run_attack(attack.name, original, release.data, 1)
    print(f"Kernels are ready ({time.monotonic() - start:.0f} s).")
    return 0
