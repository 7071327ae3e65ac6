"""What is played in the demo contest: the house entries, and the moves of the three teams in their order.

The house shows what hiding costs: unchanged data, then clusters at growing budgets. The teams begin with what
comes to mind first and learn: each leader is overtaken, and everybody has been ahead of everybody else.
The numbers were chosen by running every house method against every house attack on these data. Only clusters
survive by themselves; of the others a chain survives that also shuffles M and moves the dates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attacks.sandbox import TEMPLATE_PROGRAM

TANUKI, KITSUNE, NEKO, USAGI = "tanuki", "kitsune", "neko", "usagi"
TEAMS = {TANUKI: "Tanuki", KITSUNE: "Kitsune", NEKO: "Neko", USAGI: "Usagi"}
"""User names and their teams. The last one has not played yet: it is for people who try the demo."""


@dataclass(frozen=True)
class MethodCall:
    """A house method with its parameters."""

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Hide:
    """A team hands in what these methods make of the data, one after the other."""

    team: str
    note: str
    steps: tuple[MethodCall, ...]


@dataclass(frozen=True)
class Guess:
    """A team runs this attack on its own machine, with its own seed, and sends a guess for every target."""

    team: str
    note: str
    attack: str


@dataclass(frozen=True)
class Program:
    """A team sends a re-identifier, which runs in the sandbox against every target."""

    team: str
    note: str
    path: Path


Move = Hide | Guess | Program


def clusters(distance: float) -> MethodCall:
    """Item-set clusters of a team in a hurry: a tenth of the usual search takes half a second."""
    return MethodCall("itemset-clusters", {"distance": distance, "effort": 0.1})


SHUFFLED = MethodCall("shuffle", {"what": "master"})
CUT = MethodCall("topcode", {"percentile": 99.0})
RARE_ITEMS = Path(__file__).parent / "rare_items.py"

BUDGETS = (0.1, 0.25, 0.4, 0.65, 0.8, 0.9)
HOUSE = (
    MethodCall("identity"),
    *(MethodCall("itemset-clusters", {"distance": budget}) for budget in BUDGETS),
)

MOVES: tuple[Move, ...] = (
    Hide(KITSUNE, "clusters, a small budget", (clusters(0.15),)),
    Hide(TANUKI, "swap a third of the rows", (MethodCall("swap", {"share": 0.3}),)),
    Hide(NEKO, "small clusters, then noise", (clusters(0.3), MethodCall("noise"))),
    Guess(KITSUNE, "nearest item set", "re-itemset"),
    Hide(
        TANUKI,
        "swap nearly all rows, dates and M shuffled",
        (MethodCall("swap", {"share": 0.9}), MethodCall("shuffle", {"what": "dates"}), SHUFFLED),
    ),
    Hide(KITSUNE, "clusters, half the budget", (clusters(0.45),)),
    Guess(TANUKI, "prices", "re-prices"),
    Hide(
        TANUKI,
        "high values cut, whole receipts and M shuffled",
        (MethodCall("topcode"), MethodCall("shuffle", {"what": "receipts"}), SHUFFLED),
    ),
    Hide(NEKO, "high values cut, large clusters", (CUT, clusters(0.8))),
    Program(KITSUNE, "the template", TEMPLATE_PROGRAM),
    Hide(KITSUNE, "clusters, three quarters of the budget", (clusters(0.7),)),
    Hide(NEKO, "high values cut, clusters in the middle", (CUT, clusters(0.55))),
    Program(NEKO, "rare items weigh more", RARE_ITEMS),
    Guess(TANUKI, "all views together", "re-ensemble"),
    Guess(KITSUNE, "recency, frequency, money", "re-rfm"),
)
