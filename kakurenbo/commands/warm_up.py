"""Run every method once on a small table: numba compiles its kernels on first use and stores them."""

from __future__ import annotations

import argparse
import time

from games.formats.attacks import run_attack
from games.formats.commands.attacks import ATTACKS
from games.formats.commands.measures import MEASURES
from games.formats.commands.methods import METHODS
from games.formats.commands.small import LIMITS, SETTINGS, small_original
from games.formats.methods import run_anonymizer
from scoring.run import measure_release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes no options."""


def run(args: argparse.Namespace) -> int:
    start = time.monotonic()
    original = small_original()
    for method in METHODS:
        settings = SETTINGS.get(method.name, {})
        release = run_anonymizer(method.name, original, LIMITS, 1, settings).release
    measure_release(original, release, MEASURES)
    for attack in ATTACKS:
        run_attack(attack.name, original, release.data, 1)
    print(f"Kernels are ready ({time.monotonic() - start:.0f} s).")
    return 0
