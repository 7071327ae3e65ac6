from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from contest.client_address import client_network, locked_out
from contest.errors import Refused
from contest.forms.accounts import LogInForm, NewPasswordForm, ResetForm, SignUpForm
from contest.models import AccountToken, User
from contest.pages.identities import offers
from contest.services import accounts, log_ins, password_guesses
from contest.services.rate_limit import limit_tries
from contest.views.requests import PageRequest


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def signup(request: PageRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("home")
    form = SignUpForm(request.POST or None)
    following = own_page(request)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            limit_tries("sign-up", client_network(request))
            user = accounts.sign_up(
                data["username"], data["email"], data["password"], translation.get_language() or ""
            )
        except Refused as refusal:
            form.add_error("username", refusal.text)
        else:
            log_ins.begin(request, user)
            messages.success(request, letter_sent(user.email))
            return redirect(following or "home")
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "next": following, "offers": offers()}
    return render(request, "registration/signup.html", context, status=status)


def own_page(request: HttpRequest) -> str:
    """Where somebody wants to go on to, if it is a page of this site."""
    following = request.POST.get("next") or request.GET.get("next", "")
    is_own = url_has_allowed_host_and_scheme(following, {request.get_host()}, request.is_secure())
    return following if is_own else ""


def letter_sent(email: str) -> str:
    """What to say after an e-mail was written; without a mail server, where e-mails are stored."""
    if settings.MAIL_FOLDER is not None:
        return _("This site has no mail server: the e-mail to %(email)s is in its folder var/mail.") % {
            "email": email
        }
    return _("We sent an e-mail to %(email)s. Open the link in it.") % {"email": email}


@method_decorator(sensitive_post_parameters("password"), name="dispatch")
class LogIn(LoginView):
    """Django's own; it records the browser, and switches to the language that the person has chosen."""

    authentication_form = LogInForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, offers=offers())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with log_ins.in_turn(request):
            if not password_guesses.may_try(request):
                return locked_out(request)
            return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        user: User = form.get_user()
        log_ins.begin(self.request, user)
        response = redirect(self.get_success_url())
        if user.language:
            speak(response, user.language)
        return response


def speak(response: HttpResponse, language: str) -> None:
    """Have the browser ask for this language from now on."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=365 * 24 * 3600,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Switch the language; an account remembers it."""
    chosen = request.POST.get("language", "")
    if isinstance(request.user, User) and chosen in dict(settings.LANGUAGES):
        accounts.choose_language(request.user, chosen)
    return set_language(request)


@require_http_methods(["GET", "POST"])
def password_reset(request: PageRequest) -> HttpResponse:
    form = ResetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        try:
            limit_tries("reset", client_network(request))
            limit_tries("reset-to", email.lower(), limit=5)
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            accounts.ask_for_reset(email)
            return redirect("password_reset_done")
    status = 422 if request.method == "POST" else 200
    return render(request, "registration/password_reset_form.html", {"form": form}, status=status)


@require_http_methods(["GET"])
def password_reset_done(request: PageRequest) -> HttpResponse:
    return render(request, "registration/password_reset_done.html", {"mail_folder": settings.MAIL_FOLDER})


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def password_reset_confirm(request: PageRequest, token: str) -> HttpResponse:
    """Set a new password by the link of an e-mail. Opening it changes nothing; sending the form does."""
    link = accounts.find_link(token, AccountToken.Purpose.RESET)
    form = NewPasswordForm(link.user, request.POST or None) if link else None
    if link and form and request.method == "POST" and form.is_valid():
        try:
            accounts.reset_password(link, form.cleaned_data["password"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            return redirect("password_reset_complete")
    status = 404 if link is None else 422 if request.method == "POST" else 200
    return render(request, "registration/password_reset_confirm.html", {"form": form}, status=status)


@require_http_methods(["GET"])
def password_reset_complete(request: PageRequest) -> HttpResponse:
    return render(request, "registration/password_reset_complete.html")


@never_cache
@require_http_methods(["GET", "POST"])
def email_confirm(request: PageRequest, token: str) -> HttpResponse:
    """Confirm an address by the link of an e-mail; mail programs that open links change nothing."""
    link = accounts.find_link(token, AccountToken.Purpose.CONFIRM, AccountToken.Purpose.CHANGE)
    if link and request.method == "POST":
        try:
            accounts.confirm_email(link)
        except Refused as refusal:
            messages.error(request, refusal.text)
        else:
            messages.success(request, _("Your e-mail address is confirmed."))
        return redirect("account" if request.user.is_authenticated else "login")
    return render(request, "registration/email_confirm.html", {"link": link}, status=200 if link else 404)
