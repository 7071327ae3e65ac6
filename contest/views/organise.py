from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access, queries
from contest.errors import Refused
from contest.forms.organise import AnnouncementForm, HouseEntryForm
from contest.models import AuditEvent, Contest, Entry
from contest.services.contests import announce
from contest.services.house import request_house_entry
from contest.views.requests import UserRequest


@login_required
@require_safe
def organise(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest, AnnouncementForm(), HouseEntryForm(contest))


@login_required
@require_POST
def publish_announcement(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = AnnouncementForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, form, HouseEntryForm(contest), status=422)
    announce(contest, request.user, form.cleaned_data["title"], form.cleaned_data["body"])
    messages.success(request, _("Published."))
    return redirect("organise", slug)


@login_required
@require_POST
def add_house_entry(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = HouseEntryForm(contest, request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            request_house_entry(data["round"], request.user, data["method"], data["parameters"], data["seed"])
        except Refused as refusal:
            form.add_error("parameters", refusal.text)
        else:
            messages.success(request, _("A worker makes the entry now and hands it in."))
            return redirect("organise", slug)
    return _page(request, contest, AnnouncementForm(), form, status=422)


def _page(
    request: UserRequest,
    contest: Contest,
    announcement_form: AnnouncementForm,
    house_form: HouseEntryForm,
    status: int = 200,
) -> HttpResponse:
    entries = Entry.objects.filter(round__contest=contest).select_related("team", "round__contest")
    context = {
        "contest": contest,
        "counts": queries.job_counts(contest),
        "entries": entries.order_by("-id")[:50],
        "audit": AuditEvent.objects.filter(contest=contest).select_related("actor")[:50],
        "announcement_form": announcement_form,
        "house_form": house_form,
    }
    return render(request, "contest/organise.html", context, status=status)
