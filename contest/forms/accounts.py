from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from contest.models import User
from contest.models.names import clean_name, normalise_name


class SignUpForm(forms.Form):
    username = forms.CharField(
        label=_("User name"), max_length=40, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    email = forms.EmailField(
        label=_("E-mail"),
        max_length=200,
        help_text=_("Only for messages about your account and your contests."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=200,
        strip=False,
        help_text=_("At least 8 characters; not a common word."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        return clean_name(self.cleaned_data["username"])

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        if data.get("password"):
            someone = User(username=data.get("username", ""), email=data.get("email", ""))
            try:
                password_validation.validate_password(data["password"], someone)
            except ValidationError as error:
                self.add_error("password", error)
        return data


class LogInForm(AuthenticationForm):
    """Django's own, with the name compared in its normalised form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("User name")

    def clean(self) -> dict[str, Any]:
        if "username" in self.cleaned_data:
            self.cleaned_data["username"] = normalise_name(self.cleaned_data["username"])
        return super().clean()
