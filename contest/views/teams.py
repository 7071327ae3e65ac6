from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.teams import MemberRemovalForm, NewTeamForm, TeamForm, TrackForm
from contest.models import Membership, Team
from contest.pages.dashboard import round_cards
from contest.pages.registration import registration_context, size_note
from contest.services import teams
from contest.services.leaving import remove_member
from contest.services.team_life import change_track, hand_over, leave_team, rename_team
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def create(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    mine = access.team_of(request.user, contest)
    if mine is not None:
        return redirect("team", slug, mine.pk)
    form = NewTeamForm(contest, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            data = form.cleaned_data
            team = teams.create_team(contest, request.user, data["name"], data.get("track", ""))
        except Refused as refusal:
            form.add_error("name", refusal.text)
        else:
            messages.success(request, _("Team %(name)s is ready.") % {"name": team.name})
            return redirect("team", slug, team.pk)
    status = 422 if request.method == "POST" else 200
    context = {"contest": contest, "form": form, **registration_context(contest)}
    return render(request, "contest/team_form.html", context, status=status)


@login_required
@require_safe
@never_cache
def team(request: UserRequest, slug: str, team_id: int) -> HttpResponse:
    found = access.team_for(request.user, slug, team_id)
    token = request.session.pop("new_invitation", None)
    members = found.memberships.select_related("user").order_by("id")
    own = found.memberships.filter(user=request.user).first()
    context = {
        "contest": found.contest,
        "team": found,
        "own_membership": own,
        "leads": own is not None and own.role == Membership.Role.CAPTAIN,
        "rename_form": TeamForm(initial={"name": found.name}),
        "track_form": _track_form(request, found),
        "is_member": access.team_of(request.user, found.contest) == found,
        "members": [(row, _removal_form(request, found, row)) for row in members],
        "invitations": found.invitations.filter(revoked_at=None, expires_at__gt=timezone.now()),
        "invitation_url": request.build_absolute_uri(reverse("join", args=[token])) if token else None,
        "rounds": round_cards(request.user, found),
        "size_note": size_note(found),
        # Organisers are not bound to the times of registration.
        "can_change_people": own is None or found.contest.registration == "open",
        **registration_context(found.contest),
    }
    return render(request, "contest/team.html", context)


def _track_form(request: UserRequest, team: Team, data: Any = None) -> TrackForm | None:
    """The form that chooses another track, where the reader may do so."""
    if not access.may_remove_members(request.user, team):
        return None
    needs_reason = access.is_organiser(request.user, team.contest)
    initial = {"track": team.track}
    return TrackForm(team.contest, data, needs_reason=needs_reason, initial=initial, auto_id="track_%s")


def _removal_form(request: UserRequest, team: Team, member: Membership) -> MemberRemovalForm | None:
    """The form that takes a member out, where the reader may do so; nobody takes out themselves."""
    if member.user_id == request.user.pk or not access.may_remove_members(request.user, team):
        return None
    needs_reason = access.is_organiser(request.user, team.contest)
    return MemberRemovalForm(needs_reason=needs_reason, auto_id=f"member_{member.pk}_%s")


@login_required
@require_POST
def invite(request: UserRequest, slug: str) -> HttpResponse:
    """Make an invitation; its link is shown once, on the next page."""
    team = access.own_team_for(request.user, access.contest_for(request.user, slug))
    with refusal_shown(request):
        request.session["new_invitation"] = teams.create_invitation(team, request.user)
    return redirect("team", slug, team.pk)


@login_required
@require_POST
def revoke(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    team = access.own_team_for(request.user, access.contest_for(request.user, slug))
    teams.revoke_invitation(access.invitation_of(team, invitation_id), request.user)
    messages.success(request, _("The invitation no longer works."))
    return redirect("team", slug, team.pk)


@login_required
@require_POST
def remove(request: UserRequest, slug: str, team_id: int, membership_id: int) -> HttpResponse:
    """Take somebody out of a team; for its captain and for organisers."""
    team = access.team_for(request.user, slug, team_id)
    member = access.removable_member_of(request.user, team, membership_id)
    form = MemberRemovalForm(request.POST, needs_reason=access.is_organiser(request.user, team.contest))
    if form.is_valid():
        name = member.user.shown_name
        with refusal_shown(request):
            remove_member(member, request.user, form.cleaned_data.get("reason", ""))
            messages.success(request, _("%(name)s is no longer in the team.") % {"name": name})
    else:
        show_errors(request, form)
    return redirect("team", slug, team_id)


@login_required
@require_POST
def rename(request: UserRequest, slug: str) -> HttpResponse:
    """Another name for one's team; for its captain."""
    team = access.led_team_for(request.user, access.contest_for(request.user, slug))
    form = TeamForm(request.POST)
    if form.is_valid():
        with refusal_shown(request):
            rename_team(team, request.user, form.cleaned_data["name"])
            messages.success(request, _("The team is called %(name)s now.") % {"name": team.name})
    else:
        show_errors(request, form)
    return redirect("team", slug, team.pk)


@login_required
@require_POST
def track(request: UserRequest, slug: str, team_id: int) -> HttpResponse:
    """Another track for a team; for its captain and for organisers."""
    team = access.shaped_team_for(request.user, slug, team_id)
    form = _track_form(request, team, request.POST)
    if form is None:
        raise Http404
    if form.is_valid():
        with refusal_shown(request):
            change_track(team, request.user, form.cleaned_data["track"], form.cleaned_data.get("reason", ""))
            messages.success(request, _("The team is in another track now."))
    else:
        show_errors(request, form)
    return redirect("team", slug, team.pk)


@login_required
@require_POST
def leave(request: UserRequest, slug: str) -> HttpResponse:
    own = access.own_membership_for(request.user, access.contest_for(request.user, slug))
    if "sure" not in request.POST:
        messages.error(request, _("Tick the box to confirm that you want to leave."))
        return redirect("team", slug, own.team_id)
    try:
        leave_team(own)
    except Refused as refusal:
        messages.error(request, refusal.text)
        return redirect("team", slug, own.team_id)
    messages.success(request, _("You have left %(name)s.") % {"name": own.team.name})
    return redirect("contest", slug)


@login_required
@require_POST
def captain(request: UserRequest, slug: str, team_id: int, membership_id: int) -> HttpResponse:
    """Let another member lead the team."""
    team = access.led_team_for(request.user, access.contest_for(request.user, slug))
    if team.pk != team_id:
        raise Http404
    heir = access.member_of(team, membership_id)
    with refusal_shown(request):
        hand_over(team, request.user, heir)
        messages.success(request, _("%(name)s leads the team now.") % {"name": heir.user.shown_name})
    return redirect("team", slug, team.pk)


@require_http_methods(["GET", "POST"])
@never_cache
def join(request: UserRequest, token: str) -> HttpResponse:
    """Whoever has the link sees the team and the contest; joining takes an account."""
    if request.method == "POST" and not request.user.is_authenticated:
        return redirect_to_login(request.path)
    invitation = access.invitation_for(token)
    if request.method == "POST":
        try:
            joined = teams.join_team(invitation, request.user)
        except Refused as refusal:
            messages.error(request, refusal.text)
            return redirect("contest", invitation.team.contest.slug)
        messages.success(request, _("Welcome to %(name)s.") % {"name": joined.name})
        return redirect("team", joined.contest.slug, joined.pk)
    team = invitation.team
    context = {
        "invitation": invitation,
        "team": team,
        "contest": team.contest,
        "n_members": team.memberships.count(),
        **registration_context(team.contest),
    }
    return render(request, "contest/join.html", context)
