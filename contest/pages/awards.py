"""What the organisers' page about awards shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest.board.award_words import basis_in_words, facts_in_words, rule_of
from contest.board.awards import Candidate, proposals
from contest.board.overall import public_overall
from contest.models import Award, Contest

SHOWN = 3


@dataclass(frozen=True)
class Proposal:
    """A computed award: its rule, the best candidates with their numbers, and the award that was given."""

    kind: str
    title: str
    rule: str
    candidates: list[tuple[Candidate, str]]
    given: Award | None

    @property
    def is_out_of_date(self) -> bool:
        """Whether the award was given to a team that its rule no longer names."""
        first = self.candidates[0][0].team_id if self.candidates else None
        return self.given is not None and self.given.team_id != first


def awards_context(contest: Contest, top: int) -> dict[str, Any]:
    found = list(Award.objects.filter(contest=contest).select_related("team", "given_by", "undone_by"))
    standing = {award.kind: award for award in found if award.undone_at is None}
    proposed = proposals(contest, top)
    shown = []
    for kind in Award.COMPUTED:
        given = standing.get(kind)
        # An award that was given is compared by the number of entries that it was given by.
        by = given.basis.get("top", top) if given else top
        candidates = (proposed if by == top else proposals(contest, by)).candidates[kind][:SHOWN]
        words = [(one, facts_in_words(kind, one.basis)) for one in candidates]
        shown.append(Proposal(kind, str(kind.label), rule_of(kind, by), words, given))
    lines = public_overall(contest).lines if proposed.is_final else []
    return {
        "proposals": shown,
        "is_final": proposed.is_final,
        "top": top,
        "awards": [(award, basis_in_words(award)) for award in found],
        "certified": [line for line in lines if line.rank is not None],
    }
