"""Settings: what a change would do is shown before it can be saved, and a stale form is never saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.games.rounds import GameRoundSettingsForm
from contest.forms.organise import OrganiserForm
from contest.forms.settings import ContestSettingsForm, RoundSettingsForm, SettingsForm
from contest.models import Contest, Round
from contest.pages.games.packages import declared_in_round
from contest.services import consequences, rounds, settings
from contest.services.consequence import Consequence
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_safe
def overview(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    shown = list(contest.rounds.select_related("dataset", "game").prefetch_related("phases"))
    context = {
        "contest": contest,
        "here": "settings",
        "rounds": shown,
        "has_format_rounds": any(round_.game_id is None for round_ in shown),
        "removable": [round_ for round_ in shown if rounds.may_remove(round_)],
        "organisers": contest.organisers.select_related("user").order_by("pk"),
        "form": OrganiserForm(),
    }
    return render(request, "contest/organise/settings.html", context)


@dataclass(frozen=True)
class Edited:
    """What is edited, and by which functions."""

    subject: Contest | Round
    form: SettingsForm
    differences: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    consequences: Callable[[Mapping[str, Any]], list[Consequence]]
    keep: Callable[[int, Mapping[str, Any], str], None]
    saved: Callable[[], Mapping[str, Any]]


@login_required
@require_http_methods(["GET", "POST"])
def contest_settings(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    edited = Edited(
        contest,
        ContestSettingsForm(contest, request.POST or None),
        lambda given: settings.differences(contest, given),
        lambda changes: consequences.of_contest(contest, changes),
        lambda version, given, reason: settings.change_contest(contest, request.user, version, given, reason),
        lambda: ContestSettingsForm(contest).initial,
    )
    return edit(request, contest, edited, {"contest": contest, "title": contest.title})


@login_required
@require_http_methods(["GET", "POST"])
def round_settings(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.organised_round_for(request.user, slug, round_slug)
    edited = Edited(
        round_,
        _round_form(round_, request.POST or None),
        lambda given: settings.round_differences(round_, given),
        lambda changes: consequences.of_round(round_, changes),
        lambda version, given, reason: settings.change_round(round_, request.user, version, given, reason),
        lambda: _round_form(round_).initial,
    )
    context = {"contest": round_.contest, "round": round_, "title": round_.name}
    return edit(request, round_.contest, edited, context)


def _round_form(round_: Round, sent: Any = None) -> SettingsForm:
    """The settings of a format's round, or those of a game with the parameters that it declares."""
    if round_.game_id is None:
        return RoundSettingsForm(round_, sent)
    return GameRoundSettingsForm(round_, declared_in_round(round_), sent)


def edit(request: UserRequest, contest: Contest, edited: Edited, context: dict[str, Any]) -> HttpResponse:
    """Show the consequences of a form, then save exactly that."""
    form = edited.form
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                if _save(edited):
                    messages.success(request, _("Saved."))
                    contest.refresh_from_db()
                    return redirect(context.get("back", "organise_settings"), contest.slug)
                context["changes"], context["consequences"] = _preview(edited)
                status = 200
            except settings.Stale as stale:
                status = 409
                form.showing(version=stale.version, previewed="")
                context["conflict"], context["compared"] = stale.text, _compared(edited)
            except Refused as refusal:
                form.add_error(None, refusal.text)
    context = {"here": "settings", **context, "form": form}
    return render(request, "contest/organise/settings_form.html", context, status=status)


def _save(edited: Edited) -> bool:
    """Save what was previewed. Other values are shown first, unless the form is already stale."""
    form, version = edited.form, edited.form.cleaned_data["version"]
    if not form.was_previewed:
        if version != edited.subject.settings_version:
            raise settings.Stale(edited.subject.settings_version)
        return False
    edited.keep(version, form.given(), form.cleaned_data["reason"])
    return True


def _preview(edited: Edited) -> tuple[list[str], list[Consequence]]:
    form = edited.form
    changes = edited.differences(form.given())
    form.showing(previewed=form.digest)
    return list(changes), edited.consequences(changes)


def _compared(edited: Edited) -> list[dict[str, Any]]:
    """Field by field where the form differs from what is saved now."""
    edited.subject.refresh_from_db()
    now = edited.saved()
    data = edited.form.cleaned_data
    return [
        {"label": field.label, "now": now[name], "yours": data[name]}
        for name, field in edited.form.fields.items()
        if name in now and name not in {"version", "previewed"} and now[name] != data[name]
    ]


@login_required
@require_POST
def change_organisers(request: UserRequest, slug: str) -> HttpResponse:
    """Let somebody else organise too, or no more."""
    contest = access.organised_contest_for(request.user, slug)
    form = OrganiserForm(request.POST)
    if not form.is_valid():
        show_errors(request, form)
    else:
        with refusal_shown(request):
            person = form.cleaned_data["username"]
            if request.POST.get("act") == "remove":
                settings.remove_organiser(contest, request.user, person)
            else:
                settings.add_organiser(contest, request.user, person)
            messages.success(request, _("Saved."))
    if not access.is_organiser(request.user, contest):
        return redirect("home")
    return redirect("organise_settings", slug)
