"""The settings of a round. Its file rules are declared in `games/formats/rules.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.declarations.contest import RESERVED
from contest.declarations.phase import FIRST, LAST
from contest.names import policy
from datasets.setting import NOTHING, Setting
from games.formats.ranking import USUAL

SMALL = 32_767
"""What the database holds in a small column."""
AT_ONCE, IN_BANDS, AT_THE_REVEAL = "full", "bands", "none"
FEEDBACK = (
    (AT_ONCE, "everything at once"),
    (IN_BANDS, "in bands"),
    (AT_THE_REVEAL, "nothing until the reveal"),
)
BEST, LATEST = "best", "latest"
COUNTS = ((BEST, "the best valid one"), (LATEST, "the latest valid one"))
"""Which of a team's entries counts until the team pins one."""

NAME = Setting("name", "text", "Name", least=1, most=policy.ROUND.longest, named=policy.round_name)
NAMED: tuple[Setting, ...] = (
    NAME,
    Setting(
        "slug",
        "slug",
        "Address",
        reserved=RESERVED | {"overall", "questions", "story"},
        on_change=("address",),
    ),
)
"""The name of a round."""

WEIGHT_AND_RANKING: tuple[Setting, ...] = (
    Setting(
        "weight",
        "number",
        "Weight in the overall ranking",
        default=1.0,
        least=0,
        most=1_000_000,
        on_change=("weight",),
    ),
    Setting(
        "ranking",
        "choice",
        "Ranking rule",
        default=USUAL,
        on_change=("places", "official"),
        registry="ranking",
    ),
    Setting(
        "house_takes_places",
        "flag",
        "The house takes places",
        default=False,
        help="If not, its entries and attacks are shown beside the teams, without a place.",
        on_change=("places",),
        before=True,
    ),
    Setting(
        "which_counts",
        "choice",
        "Which entry counts until the team pins one",
        default=LATEST,
        choices=COUNTS,
        help="The best one is the one with the highest utility, however many people attacks find in it.",
        on_change=("official",),
        before=LATEST,
    ),
)

FEEDBACK_SETTINGS: tuple[Setting, ...] = (
    Setting(
        "feedback",
        "choice",
        "What teams learn about attacks",
        default=IN_BANDS,
        choices=FEEDBACK,
        on_change=("feedback", "bits"),
        in_practice=AT_ONCE,
    ),
    Setting(
        "feedback_bands",
        "integer",
        "Number of bands",
        default=4,
        least=2,
        most=20,
        key=("bands",),
        on_change=("bits",),
    ),
    Setting(
        "all_targets",
        "flag",
        "Guesses are sent for all targets at once",
        default=True,
        help="So that nobody asks about one entry while others are left alone.",
        on_change=("bits",),
        in_practice=False,
        before=False,
    ),
)

ATTEMPTS: tuple[Setting, ...] = (
    Setting(
        "entries_per_day",
        "integer",
        "Entries per team and day",
        default=5,
        least=0,
        most=SMALL,
        key=("attempts", "entries-per-day"),
        on_change=("attempts",),
    ),
    Setting(
        "entries_in_total",
        "integer",
        "Entries per team in all",
        default=50,
        least=0,
        most=SMALL,
        key=("attempts", "entries-in-total"),
        on_change=("attempts",),
    ),
    Setting(
        "attacks_per_day",
        "integer",
        "Attacks per team and day",
        default=10,
        least=0,
        most=SMALL,
        key=("attempts", "attacks-per-day"),
        on_change=("bits",),
    ),
    Setting(
        "attacks_in_total",
        "integer",
        "Attacks per team in all",
        default=8,
        least=1,
        most=10_000,
        is_optional=True,
        help="Empty: as many as the days allow.",
        key=("attempts", "attacks-in-total"),
        on_change=("bits",),
        in_practice=None,
        before=None,
    ),
    Setting(
        "attacks_per_target",
        "integer",
        "Attacks per team and entry",
        default=None,
        least=1,
        most=10_000,
        is_optional=True,
        help="Empty: as many as in all.",
        key=("attempts", "attacks-per-target"),
        on_change=("bits",),
    ),
)

PROGRAMS: tuple[Setting, ...] = (
    Setting(
        "program_seconds",
        "integer",
        "CPU seconds per program and target",
        default=60,
        least=1,
        most=SMALL,
        key=("programs", "seconds"),
        on_change=("programs",),
    ),
    Setting(
        "program_megabytes",
        "integer",
        "Megabytes per program",
        default=1024,
        least=16,
        most=1_048_576,
        key=("programs", "megabytes"),
        on_change=("programs",),
    ),
)

FREEZE: tuple[Setting, ...] = (
    Setting(
        "board_frozen_at",
        "moment",
        "The board stands still from",
        default=None,
        least=FIRST,
        most=LAST,
        is_optional=True,
        help="Until the results, everybody but organisers sees the board of this moment. Empty: never.",
        key=("board", "frozen-at"),
        on_change=("still",),
    ),
    Setting(
        "reveal_in_steps",
        "flag",
        "The results are revealed place by place",
        default=False,
        help="An organiser leads the reveal. Before its end, the results are readable nowhere else.",
        key=("board", "reveal-in-steps"),
        on_change=("still",),
    ),
)
"""When the board stops, and how it goes on."""

SEED = Setting(
    "seed",
    "integer",
    "Seed of the house attacks",
    default=None,
    least=0,
    most=2**63 - 1,
    visible_to="organisers",
)
"""Drawn in secret where nobody names one."""
HIDDEN = Setting(
    "is_hidden",
    "flag",
    "Only organisers see the round until its first phase begins",
    default=False,
    key=("hidden",),
    visible_to="organisers",
    on_change=("visibility",),
)

PLAIN: tuple[Setting, ...] = (
    *WEIGHT_AND_RANKING,
    *FEEDBACK_SETTINGS,
    *ATTEMPTS,
    *PROGRAMS,
    *FREEZE,
    HIDDEN,
)
"""The settings that every round has: not its name, and not its seed, which may be drawn."""
ROUND: tuple[Setting, ...] = (*NAMED, *PLAIN, SEED)

DEFAULTS: Mapping[str, Any] = {setting.name: setting.default for setting in PLAIN}
SAFE: Mapping[str, Any] = {it.name: it.default for it in PLAIN if it.in_practice is not NOTHING}
"""What a round that counts reveals by default: so little that nobody climbs to the truth by asking."""
OPEN: Mapping[str, Any] = {it.name: it.in_practice for it in PLAIN if it.in_practice is not NOTHING}
"""The same for a practice, which counts for nothing: everything is shown at once."""
BEFORE: Mapping[str, Any] = {it.name: it.before for it in PLAIN if it.before is not NOTHING}
"""How rounds were played before these settings existed."""


def defaults_for(weight: float) -> dict[str, Any]:
    """The default settings of a round of this weight.

    >>> defaults_for(0)["feedback"], defaults_for(1)["feedback"]
    ('full', 'bands')
    """
    return {**DEFAULTS, **(SAFE if weight > 0 else OPEN)}
