"""Awards in words: the rule of each, and the numbers that one follows from."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.models import Award


def rule_of(kind: str, top: int) -> str:
    """How an award is computed, in a sentence."""
    if kind == Award.Kind.HIDER:
        return _("The first place of the overall result.")
    if kind == Award.Kind.SEEKER:
        text = ngettext(
            "The largest mean share found in the best entry of each round, without one’s own; rounds count "
            "by their weights, and an entry that was not attacked counts 0. Where no team hides, all "
            "targets count.",
            "The largest mean share found in the %(n)s best entries of each round, without one’s own; rounds "
            "count by their weights, and an entry that was not attacked counts 0. Where no team hides, all "
            "targets count.",
            top,
        )
        return text % {"n": top}
    return _("The smallest sum of the places as hider and as seeker; of equal sums the better hider wins.")


def basis_in_words(award: Award) -> str:
    """The numbers that a computed award follows from; nothing for one of the organisers' own."""
    return facts_in_words(award.kind, award.basis)


def facts_in_words(kind: str, basis: dict[str, Any]) -> str:
    if kind == Award.Kind.HIDER:
        return _("overall total %(total)s") % {"total": f"{basis['total']:.4f}"}
    if kind == Award.Kind.SEEKER:
        text = ngettext(
            "%(percent)s %% found in the best entry of each round",
            "%(percent)s %% found in the %(n)s best entries of each round",
            basis["top"],
        )
        return text % {"percent": f"{basis['percent']:.2f}", "n": basis["top"]}
    if kind == Award.Kind.BOTH:
        return _("place %(hider)s as hider, place %(seeker)s as seeker") % {
            "hider": basis["hider"],
            "seeker": basis["seeker"],
        }
    return ""
