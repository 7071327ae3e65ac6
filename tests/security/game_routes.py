"""Every route, filled with everything that rounds of games have."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from django.apps import apps

from contest.models import Attack, Entry, GamePackage, Round, Sealed, Seat, Trial
from contest.play.table import Table
from tests.security.game_world import GameWorld
from tests.security.routes import PARAMETER, Route, routes

SKIPPED = {"logout": "ends the session", "set_language": "changes it"}
STATIC = {
    "form": ["svg"],
    "language": ["en", "ja"],
    "kind": ["csv", "json", "atom", "rss"],
    "cell": ["utility"],
    "act": ["open"],
    "method": ["unchanged"],
}
QUERIES = {"compare": ["", "?a=1&b=2"], "api-compare": ["?a=1&b=2"]}
"""What routes are asked for behind their addresses; the owners have an entry 1 and an entry 2."""


def round_routes() -> list[Route]:
    """The routes that name a round."""
    return [route for route in routes() if "round_slug" in route.parameters]


def contest_routes() -> list[Route]:
    """All others; they may show something of rounds."""
    return [route for route in routes() if "round_slug" not in route.parameters and route.name not in SKIPPED]


def addresses(route: Route, world: GameWorld, round_: Round) -> list[str]:
    """The addresses of a route with everything of a round that it can name."""
    if route.name.endswith(("entry_download", "seat_download", "seat-file")):
        return list(_files(route, round_))
    choices = [_choices(name, route, world, round_) for name in route.parameters]
    return [
        _filled(route, dict(zip(route.parameters, chosen, strict=True))) + query
        for chosen in itertools.product(*choices)
        for query in QUERIES.get(route.name, [""])
    ]


def _filled(route: Route, values: dict[str, Any]) -> str:
    return "/" + PARAMETER.sub(lambda found: str(values[found[2]]), route.pattern)


def _files(route: Route, round_: Round) -> Iterator[str]:
    """Every file of every entry or seat, under its own address."""
    place = {"slug": round_.contest.slug, "round_slug": round_.slug}
    sealed = Sealed.objects.filter(round=round_)
    if "entry_id" in route.parameters:
        for entry in Entry.objects.filter(round=round_):
            names = [*entry.published, *sealed.filter(entry=entry).values_list("name", flat=True)]
            for name in names:
                yield _filled(route, {**place, "entry_id": entry.pk, "name": name})
        return
    for seat in Seat.objects.filter(round=round_):
        for name in sealed.filter(seat=seat).values_list("name", flat=True):
            yield _filled(route, {**place, "number": seat.number, "name": name})


def _choices(parameter: str, route: Route, world: GameWorld, round_: Round) -> list[Any]:
    entries = Entry.objects.filter(round=round_).order_by("-is_official", "pk")
    known: dict[str, Any] = {
        "slug": [round_.contest.slug],
        "round_slug": [round_.slug],
        "entry_id": _some(entries, {"owner": 2, "rival": 1}, world),
        "attack_id": _some(Attack.objects.filter(round=round_), {"owner": 1, "rival": 1}, world),
        "number": [0],
        "package_id": list(GamePackage.objects.filter(contest=round_.contest).values_list("pk", flat=True)),
        "trial_id": list(Trial.objects.filter(round__contest=round_.contest).values_list("pk", flat=True)),
        "challenge": [challenge.name for challenge in Table(round_).declared.challenges],
        "name": _names(route, round_),
        **STATIC,
    }
    return known[parameter] if parameter in known else [_first_of(parameter.removesuffix("_id"), round_)]


def _some(rows: Any, wanted: dict[str, int], world: GameWorld) -> list[int]:
    """The first things of each team, and one of the house or the organisers."""
    found = [
        key
        for role, n in wanted.items()
        for key in rows.filter(team=world.teams[role]).values_list("pk", flat=True)[:n]
    ]
    others = rows.exclude(team__in=world.teams.values()) | rows.filter(team=None)
    return [*found, *others.values_list("pk", flat=True)[:1]] or [1]


def _names(route: Route, round_: Round) -> list[str]:
    if "<path:name>" in route.pattern:
        sealed = Sealed.objects.filter(round=round_, scope="round").values_list("name", flat=True)
        return [*round_.dataset.files, *sealed]
    if route.name == "history_picture":
        return ["slope-attacks", "slope-rounds"]
    if route.name.endswith("picture"):
        return ["map", "portrait"]
    if "new/" in route.pattern or "installed" in route.pattern:
        return [round_.game.name if round_.game else "pair"]
    flat = [name for name in round_.dataset.files if "/" not in name][:2]
    return ["data.zip", "mine.zip", *flat, ".seed"]


def _first_of(noun: str, round_: Round) -> int | str:
    models = {model.__name__.lower(): model for model in apps.get_app_config("contest").get_models()}
    model = models.get(noun.replace("_", ""))
    if model is None:
        return "1"
    fields = {field.name for field in model._meta.get_fields()}
    rows = model._default_manager.all()
    if "round" in fields:
        rows = rows.filter(round=round_)
    elif "contest" in fields:
        rows = rows.filter(contest=round_.contest)
    elif "team" in fields:
        rows = rows.filter(team__contest=round_.contest)
    row = rows.first()
    return row.pk if row is not None else "1"
