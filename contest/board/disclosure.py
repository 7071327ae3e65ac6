"""How much the answers to its attacks can reveal to one team about who is who in an entry, in bits.

An attempt at a target gets one of a known number of answers: with full feedback the number of people found,
one of n + 1; with bands one of b; with none nothing. An answer that is one of k reveals at most log2 k bits,
whatever was asked and however cleverly (Shannon: its entropy is at most that), and several answers together
reveal at most the sum. So a round reveals to one team at most

    attempts · log2(answers)   bits about one P,

where attempts = the least of attacks per target, attacks in all, and attacks per day times days. With full
feedback everybody also sees the outcome of the house attacks: each adds an answer. P itself has log2(n!)
bits, which is shown where the bound is higher. Teams that work together know the sum over them, and the
utility of an entry, which also depends on P, is published as well: neither is counted here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contest.models import Attack, Phase, Round
from contest.models.round import Feedback


@dataclass(frozen=True)
class Budget:
    """``attempts`` of one team at one target, house attacks whose outcome it sees; ``most`` is all of P."""

    attempts: int
    house: int
    bits_per_answer: float
    most: float

    @property
    def bits(self) -> float:
        return min(self.most, (self.attempts + self.house) * self.bits_per_answer)

    @property
    def share(self) -> float:
        """The share of P that this is at most, from 0 to 1."""
        return self.bits / self.most if self.most else 0.0

    @property
    def shown(self) -> int:
        """Whole bits, rounded up: a bound stays one."""
        return math.ceil(self.bits)


def answers(feedback: str, n_people: int, bands: int) -> int:
    """How many different answers an attempt at one target can get.

    >>> [answers(feedback, 400, 4) for feedback in ("full", "bands", "none")]
    [401, 4, 1]
    """
    counts = {Feedback.FULL: n_people + 1, Feedback.BANDS: min(bands, n_people + 1), Feedback.NONE: 1}
    return counts[Feedback(feedback)]


def budget(
    feedback: str,
    *,
    n_people: int,
    bands: int,
    per_day: int,
    days: int,
    in_total: int | None,
    per_target: int | None,
    house: int,
) -> Budget:
    """The most that the answers of a round reveal to one team about one P.

    >>> eight = dict(n_people=400, bands=4, per_day=10, days=5, in_total=8, per_target=None, house=7)
    >>> budget("bands", **eight).shown, budget("full", **eight).shown, budget("none", **eight).shown
    (16, 130, 0)
    """
    limits = [per_day * days, *(limit for limit in (in_total, per_target) if limit is not None)]
    return Budget(
        attempts=min(limits),
        house=house if feedback == Feedback.FULL else 0,
        bits_per_answer=math.log2(answers(feedback, n_people, bands)),
        most=math.lgamma(n_people + 1) / math.log(2),
    )


def budget_of(round_: Round, changes: Mapping[str, Any] | None = None) -> Budget:
    """The budget of a round as it is, or as it would be with other settings."""

    def setting(name: str) -> Any:
        return (changes or {}).get(name, getattr(round_, name))

    house = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE, is_active=True).count()
    return budget(
        setting("feedback"),
        n_people=round_.dataset.n_people,
        bands=setting("feedback_bands"),
        per_day=setting("attacks_per_day"),
        days=_days_of_attack(round_),
        in_total=setting("attacks_in_total"),
        per_target=setting("attacks_per_target"),
        house=house,
    )


def _days_of_attack(round_: Round) -> int:
    """How many calendar days the attack phase touches in the contest's zone: each has attempts of its own."""
    zone = round_.contest.zone
    spans = [
        [at.astimezone(zone).date() for at in (phase.starts_at, phase.ends_at)]
        for phase in round_.phases.all()
        if phase.kind == Phase.Kind.ATTACK
    ]
    return sum((last - first).days + 1 for first, last in spans)
