"""The page of the visitor's own account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.accounts import EmailForm, PasswordForm, ProfileForm
from contest.forms.notifications import NoticesForm
from contest.pages.identities import linked, offers, offers_for
from contest.pages.notifications import choices_of
from contest.services import account_deletion, accounts, log_ins
from contest.services.rate_limit import limit_tries
from contest.views.accounts import letter_sent, speak
from contest.views.identities import PASSWORD_TRIES, is_fresh, owner_form
from contest.views.requests import UserRequest


@login_required
@require_safe
@never_cache
def account(request: UserRequest) -> HttpResponse:
    return _page(request)


def _page(request: UserRequest, **bound: forms.Form) -> HttpResponse:
    """The page with its forms; one of them may be bound, with its errors."""
    user = request.user
    profile = {name: getattr(user, name) for name in ("alias", "language", "time_zone", "has_public_profile")}
    context: dict[str, Any] = {
        "profile_form": ProfileForm(initial=profile, prefix="profile"),
        "identities": linked(user),
        "offers": [offer for offer in offers() if offer not in offers_for(user)],
        "ways_in": [] if user.has_usable_password() else offers_for(user),
        "email_form": EmailForm(user, prefix="email"),
        "password_form": PasswordForm(user, prefix="password"),
        "notices_form": NoticesForm(choices_of(user), prefix="notices"),
        "log_ins": log_ins.of_user(user),
        "this_session": request.session.session_key,
        "mail_folder": settings.MAIL_FOLDER,
        **bound,
    }
    return render(request, "contest/account.html", context, status=422 if bound else 200)


@login_required
@require_POST
def change_profile(request: UserRequest) -> HttpResponse:
    form = ProfileForm(request.POST, prefix="profile")
    if not form.is_valid():
        return _page(request, profile_form=form)
    try:
        accounts.change_profile(request.user, **form.cleaned_data)
    except Refused as refusal:
        form.add_error("alias", refusal.text)
        return _page(request, profile_form=form)
    response = redirect("account")
    language = form.cleaned_data["language"]
    if language:
        speak(response, language)
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    with translation.override(language or translation.get_language()):
        messages.success(request, _("Saved."))
    return response


@login_required
@sensitive_post_parameters()
@require_POST
def change_email(request: UserRequest) -> HttpResponse:
    """Ask for another address: an e-mail goes there, and nothing changes before its link is opened."""
    form = EmailForm(request.user, request.POST, prefix="email", is_fresh=is_fresh(request))
    try:
        _count_password_try(request)
        if form.is_valid():
            accounts.ask_to_change_email(request.user, form.cleaned_data["email"])
            messages.success(request, letter_sent(form.cleaned_data["email"]))
            return redirect("account")
    except Refused as refusal:
        form.add_error(None, refusal.text)
    return _page(request, email_form=form)


@login_required
@require_POST
def confirm_again(request: UserRequest) -> HttpResponse:
    try:
        limit_tries("confirm-again", str(request.user.pk), limit=5)
    except Refused as refusal:
        messages.error(request, refusal.text)
    else:
        accounts.ask_to_confirm(request.user)
        messages.success(request, letter_sent(request.user.email))
    return redirect("account")


@login_required
@sensitive_post_parameters()
@require_POST
def change_password(request: UserRequest) -> HttpResponse:
    """Change the password; every other browser is logged out by it."""
    form = PasswordForm(request.user, request.POST, prefix="password", is_fresh=is_fresh(request))
    try:
        _count_password_try(request)
        if form.is_valid():
            accounts.change_password(request.user, form.cleaned_data["password"])
            log_ins.stay(request, request.user)
            messages.success(
                request,
                _("The password is set. Every other browser is logged out, and your tokens are revoked."),
            )
            return redirect("account")
    except Refused as refusal:
        form.add_error(None, refusal.text)
    return _page(request, password_form=form)


@login_required
@require_POST
def end_log_in(request: UserRequest, log_in_id: int) -> HttpResponse:
    log_ins.end(access.log_in_for(request.user, log_in_id))
    messages.success(request, _("That browser is logged out."))
    return redirect("account")


@login_required
@require_POST
def end_other_log_ins(request: UserRequest) -> HttpResponse:
    log_ins.end_others(request, request.user)
    messages.success(request, _("Every other browser is logged out."))
    return redirect("account")


@login_required
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@never_cache
def delete(request: UserRequest) -> HttpResponse:
    """Say what would go and what would stay; with the password, do it."""
    form = owner_form(request)
    if request.method == "POST":
        try:
            _count_password_try(request)
            if form.is_valid():
                account_deletion.delete_account(request.user)
                logout(request)
                messages.success(request, _("Your account is deleted."))
                return redirect("home")
        except Refused as refusal:
            form.add_error(None, refusal.text)
    context = {
        "form": form,
        "partings": account_deletion.partings(request.user),
        "ways_in": [] if request.user.has_usable_password() else offers_for(request.user),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/account_delete.html", context, status=status)


def _count_password_try(request: UserRequest) -> None:
    """Somebody at a browser that was left open must not be able to guess the password."""
    limit_tries("password", str(request.user.pk), limit=PASSWORD_TRIES)
