from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Avg, Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from anonymizers.registry import anonymizer
from attacks.sandbox import examine
from contest import access, queries
from contest.errors import Refused
from contest.forms.organise import AnnouncementForm, HouseEntryForm, HouseMethodForm
from contest.models import Attack, AttackRun, AuditEvent, Contest, Entry
from contest.services.attacks import rerun, set_attack_active
from contest.services.contests import announce
from contest.services.house import request_house_entry
from contest.views.requests import UserRequest


@login_required
@require_safe
def organise(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest, AnnouncementForm())


@login_required
@require_POST
def publish_announcement(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = AnnouncementForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    announce(contest, request.user, form.cleaned_data["title"], form.cleaned_data["body"])
    messages.success(request, _("Published."))
    return redirect("organise", slug)


@login_required
@require_http_methods(["GET", "POST"])
def house_entry(request: UserRequest, slug: str) -> HttpResponse:
    """Let the house make an entry: choose a method, then its parameters."""
    contest = access.organised_contest_for(request.user, slug)
    chooser = HouseMethodForm(request.GET or None)
    if not chooser.is_valid():
        return redirect("organise", slug)
    method = anonymizer(chooser.cleaned_data["method"])
    form = HouseEntryForm(contest, method, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            request_house_entry(data["round"], request.user, method.name, form.parameters(), data["seed"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            messages.success(request, _("A worker makes the entry now and hands it in."))
            return redirect("organise", slug)
    context = {"contest": contest, "method": method, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/house_entry.html", context, status=status)


@login_required
@require_POST
def steer_attack(request: UserRequest, slug: str, attack_id: int) -> HttpResponse:
    """Stop or resume an attack, or run all or the failed cells of its row again."""
    contest = access.organised_contest_for(request.user, slug)
    attack = access.attack_of(contest, attack_id)
    act = request.POST.get("act")
    if act in {"stop", "resume"}:
        set_attack_active(attack, request.user, act == "resume")
    elif act in {"rerun", "rerun-failed"}:
        runs = attack.runs.select_related("attack", "entry__round__contest")
        chosen = runs.filter(state=AttackRun.State.FAILED) if act == "rerun-failed" else runs
        n = rerun(list(chosen), request.user, request.POST.get("reason", "")[:300])
        messages.success(request, _("%(n)s runs are queued again.") % {"n": n})
    return redirect("organise", slug)


@login_required
@require_POST
def rerun_runs(request: UserRequest, slug: str) -> HttpResponse:
    """Run one cell of the matrix again, or the whole column of an entry."""
    contest = access.organised_contest_for(request.user, slug)
    runs = access.runs_of(contest, request.POST.get("run"), request.POST.get("entry"))
    n = rerun(runs, request.user, request.POST.get("reason", "")[:300])
    messages.success(request, _("%(n)s runs are queued again.") % {"n": n})
    return redirect(runs[0].attack if request.POST.get("run") else runs[0].entry)


def _page(
    request: UserRequest, contest: Contest, announcement_form: AnnouncementForm, status: int = 200
) -> HttpResponse:
    entries = Entry.objects.filter(round__contest=contest).select_related("team", "round__contest")
    attacks = Attack.objects.filter(round__contest=contest, is_dry_run=False).select_related("round", "team")
    context = {
        "contest": contest,
        "counts": queries.job_counts(contest),
        "entries": entries.order_by("-id")[:50],
        "attacks": attacks.annotate(
            n_runs=Count("runs"),
            n_done=Count("runs", filter=Q(runs__state=AttackRun.State.DONE)),
            n_failed=Count("runs", filter=Q(runs__state=AttackRun.State.FAILED)),
            mean_seconds=Avg("runs__seconds"),
        ),
        "sandbox": examine(settings.SANDBOX),
        "audit": AuditEvent.objects.filter(contest=contest).select_related("actor")[:50],
        "announcement_form": announcement_form,
        "house_form": HouseMethodForm(),
    }
    return render(request, "contest/organise.html", context, status=status)
