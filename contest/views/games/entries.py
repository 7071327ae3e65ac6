from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from contest import access
from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored
from contest.forms.games.uploads import GameUploadForm, HiderForm
from contest.models import Entry, Phase, Round, Team
from contest.pages.games.data import described
from contest.pages.games.dry_run import check_upload, may_check
from contest.pages.games.entry import entry_context
from contest.pages.games.programs import program_rules, takes_programs
from contest.pages.games.samples import sample
from contest.pages.problem_summary import verdict_context
from contest.pages.team_orders import offered_for_hiding
from contest.play.table import Table, has_hiding
from contest.services.attempts import count_attempts
from contest.services.handing_in import hand_in
from contest.services.hiders import keep_program, submit_hider
from contest.services.same_files import SAME_FILES, require_new_files
from contest.views.games.absent import needs_game
from contest.views.requests import PageRequest, UserRequest
from datasets.problems import Verdict


@needs_game
def upload(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    if not has_hiding(round_):
        raise Http404
    slot = _slot(request, round_)
    form = _form(request, round_, slot, request.POST or None, request.FILES or None)
    status, verdict = 200, None
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                if "check" in request.POST:
                    verdict = _check_only(round_, team, form, slot)
                    status = 200 if verdict.ok else 422
                else:
                    return redirect(_hand_in(request, round_, team, form, slot))
            except Refused as refusal:
                form.add_error(None, ValidationError(refusal.text, code=refusal.code))
    return _page(request, round_, team, form, slot, status, verdict)


def _form(request: UserRequest, round_: Round, slot: str, *given: Any) -> GameUploadForm:
    return GameUploadForm(Table(round_).declared, slot, *given, choice=_choice(request, round_))


def _hider_form(request: UserRequest, round_: Round, *given: Any) -> HiderForm:
    return HiderForm(Table(round_).declared.seats.variants, *given, choice=_choice(request, round_))


def _choice(request: UserRequest, round_: Round) -> int | None:
    seat = access.seat_of(request.user, round_)
    return seat.choice if seat else None


@login_required
@require_POST
def submit_program(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """A program that makes an entry."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is None:
        raise Http404
    return _submit_program(request, round_, access.own_team_for(request.user, round_.contest))


@needs_game
def _submit_program(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    if not takes_programs(round_, "hide"):
        raise Http404
    slot, form = _slot(request, round_), _hider_form(request, round_, request.POST, request.FILES)
    if form.is_valid():
        given = {"note": form.cleaned_data["note"], "slot": slot, "variant": form.chosen_variant}
        try:
            program = keep_program(form.cleaned_data["program"])
            return redirect(submit_hider(round_, team, request.user, program, **given))
        except Refused as refusal:
            form.add_error("program", refusal.text)
    return _page(request, round_, team, _form(request, round_, slot), slot, 422, None, form)


def _slot(request: UserRequest, round_: Round) -> str:
    """The slot that an upload is for: named by the form or the address, else the first."""
    slots = Table(round_).declared.slots
    wanted = request.POST.get("slot", request.GET.get("slot", slots[0]))
    if wanted not in slots:
        raise Http404
    return wanted


def _check_only(round_: Round, team: Team, form: GameUploadForm, slot: str) -> Verdict:
    archive = form.cleaned_data["archive"] or None
    parts = {} if archive else form.parts()
    return check_upload(round_, team, archive, parts, slot=slot, variant=form.chosen_variant)


def _hand_in(request: UserRequest, round_: Round, team: Team, form: GameUploadForm, slot: str) -> Entry:
    stored = _keep(form)
    if "again" not in request.POST:
        require_new_files(round_, team, stored, slot=slot, variant=form.chosen_variant)
    return hand_in(
        round_,
        team,
        request.user,
        stored,
        keep=form.cleaned_data["keep"],
        note=form.cleaned_data["note"],
        slot=slot,
        variant=form.chosen_variant,
    )


def _keep(form: GameUploadForm) -> Stored:
    most = min(settings.UPLOAD_MAX_BYTES, form.most_bytes)
    if form.cleaned_data["archive"]:
        return vault.keep_archive(form.cleaned_data["archive"], most)
    return vault.keep_parts(form.parts(), most)


def _page(
    request: UserRequest,
    round_: Round,
    team: Team,
    form: GameUploadForm,
    slot: str,
    status: int,
    verdict: Verdict | None,
    hider_form: HiderForm | None = None,
) -> HttpResponse:
    declared = Table(round_).declared
    checked, found = verdict is not None, verdict or Verdict()
    context = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "declared": declared,
        "form": form,
        "slot": slot,
        "slots": declared.slots if len(declared.slots) > 1 else (),
        "files": [
            {"described": described(file), "names": file.names(slot=slot), "sample": sample(file)}
            for file in declared.files_of("entry", "upload")
        ],
        "may_check": may_check(round_),
        "program": program_rules(round_, "hide"),
        "hider_form": hider_form or _hider_form(request, round_),
        "phase": queries.open_phase(round_, Phase.Kind.ANONYMISE),
        "attempts": count_attempts(round_, team),
        "house_methods": offered_for_hiding(round_),
        "checked": checked,
        "asks_again": form.has_error(NON_FIELD_ERRORS, SAME_FILES),
        **verdict_context(found),
    }
    return render(request, "contest/games/upload.html", context, status=status)


@needs_game
def entry_page(request: PageRequest, round_: Round, entry: Entry) -> HttpResponse:
    template = "contest/games/_entry.html" if request.htmx else "contest/games/entry.html"
    return render(request, template, entry_context(request.user, entry))
