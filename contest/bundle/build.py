"""Checked plain data into a `Bundle`, with the defaults filled in."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from contest.bundle.declared import CONTEST_DEFAULTS, CONTEST_PLAIN, PLAIN, node_at, read, read_given
from contest.bundle.spans import in_order
from contest.bundle.specification import Baseline, Bundle, DataSpec, GameSpec, PhaseSpec, RoundSpec
from contest.declarations.game import SAMPLES
from contest.declarations.round import DEFAULTS, SEED, defaults_for
from datasets.setting import NOTHING
from games.formats import OLDEST
from games.formats.rules import RULES, FileRules
from games.formats.sources import DATA, WAYS
from scoring.rules import Limit

SOURCES = ("files", *(way.key for way in WAYS))


def build_bundle(data: Mapping[str, Any]) -> Bundle:
    """The bundle that data of the published schema describes; its problems were reported before."""
    # Data sets are in the order in which rounds use them, so that bundles that say the same are equal.
    used = list(dict.fromkeys(round_["data"] for round_ in data["rounds"] if "data" in round_))
    return Bundle(
        slug=data["slug"],
        title=data["title"],
        summary=data["summary"],
        time_zone=data["time-zone"],
        settings=read(CONTEST_PLAIN, data, CONTEST_DEFAULTS),
        data=tuple(_data(name, data["data"][name]) for name in used),
        rounds=tuple(_round(round_) for round_ in data["rounds"]),
    )


def _data(name: str, given: Mapping[str, Any]) -> DataSpec:
    usual = {way.key: way.defaults for way in WAYS}
    source = {
        kind: {**usual.get(kind, {}), **settings, **_numbers(settings)}
        for kind, settings in given.items()
        if kind in SOURCES
    }
    return DataSpec(name, source, given.get("description", ""), given.get("format", OLDEST))


def _numbers(given: Mapping[str, Any]) -> dict[str, Any]:
    nodes = {it.place[0]: (it, node_at(given, it.place)) for it in DATA}
    return {key: it.checked(node) for key, (it, node) in nodes.items() if node is not NOTHING}


def _round(given: Mapping[str, Any]) -> RoundSpec:
    return RoundSpec(
        slug=given["slug"],
        name=given["name"],
        data=given.get("data", ""),
        phases=in_order(_phase(kind, span) for kind, span in given["phases"].items()),
        settings=read(PLAIN, given, defaults_for(given.get("weight", DEFAULTS["weight"]))),
        seed=None if "seed" not in given else SEED.checked(given["seed"]),
        rules=FileRules(**read_given(RULES, given.get("rules", {}))),
        limits=tuple(_limit(limit) for limit in given.get("limits", ())),
        attacks=tuple(given.get("attacks", ())),
        baselines=tuple(_baseline(baseline) for baseline in given.get("baselines", ())),
        game=_game(given["game"]) if "game" in given else None,
    )


def _game(given: Mapping[str, Any]) -> GameSpec:
    return GameSpec(
        name=given.get("name", ""),
        file=given.get("zip", {}).get("name", ""),
        sha256=given.get("zip", {}).get("sha256", ""),
        rule=given.get("rule", ""),
        parameters=given.get("parameters", {}),
        files=given.get("files", {}),
        samples=given.get("samples", SAMPLES.default),
    )


def _baseline(given: Mapping[str, Any]) -> Baseline:
    seed = None if "seed" not in given else SEED.checked(given["seed"])
    return Baseline(given["method"], given.get("parameters", {}), seed)


def _phase(kind: str, span: Mapping[str, str]) -> PhaseSpec:
    starts, ends = (datetime.datetime.fromisoformat(span[end]) for end in ("from", "until"))
    return PhaseSpec(kind, starts, ends)


def _limit(given: Mapping[str, Any]) -> Limit:
    if "at-most" in given:
        return Limit(given["measure"], "<=", float(given["at-most"]))
    return Limit(given["measure"], ">=", float(given["at-least"]))
