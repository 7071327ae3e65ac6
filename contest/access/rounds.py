"""Which rounds somebody may see, and from when on what happened in them."""

from __future__ import annotations

import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from contest.access.contests import organised_contest_for
from contest.access.organisers import is_organiser
from contest.access.viewers import Viewer
from contest.models import Contest, Phase, Rescore, Round, Trial
from contest.models.round import Feedback


def is_announced(round_: Round) -> bool:
    """Whether those who see the contest may know of a round: of a hidden one from its first phase on."""
    return not round_.is_hidden or round_.has_begun


def rounds_for(user: Viewer, contest: Contest) -> list[Round]:
    """The rounds of a contest that somebody may see, in their order, with their data and phases."""
    rounds = list(contest.rounds.select_related("dataset", "game").prefetch_related("phases"))
    for round_ in rounds:
        round_.contest = contest
    known = [round_ for round_ in rounds if is_announced(round_)]
    return known if len(known) == len(rounds) or not is_organiser(user, contest) else rounds


def round_for(user: Viewer, contest_slug: str, round_slug: str) -> Round:
    found = Round.objects.select_related("contest", "dataset", "game")
    round_ = get_object_or_404(found, contest__slug=contest_slug, slug=round_slug)
    if not (round_.contest.is_public and is_announced(round_)) and not is_organiser(user, round_.contest):
        raise Http404
    return round_


def embedded_round(contest_slug: str, round_slug: str) -> Round:
    """A round whose board other sites may show: who looks does not matter, a visitor sees it too."""
    round_ = round_for(AnonymousUser(), contest_slug, round_slug)
    if not round_.contest.may_be_embedded:
        raise Http404
    return round_


def organised_round_for(user: Viewer, contest_slug: str, round_slug: str) -> Round:
    organised_contest_for(user, contest_slug)
    return round_for(user, contest_slug, round_slug)


def phase_of(contest: Contest, phase_id: int) -> Phase:
    """A phase of a contest that the caller organises."""
    phases = Phase.objects.select_related("round__contest")
    return get_object_or_404(phases, round__contest=contest, pk=phase_id)


def rescore_of(contest: Contest, rescore_id: int) -> Rescore:
    """A change of limits in a contest that the caller organises."""
    rescores = Rescore.objects.select_related("round__contest", "requested_by", "decided_by")
    return get_object_or_404(rescores, round__contest=contest, pk=rescore_id)


def trial_of(contest: Contest, trial_id: int) -> Trial:
    """A version that is tried in a contest that the caller organises."""
    related = ("round__contest", "round__game", "game", "game_before", "requested_by", "decided_by")
    return get_object_or_404(Trial.objects.select_related(*related), round__contest=contest, pk=trial_id)


def public_board_version(contest_slug: str, round_slug: str) -> int | None:
    """The version of a board that everybody may see, without asking who looks."""
    found = Round.objects.filter(contest__slug=contest_slug, contest__is_public=True, slug=round_slug)
    known = Q(is_hidden=False) | Q(phases__starts_at__lte=timezone.now())
    return found.filter(known).values_list("board_version", flat=True).first()


def stands_still(round_: Round) -> bool:
    """Whether everybody but organisers sees the board of an earlier moment."""
    return round_.still_since is not None


def results_are_public(round_: Round) -> bool:
    """Attack results are public at once where feedback is full, otherwise from the results phase on; never
    while the board stands still."""
    if stands_still(round_):
        return False
    if round_.feedback == Feedback.FULL:
        return is_announced(round_)
    return results_have_begun(round_)


def results_have_begun(round_: Round) -> bool:
    """The results phase has begun, and what it tells waits neither for the clock nor for a reveal."""
    if stands_still(round_) or round_.awaits_reveal:
        return False
    now = timezone.now()
    return Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, starts_at__lte=now).exists()


def sees_board_history(user: Viewer, round_: Round) -> bool:
    """Whether somebody may see how places went: to others, of a board that stands still, up to that moment,
    where the round shows places before the results."""
    if stands_still(round_) and round_.feedback == Feedback.FULL:
        return is_announced(round_) or is_organiser(user, round_.contest)
    return sees_attacks(user, round_)


def history_ends_at(user: Viewer, round_: Round) -> datetime.datetime | None:
    """The last moment of a board's history that somebody may see; None where they may see all of it."""
    return None if is_organiser(user, round_.contest) else round_.still_since


def sees_attacks(user: Viewer, round_: Round) -> bool:
    """Whether somebody may see what attacks found in a round: one answer for boards, cells and history."""
    return results_are_public(round_) or is_organiser(user, round_.contest)


def matrix_version(user: Viewer, round_: Round) -> str:
    """How a page knows that the matrix it shows is the newest. Organisers see more than others before the
    results, and theirs is not a number, so it is never mistaken for the version that others see."""
    if not results_are_public(round_) and is_organiser(user, round_.contest):
        return f"full-{round_.full_version}"
    return str(round_.board_version)


def targets_are_public(round_: Round) -> bool:
    """Attackers may read entries where feedback is full; elsewhere once they are frozen for the attack."""
    return round_.feedback == Feedback.FULL or round_.frozen_at is not None
