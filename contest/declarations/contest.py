"""The settings of a contest."""

from __future__ import annotations

from contest.declarations.phase import FIRST, LAST
from contest.names import tracks
from contest.names.policy import TITLE
from datasets.setting import Setting

RESERVED = frozenset({"organise", "teams", "new"})
"""Words that an address has where the slug of a round could be."""

CONTEST: tuple[Setting, ...] = (
    Setting("title", "text", "Title", least=1, most=TITLE.longest),
    Setting("summary", "text", "Summary", least=1, most=300),
    Setting("description", "text", "Description", default="", least=0, most=100_000, help="Markdown"),
    Setting("slug", "slug", "Address", on_change=("address",)),
    Setting("time_zone", "zone", "Time zone", on_change=("midnight",)),
    Setting(
        "is_public",
        "flag",
        "Everybody sees the contest",
        default=False,
        key=("public",),
        on_change=("visibility",),
    ),
    Setting(
        "registration_opens",
        "moment",
        "Registration opens",
        default=None,
        is_optional=True,
        least=FIRST,
        most=LAST,
        help="Before it nobody makes a team, joins or leaves one.",
        on_change=("registration",),
    ),
    Setting(
        "registration_closes",
        "moment",
        "Registration closes",
        default=None,
        is_optional=True,
        least=FIRST,
        most=LAST,
        help="From then on teams stay as they are; only organisers change them.",
        on_change=("registration",),
    ),
    Setting(
        "min_team_size",
        "integer",
        "Fewest members per team",
        default=1,
        least=1,
        most=1000,
        help="A smaller team hands nothing in.",
        on_change=("team-size",),
    ),
    Setting(
        "max_team_size",
        "integer",
        "Most members per team",
        default=10,
        least=1,
        most=1000,
        key=("team-size",),
        on_change=("team-size",),
    ),
    Setting(
        "tracks",
        "lines",
        "Tracks",
        default="",
        least=0,
        most=tracks.LONGEST,
        lines=tracks.clean_tracks,
        wanted=tracks.EXPECTED,
        help="Divisions such as students: one per line, as “name | English title | Japanese title”.",
        on_change=("tracks",),
    ),
    Setting("approve_teams", "flag", "New teams wait for approval", default=False, on_change=("approval",)),
    Setting(
        "reminder_hours",
        "integer",
        "First reminder: hours before a phase ends",
        default=24,
        least=0,
        most=720,
        help="It goes to teams that have handed in nothing valid in the phase; 0: none.",
    ),
    Setting(
        "last_reminder_hours",
        "integer",
        "Last reminder: hours before a phase ends",
        default=2,
        least=0,
        most=720,
        help="It goes to teams that have handed in nothing valid in the phase; 0: none.",
    ),
    Setting(
        "may_be_embedded",
        "flag",
        "Other sites may show the boards",
        default=False,
        help="In a frame, read-only, as everybody may see them.",
        key=("embedding",),
        on_change=("embedding",),
    ),
)
