"""The settings of a phase."""

from __future__ import annotations

import datetime

from datasets.setting import Setting

FIRST = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
LAST = datetime.datetime(2999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
"""When phases may be. In earlier years, offsets of some zones have seconds, which no bundle can write."""
FIRST_START, LAST_START = 2000, 2200
"""The years in which a new contest may begin, so that all its phases end in time."""

KINDS = (
    ("registration", "Registration"),
    ("anonymise", "Anonymise"),
    ("handover", "Hand-over"),
    ("attack", "Attack"),
    ("results", "Results"),
)

KIND = Setting("kind", "choice", "Phase", choices=KINDS, on_change=("board",))
STARTS_AT = Setting(
    "starts_at", "moment", "Start", least=FIRST, most=LAST, key=("from",), on_change=("board",)
)
ENDS_AT = Setting("ends_at", "moment", "End", least=FIRST, most=LAST, key=("until",), on_change=("board",))
SHIFT_DAYS = Setting("days", "integer", "Days", default=0, least=-366, most=366, help="Negative: earlier.")
SHIFT_HOURS = Setting("hours", "integer", "Hours", default=0, least=-23, most=23, help="Negative: earlier.")
SHIFT: tuple[Setting, ...] = (SHIFT_DAYS, SHIFT_HOURS)
"""By how much all of a round that is still to come is moved."""
PHASE: tuple[Setting, ...] = (KIND, STARTS_AT, ENDS_AT)
