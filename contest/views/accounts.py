from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from contest.errors import Refused
from contest.forms.accounts import SignUpForm
from contest.services.accounts import sign_up
from contest.views.requests import PageRequest


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def signup(request: PageRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("home")
    form = SignUpForm(request.POST or None)
    following = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(following, {request.get_host()}, request.is_secure()):
        following = ""
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            user = sign_up(data["username"], data["email"], data["password"])
        except Refused as refusal:
            form.add_error("username", refusal.text)
        else:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            return redirect(following or "home")
    status = 422 if request.method == "POST" else 200
    return render(request, "registration/signup.html", {"form": form, "next": following}, status=status)
