from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from anonymizers.registry import anonymizer
from contest import access
from contest.errors import Refused
from contest.forms.organise import HouseEntryForm, HouseMethodForm
from contest.models import Entry, Job, Round
from contest.services.house import request_house_entry
from contest.views.requests import UserRequest


@login_required
@require_safe
def house_entries(request: UserRequest, slug: str) -> HttpResponse:
    """What the house plays: orders that a worker has not filled yet, and the entries."""
    contest = access.organised_contest_for(request.user, slug)
    orders = access.jobs_of(contest).filter(kind=Job.Kind.HOUSE).exclude(state=Job.State.DONE)
    rounds = {round_.pk: round_ for round_ in Round.objects.filter(contest=contest)}
    entries = Entry.objects.filter(round__contest=contest, team__is_house=True)
    context = {
        "contest": contest,
        "here": "house",
        "form": HouseMethodForm(contest),
        "orders": [{"job": job, "round": rounds[job.payload["round"]]} for job in orders[:100]],
        "entries": entries.select_related("team", "round__contest").order_by("-id")[:200],
    }
    return render(request, "contest/organise/house.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def house_entry(request: UserRequest, slug: str) -> HttpResponse:
    """Let the house make an entry: choose a method, then its parameters."""
    contest = access.organised_contest_for(request.user, slug)
    chooser = HouseMethodForm(contest, request.GET or None)
    if not chooser.is_valid():
        return redirect("organise_house", slug)
    method = anonymizer(chooser.cleaned_data["method"])
    form = HouseEntryForm(contest, method, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            request_house_entry(data["round"], request.user, method.name, form.parameters())
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            messages.success(request, _("A worker makes the entry now and hands it in."))
            return redirect("organise_house", slug)
    context = {"contest": contest, "here": "house", "method": method, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/house_entry.html", context, status=status)
