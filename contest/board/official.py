"""Which of a team's entries counts, and the words that say so on all pages.

The pinned one; without it the best or the latest one, as the round says. The best is the most useful one, as
the ranking rule counts utility, and not the one with the best total. What attacks find is hidden in many
rounds, and a choice that depended on it would show it. Others' attacks would also exchange a team's entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from contest.board.queries import result_of
from contest.board.ranking import find_ranking, usefulness
from contest.models import Entry, Round, Team
from contest.models.round import WhichCounts

DECIDES_WHICH_COUNTS = (
    "number", "slot", "state", "mark", "is_pinned", "is_official", "frozen_at", "upload_sha256", "utility",
    "measures", "received_at", "n_people", "numbers", "risk",
)  # fmt: skip
"""The columns of an entry that are read here."""


def official_among(round_: Round, entries: Iterable[Entry]) -> dict[tuple[int, str], Entry]:
    """The entry that counts, by team and slot. The rows may hold what a change would make of them.

    Targets that the organisers brought are not chosen: all of them count.
    """
    found: dict[tuple[int, str], Entry] = {}
    eligible = [entry for entry in entries if not entry.is_brought and _may_count(round_, entry)]
    for entry in sorted(eligible, key=lambda entry: (entry.is_pinned, *_order(round_, entry))):
        found[entry.team_id, entry.slot] = entry
    return found


def _may_count(round_: Round, entry: Entry) -> bool:
    if entry.state != Entry.State.VALID or entry.mark or entry.team.status == Team.Status.REMOVED:
        return False
    return entry.frozen_at is not None or round_.frozen_at is None


def _order(round_: Round, entry: Entry) -> tuple[float, int]:
    """Of two entries the one with the larger order counts; of equals the later one."""
    useful = useful_of(round_, entry) if round_.which_counts == WhichCounts.BEST else None
    return (-math.inf if useful is None else useful, entry.number)


def useful_of(round_: Round, entry: Entry) -> float | None:
    """How useful an entry is, larger is better, without anything that attacks found."""
    if round_.game_id is not None:
        return entry.utility
    entry.round = round_
    return usefulness(result_of(entry, False), find_ranking(round_.ranking))


def by_loss(round_: Round) -> bool:
    """Whether the rule of the round compares losses of utility, where less is better."""
    return round_.game_id is None and find_ranking(round_.ranking).by_loss


def rule_in_words(round_: Round) -> str:
    """One sentence about which entry counts, the same on all pages."""
    if round_.which_counts != WhichCounts.BEST:
        return _("Until your team pins an entry, its latest valid one counts.")
    if by_loss(round_):
        return _(
            "Until your team pins an entry, its valid one with the least loss of utility counts, of equals "
            "the later one; what attacks find does not change that."
        )
    return _(
        "Until your team pins an entry, its valid one with the highest utility counts, of equals the later "
        "one; what attacks find does not change that."
    )


@dataclass(frozen=True)
class Instead:
    """The entry that counts instead of another one, and why: a stable code, and a sentence about both."""

    entry: Entry
    because: str
    text: str

    @property
    def can_pin(self) -> bool:
        """Whether the other one could be made the one that counts."""
        return self.because != "frozen"


def counting_now(round_: Round, team: Team, slot: str) -> Entry | None:
    """The entry of a team that counts in a slot."""
    official = Entry.objects.filter(round=round_, team=team, slot=slot, is_official=True)
    return official.exclude(upload_sha256="").first()


def counts_instead(entry: Entry) -> Instead | None:
    """What counts instead of a valid entry; nothing where it counts itself, or no entry does."""
    if entry.state != Entry.State.VALID or entry.mark or entry.is_official or entry.is_brought:
        return None
    official = counting_now(entry.round, entry.team, entry.slot)
    if official is None:
        return None
    because = _because(entry.round, entry, official)
    values = {"number": entry.number, "other": official.number}
    return Instead(official, because, _sentence(because) % values)


def better_before(entry: Entry) -> Entry | None:
    """The team's most useful valid entry, where a less useful one counts because it is later."""
    round_ = entry.round
    is_by_time = round_.which_counts != WhichCounts.BEST and round_.frozen_at is None
    if not is_by_time or not entry.is_official or entry.is_pinned or entry.is_brought:
        return None
    useful = useful_of(round_, entry)
    others = Entry.objects.filter(round=round_, team=entry.team, slot=entry.slot, state=Entry.State.VALID)
    found = [(useful_of(round_, other), other.number, other) for other in others.filter(mark="")]
    better = [one for one in found if one[0] is not None and useful is not None and one[0] > useful]
    return max(better, key=lambda one: one[:2])[2] if better else None


def _because(round_: Round, entry: Entry, official: Entry) -> str:
    if round_.frozen_at is not None:
        return "frozen"
    if official.is_pinned:
        return "pinned"
    if round_.which_counts == WhichCounts.BEST and useful_of(round_, entry) != useful_of(round_, official):
        return "loss" if by_loss(round_) else "utility"
    return "later"


def _sentence(because: str) -> str:
    return {
        "frozen": _(
            "Entry #%(number)s is valid; #%(other)s counts, and the entries of this round are frozen."
        ),
        "pinned": _(
            "Entry #%(number)s is valid; #%(other)s still counts because it is pinned. Pin #%(number)s to "
            "let it count."
        ),
        "loss": _(
            "Entry #%(number)s is valid; #%(other)s still counts because its loss of utility is lower. Pin "
            "#%(number)s to let it count."
        ),
        "utility": _(
            "Entry #%(number)s is valid; #%(other)s still counts because its utility is higher. Pin "
            "#%(number)s to let it count."
        ),
        "later": _(
            "Entry #%(number)s is valid; #%(other)s counts because it is later. Pin #%(number)s to let it "
            "count."
        ),
    }[because]
