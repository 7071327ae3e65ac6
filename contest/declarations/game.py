"""What is decided about a new round that is played by a game, beside what the game itself declares."""

from __future__ import annotations

from datasets.setting import Setting

SAMPLES = Setting(
    "samples",
    "flag",
    "With sample entries",
    default=False,
    help="The house hides with every method of the game and seeks with every attack of it.",
)
GAME: tuple[Setting, ...] = (SAMPLES,)
