"""Logging in by an OpenID Connect provider: going there, coming back, a first visit, linking, unlinking."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from config.oidc import Provider
from contest import access
from contest.client_address import client_network
from contest.errors import Refused
from contest.forms.accounts import IdentitySignUpForm, OwnPasswordForm
from contest.models import User
from contest.outside import oidc
from contest.pages.identities import label_of, offers_for
from contest.services import accounts, identities, log_ins
from contest.services.rate_limit import limit_tries
from contest.views.accounts import letter_sent, own_page, speak
from contest.views.requests import PageRequest, UserRequest

logger = logging.getLogger(__name__)

WAITING, ARRIVED, FRESH = "oidc_waiting", "oidc_arrived", "oidc_fresh"
"""What a session remembers: log-ins on their way, somebody without an account, and who has just logged in."""
MOST_WAITING = 5
WAITING_SECONDS = 15 * 60
FRESH_SECONDS = 15 * 60
BEGINNINGS = 10
"""A class behind one address may log in: as many times the usual number of tries."""
STATUS = {"oidc-away": 502, "too-many-tries": 429}
PASSWORD_TRIES = 20


@never_cache
@require_POST
def begin(request: PageRequest, provider: str) -> HttpResponse:
    return _send(request, _provider(provider), own_page(request))


@never_cache
@require_GET
def back(request: PageRequest, provider: str) -> HttpResponse:
    """Somebody comes back from a provider. What this browser began is used up, whatever comes of it."""
    chosen = _provider(provider)
    try:
        waiting = _waiting_for(request, chosen)
        person = _person(request, chosen, waiting)
        return _welcome(request, chosen, waiting, person)
    except Refused as refusal:
        logger.warning("log-in with %s: %s", chosen.name, refusal.code)
        return _trouble(request, refusal)


@never_cache
@require_http_methods(["GET", "POST"])
def sign_up(request: PageRequest) -> HttpResponse:
    """The first visit of somebody whom a provider vouches for: they choose a name, and an account is made."""
    if not settings.OIDC_PROVIDERS:
        raise Http404
    arrived = _recent(request.session.get(ARRIVED), WAITING_SECONDS)
    if request.user.is_authenticated or arrived is None or arrived["provider"] not in settings.OIDC_PROVIDERS:
        return redirect("home" if request.user.is_authenticated else "login")
    email = arrived["email"]
    suggested = {"username": identities.suggest_name(arrived["names"]), "email": email}
    form = IdentitySignUpForm(request.POST if request.method == "POST" else None, initial=suggested)
    if request.method == "POST" and form.is_valid():
        try:
            return _sign_up(request, arrived, form.cleaned_data)
        except Refused as refusal:
            form.add_error("username" if refusal.code == "name-taken" else None, refusal.text)
    context = {"form": form, "provider": label_of(settings.OIDC_PROVIDERS[arrived["provider"]])}
    status = 422 if request.method == "POST" else 200
    return render(request, "registration/identity_signup.html", context, status=status)


def _sign_up(request: PageRequest, arrived: dict[str, Any], data: dict[str, Any]) -> HttpResponse:
    limit_tries("sign-up", client_network(request))
    user = accounts.sign_up(
        data["username"],
        data["email"],
        None,
        translation.get_language() or "",
        (arrived["issuer"], arrived["subject"]),
    )
    del request.session[ARRIVED]
    _log_in(request, user)
    messages.success(request, letter_sent(user.email))
    return redirect(arrived["next"] or "home")


@never_cache
@login_required
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def link(request: UserRequest, provider: str) -> HttpResponse:
    """Link an identity to the account: the owner proves to be it, then goes to the provider."""
    chosen = _provider(provider)
    form = owner_form(request)
    if request.method == "POST" and _is_owner(request, form):
        return _send(request, chosen, "", link_to=request.user.pk)
    return _owner_page(request, form, "contest/identity_link.html", label_of(chosen))


@never_cache
@login_required
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def unlink(request: UserRequest, identity_id: int) -> HttpResponse:
    """Unlink an identity. Whoever used it may still be logged in elsewhere, so other browsers are not."""
    identity = access.identity_for(request.user, identity_id)
    by_issuer = {provider.issuer: provider for provider in settings.OIDC_PROVIDERS.values()}
    form = owner_form(request)
    if request.method == "POST" and _is_owner(request, form):
        try:
            identities.unlink_identity(identity, by_issuer)
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            log_ins.end_others(request, request.user)
            messages.success(request, _("The identity is unlinked. Every other browser is logged out."))
            return redirect("account")
    provider = by_issuer.get(identity.issuer)
    label = label_of(provider) if provider else identity.issuer
    return _owner_page(request, form, "contest/identity_unlink.html", label)


def owner_form(request: UserRequest) -> OwnPasswordForm:
    sent = request.POST if request.method == "POST" else None
    return OwnPasswordForm(request.user, sent, is_fresh=is_fresh(request))


def is_fresh(request: UserRequest) -> bool:
    """Whether this person has just logged in by a provider: that stands for a password that they lack."""
    fresh = _recent(request.session.get(FRESH), FRESH_SECONDS)
    return fresh is not None and fresh["user"] == request.user.pk


def _is_owner(request: UserRequest, form: OwnPasswordForm) -> bool:
    try:
        limit_tries("password", str(request.user.pk), limit=PASSWORD_TRIES)
    except Refused as refusal:
        form.add_error(None, refusal.text)
        return False
    return form.is_valid()


def _owner_page(request: UserRequest, form: OwnPasswordForm, template: str, label: str) -> HttpResponse:
    context = {"form": form, "provider": label, "ways_in": offers_for(request.user)}
    return render(request, template, context, status=422 if request.method == "POST" else 200)


def _provider(name: str) -> Provider:
    found: Provider | None = settings.OIDC_PROVIDERS.get(name)
    if found is None:
        raise Http404
    return found


def _send(
    request: PageRequest, provider: Provider, following: str, link_to: int | None = None
) -> HttpResponse:
    """Remember the attempt in this session and show the page that leads on to the provider.

    A redirect would not do: browsers hold that a form of ours may lead to our own pages alone.
    """
    address = request.build_absolute_uri(reverse("oidc_back", args=[provider.name]))
    try:
        limit_tries("elsewhere", client_network(request), limit=BEGINNINGS * settings.KNOCKS_AN_HOUR)
        url, attempt = oidc.begin(provider, address)
    except Refused as refusal:
        logger.warning("log-in with %s: %s", provider.name, refusal.code)
        return _trouble(request, refusal)
    waiting = [kept for kept in request.session.get(WAITING, []) if _recent(kept, WAITING_SECONDS)]
    begun = {"provider": provider.name, "next": following, "link_to": link_to, "at": _now()}
    request.session[WAITING] = [*waiting[1 - MOST_WAITING :], begun | asdict(attempt)]
    return render(request, "registration/going.html", {"url": url, "provider": label_of(provider)})


def _waiting_for(request: PageRequest, provider: Provider) -> dict[str, Any]:
    """The attempt that this browser began with this provider; it is forgotten, so that it counts once."""
    waiting = request.session.get(WAITING, [])
    state = request.GET.get("state", "")
    found = [kept for kept in waiting if kept["state"] == state and kept["provider"] == provider.name]
    if not found or _recent(found[0], WAITING_SECONDS) is None:
        raise oidc.trouble("oidc-state", provider)
    request.session[WAITING] = [kept for kept in waiting if kept["state"] != state]
    log_ins.store(request)
    return dict(found[0])


def _person(request: PageRequest, provider: Provider, waiting: dict[str, Any]) -> oidc.Person:
    if request.GET.get("iss", provider.issuer) != provider.issuer:
        raise oidc.trouble("oidc-issuer", provider)
    error = request.GET.get("error")
    if error is not None:
        raise oidc.trouble("oidc-denied" if error == "access_denied" else "oidc-refused", provider)
    code = request.GET.get("code", "")
    if not code:
        raise oidc.trouble("oidc-odd", provider)
    kept = {name: waiting[name] for name in ("state", "nonce", "verifier", "redirect_uri")}
    return oidc.finish(provider, oidc.Attempt(**kept), code)


def _welcome(
    request: PageRequest, provider: Provider, waiting: dict[str, Any], person: oidc.Person
) -> HttpResponse:
    """Link the identity, log its owner in, or ask somebody new for a name."""
    here = request.user if isinstance(request.user, User) else None
    if waiting["link_to"] is not None:
        if here is None or here.pk != waiting["link_to"]:
            raise oidc.trouble("oidc-state", provider)
        identities.link_identity(here, person.issuer, person.subject)
        messages.success(
            request, _("From now on you can log in with %(provider)s.") % {"provider": label_of(provider)}
        )
        return redirect("account")
    user = identities.use_identity(person.issuer, person.subject)
    if user is not None:
        _log_in(request, user)
        response = redirect(waiting["next"] or "home")
        if user.language:
            speak(response, user.language)
        return response
    if here is not None:
        raise Refused(
            "identity-unknown",
            _("This identity is not linked to your account. Link it on your account’s page."),
        )
    hints = [*person.names, person.email.partition("@")[0]]
    arrived = {"issuer": person.issuer, "subject": person.subject, "email": person.email, "names": hints}
    request.session[ARRIVED] = {
        **arrived, "provider": provider.name, "next": waiting["next"], "at": _now(),
    }  # fmt: skip
    return redirect("oidc_signup")


def _log_in(request: PageRequest, user: User) -> None:
    log_ins.begin(request, user)
    request.session[FRESH] = {"user": user.pk, "at": _now()}


def _trouble(request: PageRequest, refusal: Refused) -> HttpResponse:
    status = STATUS.get(refusal.code, 400)
    return render(request, "registration/identity_trouble.html", {"text": refusal.text}, status=status)


def _now() -> float:
    return timezone.now().timestamp()


def _recent(kept: dict[str, Any] | None, seconds: int) -> dict[str, Any] | None:
    return kept if kept is not None and _now() - kept["at"] < seconds else None
