"""The games that organisers can choose, and what became of those that they uploaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from contest.errors import Refused
from contest.models import Contest, GamePackage, Job, Round, Trial
from contest.play.packages import declaration_of, installed_package, presets_of
from contest.services.tallies import counting_fault
from games.contract.declaration import Declaration, Text
from games.contract.reading import BadGame
from games.loading import NoGame, find_folder, installed_games, read_folder

HELD = {True: "held", False: "broken", None: "not-tried"}


@dataclass(frozen=True)
class Offered:
    """An installed game, by what it declares without running."""

    name: str
    title: Text
    people: Text
    version: str
    has_hiding: bool


def offered_games() -> list[Offered]:
    """Every installed game that can be read."""
    found = []
    for name in installed_games():
        try:
            declared = read_folder(find_folder(name))
        except (NoGame, BadGame):
            continue
        has_hiding = declared.phases == "hide and seek"
        found.append(Offered(name, declared.title, declared.people, declared.version, has_hiding))
    return found


def installed_for(name: str) -> tuple[GamePackage, Declaration]:
    """An installed game by its name, or 404."""
    if name not in installed_games():
        raise Http404
    package = installed_package(name)
    return package, declaration_of(package)


def declared_by(package: GamePackage) -> Declaration:
    return declaration_of(package)


def chosen_preset(package: GamePackage, name: str | None) -> dict[str, Any]:
    """The presets of a game, and the one that is named; 404 where there is none of this name."""
    presets = presets_of(package)
    chosen = next((one for one in presets if one.name == name), None)
    if name and chosen is None:
        raise Http404
    return {"presets": presets, "preset": chosen}


def declared_in_round(round_: Round) -> Declaration:
    """What the game of a round declares, or 404 where it is played by none."""
    if round_.game is None:
        raise Http404
    try:
        return declaration_of(round_.game)
    except Refused:
        raise Http404 from None


def game_rounds(contest: Contest) -> list[Round]:
    rounds = contest.rounds.filter(game__isnull=False).select_related("game", "dataset")
    return list(rounds.prefetch_related("phases"))


def uncounted_rounds(contest: Contest) -> list[tuple[Round, Job]]:
    """The rounds whose game fails to count their boards, each with the job that says why."""
    faults = ((round_, counting_fault(round_)) for round_ in game_rounds(contest))
    return [(round_, fault) for round_, fault in faults if fault is not None]


def declared_rounds(contest: Contest) -> list[tuple[Round, Declaration]]:
    """The rounds of a contest with what their games declare; one whose game is not installed is left out."""
    found = ((round_, _read(round_.game)) for round_ in game_rounds(contest) if round_.game)
    return [(round_, declared) for round_, declared in found if declared is not None]


def game_shown(package: GamePackage) -> dict[str, Any]:
    """A game on the organisers' page: what its laws and examples gave, and which rounds could try it."""
    tries = Job.objects.filter(game=package, kind=Job.Kind.GAME)
    open_states = [Job.State.QUEUED, Job.State.RUNNING]
    return {
        "package": package,
        "declared": _read(package),
        "findings": _findings(package.findings),
        "is_tried": tries.filter(state__in=open_states).exists(),
        "rounds": list(package.rounds.order_by("position", "pk")),
        "could_try": _rounds_of_other_versions(package),
    }


def _read(package: GamePackage) -> Declaration | None:
    try:
        return declaration_of(package)
    except (Refused, NoGame, BadGame):
        return None


def _findings(findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            **finding,
            "state": HELD[finding["holds"]],
            "parts": _findings(finding.get("parts", ())),
            # Rows of earlier versions hold English sentences.
            "is_english": isinstance(finding["detail"], str) and finding["detail"] != "",
        }
        for finding in findings
    ]


def _rounds_of_other_versions(package: GamePackage) -> list[Round]:
    if package.state != GamePackage.State.READY:
        return []
    rounds = Round.objects.filter(contest=package.contest_id, game__name=package.name)
    return list(rounds.exclude(game=package).exclude(trials__state__in=Trial.OPEN).order_by("position", "pk"))
