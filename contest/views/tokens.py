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
from contest.forms.tokens import TokenForm
from contest.services.tokens import create_token, revoke_token
from contest.views.requests import UserRequest


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: UserRequest) -> HttpResponse:
    """Somebody's tokens, and a form for another one; its secret is shown once, on the next page."""
    form = TokenForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            secret = create_token(request.user, data["name"], data["scopes"], data["days"], data["team"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            request.session["new_token"] = secret
            return redirect("tokens")
    context = {
        "form": form,
        "tokens": [token for token in access.tokens_for(request.user) if token.revoked_at is None],
        "secret": request.session.pop("new_token", None),
        "site_url": request.build_absolute_uri("/").rstrip("/"),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/tokens.html", context, status=status)


@login_required
@require_POST
def revoke(request: UserRequest, token_id: int) -> HttpResponse:
    revoke_token(access.token_for(request.user, token_id), request.user)
    messages.success(request, _("The token no longer works."))
    return redirect("tokens")
