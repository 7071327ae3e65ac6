from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from contest.forms.zones import ZoneField, zone_choices
from contest.models import User
from contest.names.lookalikes import normalise_name
from contest.names.policy import PERSON
from contest.names.validation import clean_name


def new_password(label: Any = None) -> forms.CharField:
    return forms.CharField(
        label=label or _("Password"),
        max_length=200,
        strip=False,
        help_text=_("At least 8 characters; not a common word."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


def own_password() -> forms.CharField:
    return forms.CharField(
        label=_("Your password now"),
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class IdentitySignUpForm(forms.Form):
    """What an account needs where a provider vouches for the person."""

    username = forms.CharField(
        label=_("User name"),
        max_length=PERSON.longest,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        max_length=200,
        help_text=_("Only for messages about your account and your contests."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def clean_username(self) -> str:
        return clean_name(self.cleaned_data["username"], PERSON)


class SignUpForm(IdentitySignUpForm):
    password = new_password()

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

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _(
            "Please enter a correct user name and password. The password is case-sensitive, the name is not."
        ),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("User name")

    def clean(self) -> dict[str, Any]:
        if "username" in self.cleaned_data:
            self.cleaned_data["username"] = normalise_name(self.cleaned_data["username"])
        return super().clean()


class ResetForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"), max_length=200, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class PersonForm(forms.Form):
    """A form about somebody's own account."""

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user


class NewPasswordForm(PersonForm):
    """A new password for somebody whom a link has shown to be the owner of an address."""

    password = new_password(_("New password"))

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password, self.user)
        return password


class OwnPasswordForm(PersonForm):
    """A form that only the owner of an account may send, even from a browser left open. Those who have no
    password must have logged in a moment ago."""

    current = own_password()

    def __init__(self, user: User, *args: Any, is_fresh: bool = False, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.is_fresh = is_fresh
        if not user.has_usable_password():
            del self.fields["current"]

    def clean(self) -> dict[str, Any] | None:
        if "current" not in self.fields and not self.is_fresh:
            raise ValidationError(
                _("You have no password here. Log in again where you logged in, then send this once more."),
                code="not-fresh",
            )
        return super().clean()

    def clean_current(self) -> str:
        current: str = self.cleaned_data["current"]
        if not self.user.check_password(current):
            raise ValidationError(_("This is not your password."), code="wrong-password")
        return current


class PasswordForm(OwnPasswordForm, NewPasswordForm):
    field_order = ("current", "password")


class EmailForm(OwnPasswordForm):
    email = forms.EmailField(
        label=_("New e-mail"), max_length=200, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    field_order = ("email", "current")


class ProfileForm(forms.Form):
    alias = forms.CharField(
        label=_("Public name"),
        required=False,
        max_length=PERSON.longest,
        help_text=_("Other people see it instead of your user name."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    language = forms.ChoiceField(label=_("Language"), required=False)
    time_zone = ZoneField(
        label=_("Time zone"), required=False, help_text=_("Times are then shown in it too.")
    )

    has_public_profile = forms.BooleanField(
        label=_("Public profile"),
        required=False,
        help_text=_("Everybody sees in which teams you play and played, under your public name."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        languages, zones = self.fields["language"], self.fields["time_zone"]
        assert isinstance(languages, forms.ChoiceField) and isinstance(zones, forms.ChoiceField)
        languages.choices = [("", _("as my browser asks")), *settings.LANGUAGES]
        zones.choices = [("", _("only the contest’s")), *zone_choices()]

    def clean_alias(self) -> str:
        alias: str = self.cleaned_data["alias"]
        return clean_name(alias, PERSON) if alias else ""
