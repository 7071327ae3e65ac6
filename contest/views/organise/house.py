from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.organise import HouseEntryForm, HouseMethodForm
from contest.jobs.queue_estimates import wait_for
from contest.models import Entry, HouseOrder, Job
from contest.pages.games.packages import declared_rounds
from contest.services.house import request_house_entry, retry_house_entry
from contest.views.organise.acts import refusal_shown
from contest.views.requests import UserRequest
from games.formats.methods import anonymizer


@login_required
@require_safe
def house_entries(request: UserRequest, slug: str) -> HttpResponse:
    """What the house plays: orders of which there is no entry yet, and the entries."""
    contest = access.organised_contest_for(request.user, slug)
    orders = HouseOrder.objects.filter(round__contest=contest).exclude(state=HouseOrder.State.MADE)
    waiting = Job.objects.filter(house_order__in=orders)
    entries = Entry.objects.filter(round__contest=contest, team__is_house=True)
    context = {
        "contest": contest,
        "here": "house",
        "form": HouseMethodForm(contest),
        "has_format_rounds": contest.rounds.filter(game=None).exists(),
        "game_rounds": [(round_, declared.methods) for round_, declared in declared_rounds(contest)],
        "orders": orders.select_related("round").annotate(is_running=_runs()).order_by("-id")[:100],
        "wait": wait_for(waiting),
        "entries": entries.select_related("team", "round__contest").order_by("-id")[:200],
    }
    return render(request, "contest/organise/house.html", context)


def _runs() -> Exists:
    """Whether a worker is making the entry of an order."""
    return Exists(Job.objects.filter(house_order=OuterRef("pk"), state=Job.State.RUNNING))


@login_required
@require_POST
def retry(request: UserRequest, slug: str, house_order_id: int) -> HttpResponse:
    """Let a worker try again to make an entry that could not be made."""
    contest = access.organised_contest_for(request.user, slug)
    order = access.house_order_of(contest, house_order_id)
    with refusal_shown(request):
        retry_house_entry(order, request.user)
        messages.success(request, _("A worker makes the entry now and hands it in."))
    return redirect("organise_house", slug)


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
