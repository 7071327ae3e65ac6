"""Count the overall result and the awards of a contest again, and compare; nothing is changed."""

from __future__ import annotations

from typing import Any

from contest.board.awards import proposals
from contest.board.overall import whole_overall
from contest.board.overall_words import overall_data
from contest.models import Award, Contest
from contest.models.award import TOP
from contest.work.recounts import Recount

RULE = ("lower_wins", "absent", "ties", "rounds", "left_out")


def recount_overall(found: Recount, contest: Contest, held: dict[str, Any] | None) -> None:
    """Rank the contest again from the boards that are here, and compare with what an archive holds."""
    if held is None:
        found.skip("overall result, which this archive does not hold")
        return
    today = overall_data(whole_overall(contest))
    for name in RULE:
        found.compare("overall rule", name, today[name], held.get(name))
    rows = {row["team"]: row for row in held.get("rows", [])}
    now = {row["team"]: row for row in today["rows"]}
    found.compare("overall order", contest.slug, list(now), list(rows))
    for team in sorted(set(now) & set(rows)):
        for name in ("rank", "total", "totals"):
            found.compare("overall place", f"{team}, {name}", now[team][name], rows[team].get(name))


def recount_awards(found: Recount, contest: Contest) -> None:
    """Every computed award that stands still goes to the team that its rule names."""
    standing = Award.objects.filter(contest=contest, undone_at=None).exclude(kind=Award.Kind.OWN)
    for award in standing.select_related("team").order_by("pk"):
        first = proposals(contest, award.basis.get("top", TOP)).first(award.kind)
        today = (first.team, first.basis) if first else None
        found.compare("award", str(award), today, (award.team.name, award.basis))
