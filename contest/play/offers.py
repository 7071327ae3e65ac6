"""What the house offers the teams of a round: its methods to hide with, and its attacks."""

from __future__ import annotations

from contest.errors import Refused
from contest.models import Attack, Round
from contest.play.table import Table
from games.contract.declaration import Method
from games.contract.reading import BadGame
from games.formats.attacks import attack as find_attack
from games.formats.declared_methods import methods_of
from games.loading import NoGame


def offered_methods(round_: Round) -> tuple[Method, ...]:
    """The house methods of a round's game or format, with their parameters."""
    if round_.game_id is None:
        return methods_of(round_.dataset.format)
    return Table(round_).declared.methods


def has_methods(round_: Round) -> bool:
    """Whether there is a method at all; none where the game of a round cannot be read."""
    try:
        return bool(offered_methods(round_))
    except (Refused, NoGame, BadGame):
        return False


def offered_attacks(round_: Round) -> tuple[Method, ...]:
    """The house attacks that take part in a round."""
    active = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE, is_active=True).order_by("pk")
    names = dict.fromkeys(active.values_list("name", flat=True))
    if round_.game_id is not None:
        return tuple(one for one in Table(round_).declared.attacks if one.name in names)
    found = [find_attack(name) for name in names]
    return tuple(Method(it.name, {"en": it.title}, {"en": it.meaning}, version=it.version) for it in found)
