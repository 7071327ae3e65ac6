"""Awards: organisers confirm what follows from the boards, give their own, and undo with a reason."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board.awards import proposals
from contest.errors import Refused
from contest.models import Award, Contest, Team, User
from contest.models.award import TOP
from contest.records import audit
from contest.services.entry_marks import require_reason


def confirm_award(contest: Contest, user: User, kind: str, team: Team, top: int = TOP) -> Award:
    """Give a computed award to the team that has it by its rule at this moment."""
    if kind not in Award.COMPUTED:
        raise Refused("no-such-award", _("There is no computed award %(kind)r.") % {"kind": kind})
    proposed = proposals(contest, top)
    if not proposed.is_final:
        text = _("Computed awards are confirmed after the results of all rounds that count are revealed.")
        raise Refused("results-not-out", text)
    first = proposed.first(kind)
    if first is None or first.team_id != team.pk:
        raise Refused(
            "changed-meanwhile", _("By its rule this award goes to another team now; look at it again.")
        )
    try:
        return _give(contest, user, team, kind=kind, basis=first.basis)
    except IntegrityError:
        raise Refused("given-already", _("This award is given already. Undo that first.")) from None


def give_award(
    contest: Contest, user: User, team: Team, *, title_en: str, title_ja: str, text: str, reason: str
) -> Award:
    """Give an award of the organisers' own. Before the results are revealed nobody else sees it."""
    require_reason(reason)
    _require_competitor(contest, team)
    if not (title_en.strip() and title_ja.strip()):
        raise Refused("no-title", _("An award needs a title in both languages."))
    fields = {"title_en": title_en, "title_ja": title_ja, "text": text, "reason": reason}
    return _give(contest, user, team, kind=Award.Kind.OWN, **fields)


def undo_award(award: Award, user: User, reason: str) -> None:
    """Take an award back. It stays in the log, and in the list of the organisers."""
    require_reason(reason)
    with transaction.atomic():
        standing = Award.objects.filter(pk=award.pk, undone_at=None)
        if not standing.update(undone_at=timezone.now(), undone_by=user, undo_reason=reason):
            raise Refused("no-change", _("This award is undone already."))
        audit.record(
            "award.undone",
            award,
            contest=award.contest,
            actor=user,
            before=_facts(award),
            reason=reason,
        )
    award.refresh_from_db()


def _give(contest: Contest, user: User, team: Team, **fields: Any) -> Award:
    with transaction.atomic():
        award = Award.objects.create(
            contest=contest, team=team, given_by=user, given_at=timezone.now(), **fields
        )
        audit.record(
            "award.given",
            award,
            contest=contest,
            actor=user,
            after={**_facts(award), "basis": award.basis},
            reason=award.reason,
        )
    return award


def _require_competitor(contest: Contest, team: Team) -> None:
    plays = team.contest_id == contest.pk and not team.is_house and team.status != Team.Status.REMOVED
    if not plays:
        raise Refused("no-competitor", _("Awards go to teams that compete in this contest."))


def _facts(award: Award) -> dict[str, Any]:
    facts = {"kind": award.kind, "team": award.team.name}
    if award.kind == Award.Kind.OWN:
        facts |= {"title_en": award.title_en, "title_ja": award.title_ja}
    return facts
