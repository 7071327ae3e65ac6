"""The reveal of a round: everybody watches it, an organiser leads it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.reveals import RevealForm
from contest.pages.reveal import organiser_context, reveal_fragment, version_of
from contest.services.reveals import act_on_reveal
from contest.views.fragments import fragment_answer
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import PageRequest, UserRequest


@require_safe
def reveal(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The places that are revealed; requested by htmx, only them, or nothing where they are shown already."""
    return _page(request, slug, round_slug, is_screen=False)


@require_safe
def screen(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The same for a hall. It shows organisers no more than everybody: others see their screen."""
    return _page(request, slug, round_slug, is_screen=True)


def _page(request: PageRequest, slug: str, round_slug: str, *, is_screen: bool) -> HttpResponse:
    round_ = access.revealed_round_for(request.user, slug, round_slug)
    found = access.reveal_of(round_)
    if request.htmx and request.GET.get("version") == version_of(round_, found):
        return HttpResponse(status=204)
    part = reveal_fragment(round_, found, is_screen=is_screen)
    if request.htmx:
        return fragment_answer(request, part)
    can_organise = access.is_organiser(request.user, round_.contest)
    context = {
        "contest": round_.contest,
        "round": round_,
        "part_html": part.html,
        "can_organise": can_organise,
        "is_screen": is_screen,
        "is_dark": is_screen,
        **(organiser_context(round_, found) if can_organise else {}),
    }
    return render(request, "contest/reveal_screen.html" if is_screen else "contest/reveal.html", context)


@login_required
@require_POST
def act(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """One step of the reveal: begin, on, back, end."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    form = RevealForm(request.POST)
    if form.is_valid():
        with refusal_shown(request):
            act_on_reveal(round_, request.user, form.cleaned_data["act"], form.cleaned_data["seen"])
    else:
        show_errors(request, form)
    name = "reveal_screen" if request.POST.get("on") == "screen" else "reveal"
    return redirect(name, slug, round_slug)
