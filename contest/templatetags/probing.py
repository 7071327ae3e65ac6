"""What the answers to attacks can reveal, on every page in the same words."""

from __future__ import annotations

import math
from typing import Any

from django import template

from contest.board.disclosure import budget_of
from contest.models import Round

register = template.Library()


@register.inclusion_tag("contest/_budget.html")
def told_bits(round_: Round) -> dict[str, Any]:
    budget = budget_of(round_)
    most = math.ceil(budget.most)
    return {"round": round_, "bits": budget.shown, "most": most, "attempts": budget.attempts}
