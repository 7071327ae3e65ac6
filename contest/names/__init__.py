"""Names that people choose: one policy for accounts, teams and contests, wherever they are written down."""

from contest.names.lookalikes import look_of, normalise_name
from contest.names.policy import PERSON, TEAM, TITLE, clean_name, clean_slug, require_visible

__all__ = [
    "PERSON",
    "TEAM",
    "TITLE",
    "clean_name",
    "clean_slug",
    "look_of",
    "normalise_name",
    "require_visible",
]
