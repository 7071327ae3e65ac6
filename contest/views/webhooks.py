from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from contest import access
from contest.errors import Refused
from contest.forms.webhooks import WebhookForm
from contest.models import Delivery
from contest.outside.webhooks import create_webhook, end_webhook
from contest.views.requests import UserRequest

SHOWN = 20


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def webhooks(request: UserRequest, slug: str) -> HttpResponse:
    """Addresses of the organisers or of the visitor's team; the secret of a new one is shown once."""
    contest, team = access.webhook_owner(request.user, slug)
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _made, secret = create_webhook(contest, request.user, form.cleaned_data["url"], team)
        except Refused as refusal:
            form.add_error("url", refusal.text)
        else:
            request.session["new_webhook"] = secret
            return redirect("webhooks", slug)
    hooks = access.webhooks_for(request.user, slug)
    context = {
        "contest": contest,
        "team": team,
        "form": form,
        "webhooks": hooks.filter(ended_at=None),
        "ended": hooks.exclude(ended_at=None)[:SHOWN],
        "deliveries": Delivery.objects.filter(webhook__in=hooks).select_related("webhook")[:SHOWN],
        "secret": request.session.pop("new_webhook", None),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/webhooks.html", context, status=status)


@login_required
@require_POST
def end(request: UserRequest, slug: str, webhook_id: int) -> HttpResponse:
    end_webhook(access.webhook_for(request.user, slug, webhook_id), request.user)
    messages.success(request, _("Nothing more is sent to this address."))
    return redirect("webhooks", slug)
