"""What games declare, in the reader's language: titles, columns of boards, and who may read a file when."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contest.language.game_words import worded
from games.contract.declaration import File

USUAL = {
    "total": gettext_lazy("Total"),
    "utility": gettext_lazy("Utility"),
    "safety": gettext_lazy("Safety"),
    "risk": gettext_lazy("Risk"),
    "found": gettext_lazy("Mean share found"),
    "targets": gettext_lazy("Targets"),
    "main": gettext_lazy("Main board"),
    "attackers": gettext_lazy("Best seekers"),
    "hits": gettext_lazy("People found"),
    "auc": gettext_lazy("Area under the ROC curve"),
    "rank": gettext_lazy("Place"),
}
"""Names that many games use for the same thing and need not explain."""


def readable(name: str) -> str:
    """A name that nobody has put into words.

    >>> readable("mean-shift")
    'Mean shift'
    """
    if name in USUAL:
        return str(USUAL[name])
    text = name.replace("-", " ").replace("_", " ").strip()
    return text[:1].upper() + text[1:] if text else name


def title_of(described: Any) -> str:
    """The title of a number, a challenge, a method or a game, else its name in readable form."""
    return worded(described.title) or readable(described.name)


def shown_to(file: File) -> list[str]:
    """Who may read a file, and from when on."""
    if file.shown.is_secret:
        return [_("Secret: only the judge of this game reads it.")]
    everybody = {
        "open": _("Everybody may read it from the opening of the round on."),
        "publish": _("Everybody may read it once the entries are handed over to the attackers."),
        "reveal": _("Everybody may read it once the results are revealed."),
    }
    team = {
        "open": _("The team that it belongs to may read it from the opening of the round on."),
        "publish": _("The team that it belongs to may read it once the entries are handed over."),
        "reveal": _("The team that it belongs to may read it once the results are revealed."),
    }
    said = []
    if file.shown.team != "never" and file.shown.team != file.shown.all:
        said.append(team[file.shown.team])
    if file.shown.all != "never":
        said.append(everybody[file.shown.all])
    if not said:
        said.append(_("Only programs of teams read it, in the sandbox."))
    return said
