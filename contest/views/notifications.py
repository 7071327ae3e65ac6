"""The notices of a person: a list, what is read, and which ones they get."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.notifications import NoticesForm
from contest.models import Notification
from contest.pages.notifications import choices_of, shown_notices
from contest.services.notifications import choose_notices, mark_read
from contest.views.requests import UserRequest

SHOWN = 100


@login_required
@require_safe
def notifications(request: UserRequest) -> HttpResponse:
    found = access.notifications_for(request.user)[:SHOWN]
    return render(request, "contest/notifications.html", {"notices": shown_notices(found)})


@login_required
@require_POST
def read_all(request: UserRequest) -> HttpResponse:
    mark_read(Notification.objects.filter(user=request.user))
    return redirect("notifications")


@login_required
@require_POST
def read(request: UserRequest, notification_id: int) -> HttpResponse:
    notice = access.notification_for(request.user, notification_id)
    mark_read(Notification.objects.filter(pk=notice.pk))
    return redirect("notifications")


@login_required
@require_POST
def choose(request: UserRequest) -> HttpResponse:
    """By which channels one gets which notices."""
    form = NoticesForm(choices_of(request.user), request.POST, prefix="notices")
    if form.is_valid():
        choose_notices(request.user, form.wanted())
        messages.success(request, _("Saved."))
    return redirect("account")
