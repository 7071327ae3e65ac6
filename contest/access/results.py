"""What is told of a contest as a whole: from when on its results are known, and its awards with them."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from contest.access.rounds import is_announced
from contest.access.teams import team_for
from contest.access.viewers import Viewer
from contest.models import Award, Contest, Phase, Round, Team


def announced_rounds(contest: Contest) -> list[Round]:
    """The rounds that everybody who sees the contest may know of, in their order, with their phases."""
    rounds = contest.rounds.select_related("dataset", "game").prefetch_related("phases")
    found = list(rounds.order_by("position", "pk"))
    for round_ in found:
        round_.contest = contest
    return [round_ for round_ in found if is_announced(round_)]


def results_are_revealed(contest: Contest) -> bool:
    """Whether the contest is decided: of every round that counts, also a hidden one, the results phase has
    begun and what had been hashed is open. While a correction is counted, it is undecided again."""
    counts = Round.objects.filter(contest=contest, weight__gt=0)
    begun = Phase.objects.filter(round=OuterRef("pk"), kind=Phase.Kind.RESULTS, starts_at__lte=timezone.now())
    states = list(counts.annotate(is_out=Exists(begun)).values_list("is_out", "revealed_at"))
    return bool(states) and all(is_out and at is not None for is_out, at in states)


def given_awards(contest: Contest) -> QuerySet[Award]:
    """The awards of a contest that stand, for callers that may know of them."""
    standing = Award.objects.filter(contest=contest, undone_at=None)
    return standing.exclude(team__status=Team.Status.REMOVED).select_related("team").order_by("pk")


def public_awards(contest: Contest) -> list[Award]:
    """The awards that everybody may see; none before the results are revealed."""
    return list(given_awards(contest)) if results_are_revealed(contest) else []


def award_of(contest: Contest, award_id: int) -> Award:
    """An award of a contest that the caller organises, whether it stands or not."""
    return get_object_or_404(Award.objects.select_related("team", "contest"), contest=contest, pk=award_id)


def certified_team_for(user: Viewer, contest_slug: str, team_id: int) -> Team:
    """A team whose certificates somebody may have: its members and the organisers, after the results."""
    team = team_for(user, contest_slug, team_id)
    if team.is_house or team.status == Team.Status.REMOVED or not results_are_revealed(team.contest):
        raise Http404
    return team


def award_for(user: Viewer, contest_slug: str, team_id: int, award_id: int) -> Award:
    """An award of such a team."""
    team = certified_team_for(user, contest_slug, team_id)
    award = get_object_or_404(given_awards(team.contest), team=team, pk=award_id)
    award.contest = award.team.contest = team.contest
    return award
