from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access, queries, vault
from contest.entry_page import entry_context
from contest.errors import Refused
from contest.forms.entries import UploadForm
from contest.models import Phase
from contest.services.attempts import count_attempts
from contest.services.entries import pin_entry, submit_entry
from contest.storage import Stored
from contest.views.requests import PageRequest, UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.team_of(request.user, round_.contest)
    if team is None:
        messages.info(request, _("Create a team or join one first; entries belong to teams."))
        return redirect("team_create", slug)
    spec = round_.dataset.spec
    form = UploadForm(spec, request.POST or None, request.FILES or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            stored = _keep(form)
            entry = submit_entry(round_, team, request.user, stored, note=form.cleaned_data["note"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            return redirect(entry)
    if request.method == "POST":
        status = 422
    context = {
        "contest": round_.contest,
        "round": round_,
        "team": team,
        "form": form,
        "text": form.text,
        "phase": queries.open_phase(round_, Phase.Kind.ANONYMISE),
        "attempts": count_attempts(round_, team),
    }
    return render(request, "contest/upload.html", context, status=status)


def _keep(form: UploadForm) -> Stored:
    if form.cleaned_data["archive"]:
        return vault.keep_archive(form.cleaned_data["archive"], settings.UPLOAD_MAX_BYTES)
    return vault.keep_parts(form.parts(), settings.UPLOAD_MAX_BYTES)


@require_safe
def entry(request: PageRequest, slug: str, round_slug: str, entry_id: int) -> HttpResponse:
    """The entry's page; asked by htmx, only the part that changes while jobs run."""
    found = access.entry_for(request.user, slug, round_slug, entry_id)
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
