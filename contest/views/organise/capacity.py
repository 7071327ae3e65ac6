from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.forms.organise import CapacityForm
from contest.pages.capacity import attacks_at_a_time, capacity_of
from contest.views.requests import UserRequest


@login_required
@require_safe
def capacity(request: UserRequest, slug: str) -> HttpResponse:
    """How long the attacks will take at the times that were measured."""
    contest = access.organised_contest_for(request.user, slug)
    at_work = attacks_at_a_time()
    form = CapacityForm(request.GET or None, initial={"workers": at_work or None})
    workers = form.cleaned_data["workers"] if form.is_valid() else at_work
    rounds = [capacity_of(round_, workers) for round_ in contest.rounds.all()]
    context = {"contest": contest, "here": "capacity", "form": form, "at_work": at_work, "rounds": rounds}
    return render(request, "contest/organise/capacity.html", context)
