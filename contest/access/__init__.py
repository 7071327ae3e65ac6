"""The one place that decides who may see and do what. What somebody may not see does not exist for them.

Other rooms import only this package: ``from contest import access``, then ``access.entry_for(…)``.
"""

from contest.access.accounts import log_in_for, token_for, token_of_secret, tokens_for
from contest.access.attacks import attack_for, attack_of, attacks_for, feedback_for, owns_attack, runs_of
from contest.access.contests import (
    contest_for,
    house_order_of,
    jobs_of,
    organised_contest_for,
    play_of,
    visible_contests,
)
from contest.access.entries import (
    entries_for,
    entries_of,
    entry_for,
    own_entry_for,
    owns_entry,
    sees_individuals,
)
from contest.access.organisers import is_organiser, may_create_contests, require_may_create, require_staff
from contest.access.rounds import (
    is_announced,
    matrix_version,
    organised_round_for,
    phase_of,
    public_board_version,
    rescore_of,
    results_are_public,
    results_have_begun,
    round_for,
    rounds_for,
    sees_attacks,
    targets_are_public,
)
from contest.access.teams import (
    invitation_for,
    invitation_of,
    may_remove_members,
    own_team_for,
    removable_member_of,
    team_for,
    team_of,
    teams_of,
)
from contest.access.viewers import Viewer
from contest.access.webhooks import webhook_for, webhook_owner, webhooks_for

__all__ = [
    "Viewer",
    "attack_for",
    "attack_of",
    "attacks_for",
    "contest_for",
    "entries_for",
    "entries_of",
    "entry_for",
    "feedback_for",
    "house_order_of",
    "invitation_for",
    "invitation_of",
    "is_announced",
    "is_organiser",
    "jobs_of",
    "log_in_for",
    "matrix_version",
    "may_create_contests",
    "may_remove_members",
    "organised_contest_for",
    "organised_round_for",
    "own_entry_for",
    "own_team_for",
    "owns_attack",
    "owns_entry",
    "phase_of",
    "play_of",
    "public_board_version",
    "removable_member_of",
    "require_may_create",
    "require_staff",
    "rescore_of",
    "results_are_public",
    "results_have_begun",
    "round_for",
    "rounds_for",
    "runs_of",
    "sees_attacks",
    "sees_individuals",
    "targets_are_public",
    "team_for",
    "team_of",
    "teams_of",
    "token_for",
    "token_of_secret",
    "tokens_for",
    "visible_contests",
    "webhook_for",
    "webhook_owner",
    "webhooks_for",
]
