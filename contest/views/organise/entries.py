from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.organise import EntryFilterForm, RepairForm
from contest.models import AttackRun, Entry, User
from contest.services import entry_marks
from contest.services.attacks import rerun
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest

ROWS_A_PAGE = 100
REPAIRS: dict[str, Callable[[Entry, User, str], None]] = {
    "void": entry_marks.void_entry,
    "unvoid": entry_marks.unvoid_entry,
    "disqualify": entry_marks.disqualify_entry,
    "give-back": entry_marks.give_attempt_back,
}


@login_required
@require_safe
def entries(request: UserRequest, slug: str) -> HttpResponse:
    """All entries, to choose one or many of them and repair something."""
    contest = access.organised_contest_for(request.user, slug)
    chooser = EntryFilterForm(contest, request.GET or None)
    found = Entry.objects.filter(round__contest=contest).select_related("team", "round__contest")
    if chooser.is_valid():
        found = chooser.narrowed(found)
    page = Paginator(found.order_by("-id"), ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {"contest": contest, "here": "entries", "page": page, "chooser": chooser, "form": RepairForm()}
    return render(request, "contest/organise/entries.html", context)


@login_required
@require_POST
def repair_entries(request: UserRequest, slug: str) -> HttpResponse:
    """Do one thing to the chosen entries, each in a transaction of its own."""
    contest = access.organised_contest_for(request.user, slug)
    form = RepairForm(request.POST)
    chosen = access.entries_of(contest, request.POST.getlist("entry"))
    if not form.is_valid():
        show_errors(request, form)
    elif not chosen:
        messages.error(request, _("Choose at least one entry."))
    else:
        _repair(request, chosen, form.cleaned_data["act"], form.cleaned_data["reason"])
    return redirect("organise_entries", slug)


def _repair(request: UserRequest, chosen: list[Entry], act: str, reason: str) -> None:
    done = 0
    if act == "rerun":
        runs = AttackRun.objects.filter(entry__in=chosen, attack__is_dry_run=False)
        related = runs.select_related("attack__team", "entry__round__contest")
        with refusal_shown(request):
            entry_marks.require_reason(reason)
            queued = rerun(list(related), request.user, reason)
            messages.success(request, _("%(n)s runs are queued again.") % {"n": queued})
        return
    for entry in chosen:
        with refusal_shown(request):
            REPAIRS[act](entry, request.user, reason)
            done += 1
    if done:
        said = ngettext("%(n)s entry is changed.", "%(n)s entries are changed.", done)
        messages.success(request, said % {"n": done})
