"""Worked examples of the gallery: every house method on one small shop, measured and attacked by all others.

The numbers are computed by `manage.py gallery` and stored in gallery.json beside this file, because together
they take a minute or two; a test computes some of them again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from anonymizers.release import CannotProtect
from attacks.attack import HouseAttack
from games.shop.attacks.registry import run_attack
from games.shop.data.generate import generate
from games.shop.formats import FORMATS, find_format
from games.shop.guessing import Target, find_game
from games.shop.measures.registry import measures_of
from games.shop.methods.anonymizer import Anonymizer
from games.shop.methods.registry import methods_of, run_anonymizer
from scoring.measure import Measure
from scoring.run import measure_pair

KEPT = Path(__file__).with_name("gallery.json")
CUSTOMERS, SEED = 60, 1
METHODS = {spec.name: methods_of(spec.name) for spec in FORMATS}


@lru_cache(maxsize=1)
def kept() -> dict[str, Any]:
    """Format → the shop's size and, for every method, its measures and the people found by every attack."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def compute(
    format_name: str,
    methods: tuple[str, ...] | None = None,
    attacks: tuple[str, ...] | None = None,
    say: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """The numbers of a format, or of some of its methods and attacks, on a made-up shop."""
    original = find_format(format_name).from_tables(generate(CUSTOMERS, seed=SEED))
    made: dict[str, Any] = {}
    seekers = [
        attack for attack in find_game(format_name).attacks if attacks is None or attack.name in attacks
    ]
    for method in METHODS[format_name]:
        if methods is None or method.name in methods:
            say(method.name)
            made[method.name] = _example(format_name, original, method, measures_of(format_name), seekers)
    n_customers = find_format(format_name).facts(original).n_customers
    return {"customers": n_customers, "methods": made}


def complete(format_name: str, say: Callable[[str], None] = lambda name: None) -> dict[str, Any]:
    """The stored numbers of a format, and those that current measures, attacks and methods lack there."""
    original = find_format(format_name).from_tables(generate(CUSTOMERS, seed=SEED))
    shop = kept()[format_name]
    made: dict[str, Any] = {}
    for method in METHODS[format_name]:
        known = made[method.name] = shop["methods"].get(method.name, {})
        measures = [it for it in measures_of(format_name) if it.name not in known.get("measures", {})]
        attacks = [it for it in find_game(format_name).attacks if it.name not in known.get("found", {})]
        if "refused" not in known and (measures or attacks):
            say(method.name)
            fresh = _example(format_name, original, method, measures, attacks)
            both = {part: known.get(part, {}) | fresh.get(part, {}) for part in ("measures", "found")}
            made[method.name] = fresh if "refused" in fresh else fresh | both
    return {"customers": shop["customers"], "methods": made}


def _example(
    format_name: str,
    original: Any,
    method: Anonymizer,
    measures: Sequence[Measure],
    attacks: Sequence[HouseAttack],
) -> dict[str, Any]:
    spec, game = find_format(format_name), find_game(format_name)
    try:
        done = run_anonymizer(method.name, original, {}, SEED, {})
    except CannotProtect as refusal:
        return {"refused": str(refusal)}
    neutral = spec.neutral(original, done.release)
    pair = spec.measured(original, neutral.released, neutral.truth)
    measured = measure_pair(*pair, measures)
    target = Target(
        n_original=spec.facts(original).n_customers,
        n_released=neutral.n_released,
        original=lambda: original,
        released=lambda: neutral.released,
    )
    found = {}
    for attack in attacks:
        guess = run_attack(attack.name, original, neutral.released, SEED)
        found[attack.name] = game.judge(guess, target, neutral.truth).judgement.hits
    return {
        "released": neutral.n_released,
        "measures": {name: result.value for name, result in measured.items()},
        "found": found,
    }


def format_of(kind: str, name: str) -> str | None:
    """The format to which a measure, an attack or an anonymizer belongs."""
    for format_name in METHODS:
        named: Sequence[Any] = {
            "measures": measures_of(format_name),
            "attacks": find_game(format_name).attacks,
            "anonymizers": METHODS[format_name],
        }.get(kind, ())
        if any(one.name == name for one in named):
            return format_name
    return None
