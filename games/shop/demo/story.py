"""What is played in the demo contest: the house entries, and the moves of the three teams in their order.

The house shows what hiding costs: unchanged data, then clusters at growing budgets. The teams begin with what
comes to mind first and learn: each leader is overtaken, and everybody has been ahead of everybody else.
The numbers were chosen by running every house method against every house attack on these data. Only clusters
survive by themselves; of the others a chain survives that also shuffles M and moves the dates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from games.shop.data.generate import generate
from games.shop.demo.attacks import DEMO_ATTACKS
from games.shop.guessing import STARTERS
from scoring.rules import Limit

SEED = 2016

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


@dataclass(frozen=True)
class Story:
    """A contest of one round that is open at once, and what is played in it."""

    slug: str
    title: str
    summary: str
    description: str
    time_zone: str
    greeting: tuple[str, str]
    """The title and the text of the first announcement."""
    round_slug: str
    round_name: str
    format: str
    data_name: str
    data: Callable[[], Any]
    """Makes the original, in the tables of the format."""
    limits: tuple[Limit, ...]
    ranking: str
    attacks: tuple[str, ...]
    seed: int
    teams: Mapping[str, str]
    house: tuple[MethodCall, ...]
    moves: tuple[Move, ...]


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
    Program(KITSUNE, "the template", STARTERS / "reidentify.py"),
    Hide(KITSUNE, "clusters, three quarters of the budget", (clusters(0.7),)),
    Hide(NEKO, "high values cut, clusters in the middle", (CUT, clusters(0.55))),
    Program(NEKO, "rare items weigh more", RARE_ITEMS),
    Guess(TANUKI, "all views together", "re-ensemble"),
    Guess(KITSUNE, "recency, frequency, money", "re-rfm"),
)

LIMITS = (
    Limit("ut-jaccard", "<=", 0.95),
    Limit("subset", "<=", 50_000.0),
    Limit("cmae", "<=", 1.5),
    Limit("rfm", "<=", 1.0),
)
"""Wide, so that everything from unchanged data to almost nothing left is a legal entry; subset as in 2016."""

DESCRIPTION = """\
A shop publishes a year of purchases of 400 people. **Hide them**: hand in tables that are still useful, but
in which nobody finds who is who. Every entry is attacked at once by the house attacks.

1. Download the data and read the rules.
2. Make M′, T′ and P, for example with `kakurenbo anonymize`.
3. Upload them and watch your place on the board.
"""

STORY = Story(
    slug="demo",
    title="Hide and seek in the shop",
    summary="A practice contest on generated purchases of 400 people. Upload whenever you like.",
    description=DESCRIPTION,
    time_zone="Asia/Tokyo",
    greeting=("Welcome", "The practice round is open. Read the rules, then upload."),
    round_slug="practice",
    round_name="Practice",
    format="2016",
    data_name="Generated shop, 400 customers",
    data=lambda: generate(400, seed=SEED),
    limits=LIMITS,
    # The weaker side counts: useful data that hides nobody earns nothing, and the middle of the map wins.
    ranking="2026",
    attacks=DEMO_ATTACKS,
    seed=SEED,
    teams=TEAMS,
    house=HOUSE,
    moves=MOVES,
)
