"""Whose attacks are whose, and how much of their outcome somebody may know."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from contest.access.organisers import is_organiser
from contest.access.rounds import results_are_public, round_for
from contest.access.teams import own_team_for
from contest.access.viewers import Viewer, number_or_404
from contest.models import Attack, AttackRun, Contest, Membership, Round
from contest.models.round import Feedback


def owns_attack(user: Viewer, attack: Attack) -> bool:
    if attack.team_id is None or not user.is_authenticated:
        return False
    return Membership.objects.filter(team=attack.team_id, user=user).exists()


def attack_for(user: Viewer, contest_slug: str, round_slug: str, attack_id: int) -> Attack:
    """An attack is open to its team and the organisers; to others once the round's results are public."""
    round_ = round_for(user, contest_slug, round_slug)
    attack = get_object_or_404(Attack.objects.select_related("team"), round=round_, pk=attack_id)
    attack.round = round_
    if owns_attack(user, attack) or is_organiser(user, round_.contest):
        return attack
    if results_are_public(round_) and not attack.is_dry_run:
        return attack
    raise Http404


def own_attack_for(user: Viewer, contest_slug: str, round_slug: str, attack_id: int) -> Attack:
    attack = attack_for(user, contest_slug, round_slug, attack_id)
    if not owns_attack(user, attack):
        raise Http404
    return attack


def attack_of(contest: Contest, attack_id: int) -> Attack:
    """An attack of a contest that the caller loaded through `organised_contest_for`."""
    attacks = Attack.objects.select_related("round__contest", "team")
    return get_object_or_404(attacks, round__contest=contest, pk=attack_id)


def attacks_for(user: Viewer, round_: Round) -> QuerySet[Attack]:
    """The attacks of a round in somebody's own list: their team's, or all for an organiser."""
    attacks = Attack.objects.filter(round=round_).select_related("team").order_by("-id")
    if is_organiser(user, round_.contest):
        return attacks
    return attacks.filter(team=own_team_for(user, round_.contest))


def runs_of(contest: Contest, run_id: str | None, entry_id: str | None) -> list[AttackRun]:
    """One run, or all runs against one entry, of a contest that the caller organises."""
    key = number_or_404(run_id or entry_id or "")
    runs = AttackRun.objects.filter(attack__round__contest=contest, attack__is_dry_run=False)
    chosen = runs.filter(pk=key) if run_id else runs.filter(entry=key)
    found = list(chosen.select_related("attack__team", "attack__round__contest", "entry__round__contest"))
    if not found:
        raise Http404
    return found


def feedback_for(user: Viewer, attack: Attack) -> str:
    """How much somebody may know of an attack's outcome: full, bands or none.

    The truth must not be probed out of the answers, so before the reveal even the attacking team gets only
    what the round's policy allows. Dry runs are not counted, so they reveal nothing but their log: otherwise
    the house entry that they attack could be probed without limit.
    """
    told = feedback_in(user, attack.round)
    return Feedback.NONE if attack.is_dry_run and told != Feedback.FULL else told


def feedback_in(user: Viewer, round_: Round) -> str:
    """The same of a team's attacks in a round that are no dry runs."""
    if results_are_public(round_) or is_organiser(user, round_.contest):
        return Feedback.FULL
    return round_.feedback
