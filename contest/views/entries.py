from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored
from contest.forms.entries import UploadForm
from contest.language.translation import say_problem
from contest.models import Phase, Round, Team
from contest.pages.dry_run import check_upload
from contest.pages.entry import entry_context
from contest.pages.problem_summary import problem_context
from contest.services.attempts import count_attempts
from contest.services.entries import change_note, pin_entry, submit_entry
from contest.views.games import entries as games
from contest.views.requests import PageRequest, UserRequest
from datasets.problems import Verdict


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.team_of(request.user, round_.contest)
    if team is None:
        messages.info(request, _("Create a team or join one first; entries belong to teams."))
        return redirect("team_create", slug)
    if round_.game_id is not None:
        return games.upload(request, round_, team)
    form = UploadForm(round_.dataset.spec, request.POST or None, request.FILES or None)
    status, verdict = 200, None
    if request.method == "POST" and form.is_valid():
        try:
            if "check" in request.POST:
                verdict = _check_only(round_, team, form)
                return _upload_page(request, round_, team, form, 200 if verdict.ok else 422, verdict)
            stored = _keep(form)
            entry = submit_entry(round_, team, request.user, stored, note=form.cleaned_data["note"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            return redirect(entry)
    if request.method == "POST":
        status = 422
    return _upload_page(request, round_, team, form, status, verdict)


def _upload_page(
    request: UserRequest, round_: Round, team: Team, form: UploadForm, status: int, verdict: Verdict | None
) -> HttpResponse:
    checked, verdict = verdict is not None, verdict or Verdict()
    context = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "form": form,
        "text": form.text,
        "phase": queries.open_phase(round_, Phase.Kind.ANONYMISE),
        "attempts": count_attempts(round_, team),
        "checked": checked,
        **problem_context([say_problem(problem) for problem in verdict.as_data()], verdict.total),
    }
    return render(request, "contest/upload.html", context, status=status)


def _check_only(round_: Round, team: Team, form: UploadForm) -> Verdict:
    """The dry run: what the checker reports, without an attempt and without storing anything."""
    archive = form.cleaned_data["archive"]
    return check_upload(round_, team, archive or None, {} if archive else form.parts())


def _keep(form: UploadForm) -> Stored:
    if form.cleaned_data["archive"]:
        return vault.keep_archive(form.cleaned_data["archive"], settings.UPLOAD_MAX_BYTES)
    return vault.keep_parts(form.parts(), settings.UPLOAD_MAX_BYTES)


@require_safe
def entry(request: PageRequest, slug: str, round_slug: str, entry_id: int) -> HttpResponse:
    """The entry's page; requested by htmx, only the part that changes while jobs run."""
    found = access.entry_for(request.user, slug, round_slug, entry_id)
    if found.round.game_id is not None:
        return games.entry_page(request, found.round, found)
    template = "contest/_entry.html" if request.htmx else "contest/entry.html"
    return render(request, template, entry_context(request.user, found))


@login_required
@require_POST
def pin(request: UserRequest, slug: str, round_slug: str, entry_id: int) -> HttpResponse:
    found = access.own_entry_for(request.user, slug, round_slug, entry_id)
    try:
        pin_entry(found, request.user)
        messages.success(request, _("Entry #%(number)s is now your official one.") % {"number": found.number})
    except Refused as refusal:
        messages.error(request, refusal.text)
    return redirect(found)


@login_required
@require_POST
def note(request: UserRequest, slug: str, round_slug: str, entry_id: int) -> HttpResponse:
    found = access.own_entry_for(request.user, slug, round_slug, entry_id)
    try:
        change_note(found, request.user, request.POST.get("note", ""))
        messages.success(request, _("The note of entry #%(number)s is saved.") % {"number": found.number})
    except Refused as refusal:
        messages.error(request, refusal.text)
    return redirect("team", slug, found.team_id)
