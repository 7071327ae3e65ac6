"""Whose entries are whose, and who may see one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from contest.access.organisers import is_organiser
from contest.access.rounds import (
    results_are_public,
    results_have_begun,
    round_for,
    sees_attacks,
    stands_still,
)
from contest.access.teams import own_team_for
from contest.access.viewers import Viewer, number_or_404
from contest.models import Contest, Entry, Membership, Round
from contest.models.round import Feedback


def owns_entry(user: Viewer, entry: Entry) -> bool:
    return user.is_authenticated and Membership.objects.filter(team=entry.team_id, user=user).exists()


def entry_for(user: Viewer, contest_slug: str, round_slug: str, entry_id: int) -> Entry:
    """An entry is open to its team and the organisers; to others once it is on the public board."""
    round_ = round_for(user, contest_slug, round_slug)
    entry = get_object_or_404(Entry.objects.select_related("team"), round=round_, pk=entry_id)
    entry.round = round_
    if owns_entry(user, entry) or is_organiser(user, round_.contest):
        return entry
    if entry.is_official and results_are_public(round_):
        return entry
    raise Http404


def open_targets(user: Viewer, round_: Round, targets: Iterable[Entry]) -> set[int]:
    """Which targets of a round have a page that somebody may open. Nobody attacks an entry of their own."""
    if is_organiser(user, round_.contest):
        return {entry.pk for entry in targets}
    return {entry.pk for entry in targets if entry.is_official} if results_are_public(round_) else set()


def own_entry_for(user: Viewer, contest_slug: str, round_slug: str, entry_id: int) -> Entry:
    entry = entry_for(user, contest_slug, round_slug, entry_id)
    if not owns_entry(user, entry):
        raise Http404
    return entry


def has_own_upload(entry: Entry) -> bool:
    """Whether an entry's team may have its upload back. What a program made may hold what its authors may
    not read, so they get none of it."""
    return bool(entry.upload_sha256) and not entry.program_sha256 and not entry.team.is_house


def own_upload_for(user: Viewer, contest_slug: str, round_slug: str, entry_id: int) -> Entry:
    """An entry whose upload its own team asks for; nobody else gets it, not even organisers."""
    entry = own_entry_for(user, contest_slug, round_slug, entry_id)
    if not has_own_upload(entry):
        raise Http404
    return entry


def entries_for(user: Viewer, round_: Round) -> QuerySet[Entry]:
    """The entries of a round in somebody's own list: their team's, or all for an organiser."""
    entries = Entry.objects.filter(round=round_).select_related("team").order_by("-id")
    if is_organiser(user, round_.contest):
        return entries
    return entries.filter(team=own_team_for(user, round_.contest))


def entries_of(contest: Contest, ids: Sequence[str]) -> list[Entry]:
    """Entries of a contest that the caller organises; one that is not among them does not exist."""
    wanted = {number_or_404(key) for key in ids}
    found = Entry.objects.filter(round__contest=contest, pk__in=wanted).select_related(
        "team", "round__contest"
    )
    entries = list(found.order_by("pk"))
    if len(entries) != len(wanted):
        raise Http404
    return entries


def sees_attacks_on(user: Viewer, entry: Entry) -> bool:
    """Whether somebody may see what attacks found in an entry: those who see it of all entries, and its own
    team where the round tells everything at once, also while the board stands still."""
    round_ = entry.round
    if sees_attacks(user, round_):
        return True
    return stands_still(round_) and round_.feedback == Feedback.FULL and owns_entry(user, entry)


def sees_individuals(user: Viewer, entry: Entry) -> bool:
    """Whether somebody may see what names or counts single people of an entry: who was found, its pictures.

    Before the results phase that helps attackers even where the board shows all numbers at once: a list of
    those found and the guesses of the house attacks together give rows of P away.
    """
    if owns_entry(user, entry) or is_organiser(user, entry.round.contest):
        return True
    return results_have_begun(entry.round)
