from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.organise import AnnouncementForm
from contest.models import Contest
from contest.services.contests import announce
from contest.views.requests import UserRequest


@login_required
@require_safe
def announcements(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest, AnnouncementForm())


@login_required
@require_POST
def publish_announcement(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = AnnouncementForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    data = form.cleaned_data
    announce(contest, request.user, data["title"], data["body"], by_mail=data["by_mail"])
    messages.success(request, _("Published."))
    return redirect("organise_announcements", slug)


def _page(request: UserRequest, contest: Contest, form: AnnouncementForm, status: int = 200) -> HttpResponse:
    context = {
        "contest": contest,
        "here": "announcements",
        "announcements": contest.announcements.select_related("author").annotate(
            n_mails=Count("mails"),
            n_sent=Count("mails", filter=Q(mails__sent_at__isnull=False)),
            n_unsure=Count("mails", filter=Q(mails__sent_at=None, mails__claimed_at__isnull=False)),
        )[:100],
        "form": form,
    }
    return render(request, "contest/organise/announcements.html", context, status=status)
