"""Which contests somebody may see or run, and what belongs to one."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from contest.access.organisers import is_organiser
from contest.access.viewers import Viewer
from contest.models import Contest, GamePackage, HouseOrder, Job, Round


def visible_contests(user: Viewer) -> list[Contest]:
    public = Contest.objects.filter(is_public=True)
    own = Contest.objects.filter(organisers__user=user) if user.is_authenticated else Contest.objects.none()
    return list((public | own).distinct().order_by("-created_at", "-id"))


def contest_for(user: Viewer, slug: str) -> Contest:
    contest = Contest.objects.filter(slug=slug).first()
    if contest is None or not (contest.is_public or is_organiser(user, contest)):
        raise Http404
    return contest


def organised_contest_for(user: Viewer, slug: str) -> Contest:
    contest = contest_for(user, slug)
    if not is_organiser(user, contest):
        raise Http404
    return contest


def jobs_of(contest: Contest) -> QuerySet[Job]:
    """The jobs of a contest that the caller loaded through `organised_contest_for`."""
    mails = Q(kind=Job.Kind.MAIL, payload__contest=contest.pk)
    return Job.objects.filter(_play(contest) | mails).select_related("owner").order_by("-id")


def play_of(contest: Contest) -> QuerySet[Job]:
    """The jobs that a contest is played with, for callers that loaded it as for `jobs_of`.

    Mails are not among them: the contest goes on while they are sent.
    """
    return Job.objects.filter(_play(contest)).order_by()


def _play(contest: Contest) -> Q:
    rounds = list(Round.objects.filter(contest=contest).values_list("pk", flat=True))
    return (
        Q(entry__round__in=rounds)
        | Q(attack_run__entry__round__in=rounds)
        | Q(house_order__round__in=rounds)
        | Q(team_order__round__in=rounds)
        | Q(attack__round__in=rounds)
        | Q(round__in=rounds)
        | Q(game__contest=contest)
        | Q(kind__in=[Job.Kind.SIGNALS, Job.Kind.TRIAL], payload__round__in=rounds)
    )


def game_of(contest: Contest, package_id: int) -> GamePackage:
    """A game that was uploaded to a contest that the caller organises."""
    return get_object_or_404(GamePackage.objects.select_related("contest"), pk=package_id, contest=contest)


def house_order_of(contest: Contest, key: int) -> HouseOrder:
    return get_object_or_404(HouseOrder.objects.select_related("round"), pk=key, round__contest=contest)
