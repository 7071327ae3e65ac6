"""Checked plain data into a `Bundle`, with the defaults filled in."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from contest.bundle.spans import in_order
from contest.bundle.specification import Baseline, Bundle, DataSpec, PhaseSpec, RoundSpec, telling
from datasets.rules import FileRules
from scoring.rules import Limit

RETAIL_SEED = 2016
SOURCES = ("files", "generate", "online-retail")


def build_bundle(data: Mapping[str, Any]) -> Bundle:
    """The bundle that data of the published schema describes; what is wrong with it was told before."""
    # Data sets stand in the order in which rounds use them, so that bundles that say the same are equal.
    used = list(dict.fromkeys(round_["data"] for round_ in data["rounds"]))
    return Bundle(
        slug=data["slug"],
        title=data["title"],
        summary=data["summary"],
        description=data.get("description", ""),
        time_zone=data["time-zone"],
        is_public=data.get("public", False),
        team_size=data.get("team-size", 10),
        approve_teams=data.get("approve-teams", False),
        data=tuple(_data(name, data["data"][name]) for name in used),
        rounds=tuple(_round(round_) for round_ in data["rounds"]),
    )


def _data(name: str, given: Mapping[str, Any]) -> DataSpec:
    source = {kind: dict(settings) for kind, settings in given.items() if kind in SOURCES}
    if "online-retail" in source:
        source["online-retail"] = {"seed": RETAIL_SEED, **source["online-retail"]}
    return DataSpec(name, source, given.get("description", ""), given.get("format", "2016"))


def _round(given: Mapping[str, Any]) -> RoundSpec:
    attempts = given.get("attempts", {})
    usual = telling(given.get("weight", 1.0))
    programs = given.get("programs", {})
    return RoundSpec(
        slug=given["slug"],
        name=given["name"],
        data=given["data"],
        phases=in_order(_phase(kind, span) for kind, span in given["phases"].items()),
        weight=float(given.get("weight", 1.0)),
        hidden=given.get("hidden", False),
        seed=given.get("seed"),
        rules=FileRules(**{key.replace("-", "_"): value for key, value in given.get("rules", {}).items()}),
        limits=tuple(_limit(limit) for limit in given.get("limits", ())),
        attacks=tuple(given.get("attacks", ())),
        baselines=tuple(Baseline(**baseline) for baseline in given.get("baselines", ())),
        ranking=given.get("ranking", "2016"),
        house_takes_places=given.get("house-takes-places", False),
        feedback=given.get("feedback", usual["feedback"]),
        feedback_bands=given.get("bands", 4),
        entries_per_day=attempts.get("entries-per-day", 5),
        entries_in_total=attempts.get("entries-in-total", 50),
        attacks_per_day=attempts.get("attacks-per-day", 10),
        attacks_in_total=attempts.get("attacks-in-total", usual["attacks_in_total"]),
        attacks_per_target=attempts.get("attacks-per-target"),
        all_targets=given.get("all-targets", usual["all_targets"]),
        program_seconds=programs.get("seconds", 60),
        program_megabytes=programs.get("megabytes", 1024),
    )


def _phase(kind: str, span: Mapping[str, str]) -> PhaseSpec:
    starts, ends = (datetime.datetime.fromisoformat(span[end]) for end in ("from", "until"))
    return PhaseSpec(kind, starts, ends)


def _limit(given: Mapping[str, Any]) -> Limit:
    if "at-most" in given:
        return Limit(given["measure"], "<=", float(given["at-most"]))
    return Limit(given["measure"], ">=", float(given["at-least"]))
