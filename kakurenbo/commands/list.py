"""``kakurenbo list``: what measures, risks, attacks and anonymizers there are."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from kakurenbo.main import UsageError

REGISTRIES = {
    "measures": ("games.formats.measures", ("EVERY_MEASURE",)),
    "risks": ("scoring.registry", ("RISKS", "PANEL_RISKS")),
    "attacks": ("games.formats.attacks", ("EVERY_ATTACK",)),
    "anonymizers": ("games.formats.methods", ("EVERY_ANONYMIZER",)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=sorted(REGISTRIES), help="what to list")
    parser.add_argument("--json", action="store_true", help="print the list as JSON, with the documentation")


def run(arguments: argparse.Namespace) -> int:
    known = _registered(arguments.kind)
    if arguments.json:
        print(json.dumps([_described(entry) for entry in known], indent=2, ensure_ascii=False))
    else:
        width = max((len(entry.name) for entry in known), default=0) + 2
        for entry in known:
            print(f"{entry.name:<{width}}{entry.meaning}")
    return 0


def _registered(kind: str) -> list[Any]:
    module_name, names = REGISTRIES[kind]
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UsageError(f"This installation has no {kind}: the module {error.name} is missing.") from error
    return [entry for name in names for entry in getattr(module, name)]


def _described(entry: Any) -> dict[str, Any]:
    shown = ("name", "title", "meaning", "version", "reference", "low", "high", "better", "unit", "needs")
    described = {name: getattr(entry, name) for name in shown if hasattr(entry, name)}
    if hasattr(entry, "parameters"):
        described["parameters"] = [vars(parameter) for parameter in entry.parameters]
    return described | {"documentation": entry.documentation}
