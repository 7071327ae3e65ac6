from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored, submitted
from contest.forms.attacks import ProgramForm
from contest.forms.games.uploads import AnswerForm
from contest.models import Attack, Round, Team
from contest.pages.games.answers import attack_context, seek_context
from contest.pages.games.data import targets_answer
from contest.pages.games.programs import starter_answer, takes_programs
from contest.pages.team_orders import offered_for_seeking
from contest.play.table import Table
from contest.services.answers import pin_answer, submit_answer
from contest.services.attacks import targets_of
from contest.services.team_attacks import practice_entry
from contest.views.games.absent import needs_game
from contest.views.programs import accepted_program
from contest.views.requests import PageRequest, UserRequest


def _form(round_: Round, team: Team, *given: object) -> AnswerForm:
    keys = [entry.key for entry in targets_of(round_, team)] if access.targets_are_public(round_) else []
    return AnswerForm(Table(round_).declared, keys, *given)


def _program_form(round_: Round, team: Team) -> ProgramForm:
    return ProgramForm(can_practise=practice_entry(round_, team) is not None)


@needs_game
def seek_page(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    return _page(request, round_, team, _form(round_, team), _program_form(round_, team))


def _page(
    request: UserRequest,
    round_: Round,
    team: Team,
    form: AnswerForm,
    program_form: ProgramForm,
    status: int = 200,
) -> HttpResponse:
    context = {**seek_context(request.user, round_, team), "form": form, "program_form": program_form}
    context["declared"] = Table(round_).declared
    context["house_attacks"] = offered_for_seeking(round_, team)
    return render(request, "contest/games/seek.html", context, status=status)


@needs_game
def submit(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    form = _form(round_, team, request.POST, request.FILES)
    if form.is_valid():
        try:
            attack = submit_answer(round_, team, request.user, _keep(form), form.cleaned_data["note"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            return redirect(attack)
    return _page(request, round_, team, form, _program_form(round_, team), status=422)


@needs_game
def submit_program(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    """A seeker, or a free trial of one."""
    if not takes_programs(round_, "seek"):
        raise Http404
    form = ProgramForm(request.POST, request.FILES)
    if (attack := accepted_program(request, round_, team, form)) is not None:
        return redirect(attack)
    return _page(request, round_, team, _form(round_, team), form, status=422)


@require_safe
def starter(
    request: PageRequest, slug: str, round_slug: str, challenge: str | None = None
) -> HttpResponseBase:
    """A program to start from: for a challenge, or one that hides."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is None:
        raise Http404
    return _starter(request, round_, challenge)


@needs_game
def _starter(request: PageRequest, round_: Round, challenge: str | None) -> HttpResponseBase:
    return starter_answer(round_, challenge)


def _keep(form: AnswerForm) -> Stored:
    """An answer is no secret of the organisers: it goes where judges find what teams send."""
    most = min(settings.UPLOAD_MAX_BYTES, form.most_bytes)
    if form.cleaned_data["archive"]:
        return submitted.put(form.cleaned_data["archive"], most)
    return submitted.put(vault.zip_of(form.parts()), most)


@needs_game
def targets_zip(request: UserRequest, round_: Round, team: Team) -> HttpResponseBase:
    """All targets of the team in one archive."""
    return targets_answer(request.user, round_, team)


@needs_game
def attack_page(request: PageRequest, round_: Round, attack: Attack) -> HttpResponse:
    template = "contest/games/_attack.html" if request.htmx else "contest/games/attack.html"
    return render(request, template, attack_context(request.user, attack))


@login_required
@require_POST
def pin(request: UserRequest, slug: str, round_slug: str, attack_id: int) -> HttpResponse:
    """Let an answer count instead of the latest one."""
    found = access.own_attack_for(request.user, slug, round_slug, attack_id)
    try:
        pin_answer(found, request.user)
        messages.success(request, _("This answer counts from now on."))
    except Refused as refusal:
        messages.error(request, refusal.text)
    return redirect(found)
