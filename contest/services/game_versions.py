"""What may differ between two versions of a game in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Attack, GamePackage, Round
from contest.play.packages import declaration_of
from contest.services.house import checked_settings
from games.contract.declaration import Declaration, File


def require_successor(round_: Round, package: GamePackage) -> None:
    """Refuse a version by which what was made, handed out and answered so far could not be read."""
    assert round_.game is not None
    old, new = declaration_of(round_.game), declaration_of(package)
    if package.pk == round_.game_id:
        raise Refused("same-version", _("The round is played by this version already."))
    if old.name != new.name:
        text = _("The round is played by %(old)s; %(new)s is another game.")
        raise Refused("other-game", text % {"old": old.name, "new": new.name})
    _require_same_files(old, new)
    _require_same_table(old, new)
    if round_.ranking and round_.ranking not in [rule.name for rule in new.rules]:
        text = _("The new version has no rule %(rule)r, by which the round is decided.")
        raise Refused("rule-gone", text % {"rule": round_.ranking})
    _require_same_attacks(round_, old, new)
    kept_parameters(new, round_.params)


def kept_parameters(declared: Declaration, params: Mapping[str, Any]) -> dict[str, Any]:
    """The round's parameters as a version takes them: new ones by default, without those that it dropped."""
    known = {setting.name for setting in declared.parameters}
    return checked_settings(declared.parameters, {name: params[name] for name in params if name in known})


def _require_same_files(old: Declaration, new: Declaration) -> None:
    """Files are written already: their names, columns and who may see them stay."""
    before, after = _by_name(old), _by_name(new)
    for place in sorted(set(before) | set(after)):
        if before.get(place) != after.get(place):
            text = _(
                "%(file)s is declared differently in the new version. Files, who may see them and what is "
                "secret stay as they are in a round; make a new round for this version."
            )
            raise Refused("files-differ", text % {"file": place[1]})


def _by_name(declared: Declaration) -> dict[tuple[str, str], File]:
    return {(file.scope, file.name): replace(file, meaning={}) for file in declared.files}


def _require_same_table(old: Declaration, new: Declaration) -> None:
    """Seats, slots, phases and questions stay: teams are seated and answers are given."""
    parts = {
        _("seats"): (old.seats, new.seats),
        _("slots"): (old.slots, new.slots),
        _("phases"): (old.phases, new.phases),
        _("challenges"): (_questions(old), _questions(new)),
    }
    for name, (before, after) in parts.items():
        if before != after:
            text = _(
                "The %(part)s of the new version are others. They stay as they are in a round; make a new "
                "round for this version."
            )
            raise Refused("table-differs", text % {"part": name})


def _questions(declared: Declaration) -> list[tuple[str, str, tuple[str, ...]]]:
    return sorted((one.name, one.slot, one.answer) for one in declared.challenges)


def _require_same_attacks(round_: Round, old: Declaration, new: Declaration) -> None:
    """A house attack that takes part answers the same questions by both."""
    before = {method.name: method.challenges for method in old.attacks}
    after = {method.name: method.challenges for method in new.attacks}
    taking_part = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE).values_list("name", flat=True)
    for name in taking_part:
        if name not in after or before.get(name) != after[name]:
            text = _("The house attack %(name)s takes part, and the new version lacks it or changes it.")
            raise Refused("attack-gone", text % {"name": name})
