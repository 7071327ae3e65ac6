from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import Stored
from contest.forms.entries import UploadForm
from contest.models import Phase, Round, Team
from contest.numbers import whole_number
from contest.pages.comparison import comparison_context
from contest.pages.dry_run import check_upload
from contest.pages.entry import entry_context
from contest.pages.problem_summary import problem_table, verdict_context
from contest.pages.team_orders import offered_for_hiding
from contest.services.attempts import count_attempts
from contest.services.entries import change_note, pin_entry
from contest.services.handing_in import hand_in
from contest.services.same_files import SAME_FILES, require_new_files
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
            if "again" not in request.POST:
                require_new_files(round_, team, stored)
            given = {name: form.cleaned_data[name] for name in ("keep", "note")}
            entry = hand_in(round_, team, request.user, stored, **given)
        except Refused as refusal:
            form.add_error(None, ValidationError(refusal.text, code=refusal.code))
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
        "house_methods": offered_for_hiding(round_),
        "checked": checked,
        "asks_again": form.has_error(NON_FIELD_ERRORS, SAME_FILES),
        **verdict_context(verdict),
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
@require_safe
def problems(request: UserRequest, slug: str, round_slug: str, entry_id: int) -> HttpResponse:
    """Every problem of an own entry, as a file."""
    found = access.own_entry_for(request.user, slug, round_slug, entry_id)
    try:
        text = problem_table(found)
    except Refused as refusal:
        messages.error(request, refusal.text)
        return redirect(found)
    headers = {"Content-Disposition": f'attachment; filename="problems-{found.number}.csv"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_safe
@never_cache
def own_upload(request: UserRequest, slug: str, round_slug: str, entry_id: int) -> FileResponse:
    """What one's own team handed in, as it was sent."""
    found = access.own_upload_for(request.user, slug, round_slug, entry_id)
    if not vault.exists(found.upload_sha256):
        raise Http404
    name = f"{slug}-{round_slug}-entry-{found.number}.zip"
    return FileResponse(vault.open_upload(found), as_attachment=True, filename=name)


@login_required
@require_safe
@never_cache
def compare(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Two entries of one's own team, by their numbers: ``?a=1&b=2``."""
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    a, b = (whole_number(request.GET.get(name, "")) for name in ("a", "b"))
    context = comparison_context(request.user, round_, team, a, b)
    if any(name in request.GET and context[name] is None for name in ("a", "b")):
        raise Http404
    return render(request, "contest/compare.html", context)


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
