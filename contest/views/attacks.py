from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from attacks.games import find_game
from contest import access, queries
from contest.archives import guesses_in, targets_bundle
from contest.attack_page import attack_summary
from contest.errors import Refused
from contest.forms.attacks import GuessForm, ProgramForm
from contest.matrix import attackers, matrix
from contest.models import Attack, Job, Phase, Round, Team
from contest.services import offence
from contest.services.attacks import seconds_left, targets_of
from contest.services.heartbeats import slots_of
from contest.storage import submitted
from contest.views.requests import PageRequest, UserRequest
from contest.waiting import wait_for


@require_safe
def matrix_page(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """Who finds whom; asked by htmx, only the part that changes."""
    round_ = access.round_for(request.user, slug, round_slug)
    version = access.matrix_version(request.user, round_)
    if request.htmx and request.GET.get("version") == version:
        return HttpResponse(status=204)
    my_team = access.team_of(request.user, round_.contest)
    shown = access.sees_attacks(request.user, round_)
    table = matrix(round_) if shown else None
    seekers = attackers(table, my_team) if table else []
    workers = slots_of({"attacks", "programs"})
    waiting, seconds = seconds_left(round_, workers) if shown else (0, None)
    context = {
        "contest": round_.contest,
        "round": round_,
        "matrix": table,
        "attackers": seekers,
        "house_beside": any(row.rank is None for row in seekers),
        "n_waiting": waiting,
        "workers": workers,
        "minutes_left": None if seconds is None else seconds / 60,
        "version": version,
    }
    template = "contest/_matrix.html" if request.htmx else "contest/matrix.html"
    return render(request, template, context)


@login_required
@require_safe
def seek(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Where a team attacks: its targets, its uploads, and what came of them."""
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.team_of(request.user, round_.contest)
    if team is None:
        messages.info(request, _("Create a team or join one first; attacks belong to teams."))
        return redirect("team_create", slug)
    return _seek_page(request, round_, team, GuessForm(round_.dataset.format), ProgramForm())


def _seek_page(
    request: UserRequest,
    round_: Round,
    team: Team,
    guess_form: GuessForm,
    program_form: ProgramForm,
    status: int = 200,
) -> HttpResponse:
    mine = Attack.objects.filter(round=round_, team=team).select_related("team").order_by("-pk")
    attacks = list(mine.prefetch_related("runs__entry__team")[:30])
    for attack in attacks:
        attack.round = round_
    context = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "targets": targets_of(round_, team) if access.targets_are_public(round_) else [],
        "phase": queries.open_phase(round_, Phase.Kind.ATTACK),
        "guess_form": guess_form,
        "program_form": program_form,
        "attacks": [attack_summary(request.user, attack) for attack in attacks],
        "practice": offence.practice_entry(round_, team),
    }
    return render(request, "contest/seek.html", context, status=status)


@require_safe
def template_program(request: PageRequest, format_name: str = "2016") -> FileResponse:
    """A working re-identifier to start from."""
    try:
        template = find_game(format_name).template
    except KeyError:
        raise Http404 from None
    return FileResponse(template.open("rb"), as_attachment=True, filename="reidentify.py")


@login_required
@require_safe
def targets(request: UserRequest, slug: str, round_slug: str) -> FileResponse:
    """All targets of the team in one archive, each in a folder named by its number."""
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    if not access.targets_are_public(round_):
        raise Http404
    bundle = targets_bundle(round_, team)
    return FileResponse(bundle, as_attachment=True, filename=f"{slug}-{round_slug}-targets.zip")


@login_required
@require_POST
def submit_guesses(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    form = GuessForm(round_.dataset.format, request.POST, request.FILES)
    if form.is_valid():
        try:
            note = form.cleaned_data["note"]
            with guesses_in(round_, team, form.cleaned_data["archive"]) as guesses:
                attack = offence.submit_guesses(round_, team, request.user, guesses, note)
        except Refused as refusal:
            form.add_error("archive", refusal.text)
        else:
            return redirect(attack)
    return _seek_page(request, round_, team, form, ProgramForm(), status=422)


@login_required
@require_POST
def submit_program(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    form = ProgramForm(request.POST, request.FILES)
    if form.is_valid():
        submit = offence.try_program if form.cleaned_data["dry_run"] else offence.submit_program
        try:
            offence.require_runnable(form.cleaned_data["program"].read(offence.MAX_PROGRAM_BYTES + 1))
            form.cleaned_data["program"].seek(0)
            program = submitted.put(form.cleaned_data["program"], offence.MAX_PROGRAM_BYTES)
            attack = submit(round_, team, request.user, program)
        except Refused as refusal:
            form.add_error("program", refusal.text)
        else:
            return redirect(attack)
    return _seek_page(request, round_, team, GuessForm(round_.dataset.format), form, status=422)


@require_safe
def attack(request: PageRequest, slug: str, round_slug: str, attack_id: int) -> HttpResponse:
    """One attack: its runs, its log, its timing; asked by htmx, only the part that changes."""
    found = access.attack_for(request.user, slug, round_slug, attack_id)
    context = {
        "contest": found.round.contest,
        "round": found.round,
        **attack_summary(request.user, found),
        "wait": wait_for(Job.objects.filter(attack_run__attack=found)),
    }
    template = "contest/_attack.html" if request.htmx else "contest/attack.html"
    return render(request, template, context)
