from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.board import queries
from contest.board.matrix import attackers, matrix
from contest.errors import Refused
from contest.forms.attacks import GuessForm, ProgramForm
from contest.jobs.queue_estimates import wait_for
from contest.models import Attack, AttackRun, Job, Phase, Round, Team
from contest.pages.attack import attack_summary
from contest.pages.downloads import guesses_in, targets_bundle
from contest.pages.problem_summary import verdict_context
from contest.pages.targets import target_rows
from contest.pages.team_orders import offered_for_seeking
from contest.services import team_attacks
from contest.services.attacks import unfilled_cells
from contest.views.games import boards as game_boards
from contest.views.games import seek as game_seek
from contest.views.programs import accepted_program
from contest.views.requests import PageRequest, UserRequest
from datasets.problems import BadFiles, Verdict
from games.formats import OLDEST
from games.formats.guessing import find_game
from games.formats.texts import FORMAT_TEXTS


@require_safe
def matrix_page(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """Who finds whom; requested by htmx, only the part that changes."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return game_boards.matrix_page(request, round_)
    version = access.matrix_version(request.user, round_)
    if request.htmx and request.GET.get("version") == version:
        return HttpResponse(status=204)
    my_team = access.team_of(request.user, round_.contest)
    shown = access.sees_attacks(request.user, round_)
    table = matrix(round_) if shown else None
    seekers = attackers(table, my_team) if table else []
    cells = unfilled_cells(round_) if shown else AttackRun.objects.none()
    context = {
        "contest": round_.contest,
        "round": round_,
        "matrix": table,
        "attackers": seekers,
        "house_beside": any(row.rank is None for row in seekers),
        "n_waiting": cells.count(),
        "wait": wait_for(Job.objects.filter(attack_run__in=cells)) if shown else None,
        "version": version,
    }
    template = "contest/_matrix.html" if request.htmx else "contest/matrix.html"
    return render(request, template, context)


@login_required
@require_safe
def seek(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Where a team attacks: its targets, its uploads, and their outcomes."""
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.team_of(request.user, round_.contest)
    if team is None:
        messages.info(request, _("Create a team or join one first; attacks belong to teams."))
        return redirect("team_create", slug)
    if round_.game_id is not None:
        return game_seek.seek_page(request, round_, team)
    return _seek_page(request, round_, team, GuessForm(round_.dataset.format), ProgramForm())


def _seek_page(
    request: UserRequest,
    round_: Round,
    team: Team,
    guess_form: GuessForm,
    program_form: ProgramForm,
    status: int = 200,
    verdict: Verdict | None = None,
) -> HttpResponse:
    mine = Attack.objects.filter(round=round_, team=team).select_related("team").order_by("-pk")
    attacks = list(mine.prefetch_related("runs__entry__team")[:30])
    for attack in attacks:
        attack.round = round_
    context = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "text": FORMAT_TEXTS[round_.dataset.format],
        "targets": target_rows(request.user, round_, team),
        "are_public": access.targets_are_public(round_),
        "phase": queries.open_phase(round_, Phase.Kind.ATTACK),
        "guess_form": guess_form,
        "program_form": program_form,
        "attacks": [attack_summary(request.user, attack) for attack in attacks],
        "practice": team_attacks.practice_entry(round_, team),
        "practice_is_only": len(team_attacks.practice_entries(round_)) == 1,
        "house_attacks": offered_for_seeking(round_, team),
        "checked": verdict is not None,
        **verdict_context(verdict or Verdict()),
    }
    return render(request, "contest/seek.html", context, status=status)


@require_safe
def template_program(request: PageRequest, format_name: str = OLDEST) -> FileResponse:
    """A working re-identifier to start from."""
    try:
        template = find_game(format_name).template
    except KeyError:
        raise Http404 from None
    return FileResponse(template.open("rb"), as_attachment=True, filename="reidentify.py")


@login_required
@require_safe
def targets(request: UserRequest, slug: str, round_slug: str) -> HttpResponseBase:
    """All targets of the team in one archive, each in a folder named by its number."""
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    if round_.game_id is not None:
        return game_seek.targets_zip(request, round_, team)
    if not access.targets_are_public(round_):
        raise Http404
    bundle = targets_bundle(round_, team)
    return FileResponse(bundle, as_attachment=True, filename=f"{slug}-{round_slug}-targets.zip")


@login_required
@require_POST
def submit_guesses(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    if round_.game_id is not None:
        return game_seek.submit(request, round_, team)
    form = GuessForm(round_.dataset.format, request.POST, request.FILES)
    if form.is_valid():
        try:
            note = form.cleaned_data["note"]
            with guesses_in(round_, team, form.cleaned_data["archive"]) as guesses:
                attack = team_attacks.submit_guesses(
                    round_, team, request.user, guesses, note, guesses.remarks
                )
        except BadFiles as error:
            return _seek_page(request, round_, team, form, ProgramForm(), 422, error.verdict)
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
    if round_.game_id is not None:
        return game_seek.submit_program(request, round_, team)
    form = ProgramForm(request.POST, request.FILES)
    if (attack := accepted_program(request, round_, team, form)) is not None:
        return redirect(attack)
    return _seek_page(request, round_, team, GuessForm(round_.dataset.format), form, status=422)


@login_required
@require_POST
def run_on_all(request: UserRequest, slug: str, round_slug: str, attack_id: int) -> HttpResponse:
    """A program that was tried becomes an attack on all targets."""
    found = access.own_attack_for(request.user, slug, round_slug, attack_id)
    if not (found.is_dry_run and found.team and found.program_sha256):
        raise Http404
    try:
        return redirect(team_attacks.submit_tried(found, request.user))
    except Refused as refusal:
        messages.error(request, refusal.text)
        return redirect(found)


@require_safe
def attack(request: PageRequest, slug: str, round_slug: str, attack_id: int) -> HttpResponse:
    """One attack: its runs, its log, its timing; requested by htmx, only the part that changes."""
    found = access.attack_for(request.user, slug, round_slug, attack_id)
    if found.round.game_id is not None:
        return game_seek.attack_page(request, found.round, found)
    context = {
        "contest": found.round.contest,
        "round": found.round,
        **attack_summary(request.user, found),
        "wait": wait_for(Job.objects.filter(attack_run__attack=found)),
    }
    template = "contest/_attack.html" if request.htmx else "contest/attack.html"
    return render(request, template, context)
