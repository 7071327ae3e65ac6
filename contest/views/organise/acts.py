"""How an organiser's action is answered: what was done, or why it was refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest

from contest.errors import Refused


@contextmanager
def refusal_shown(request: HttpRequest) -> Iterator[None]:
    """Show a refusal on the page to which the action leads back."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, refusal.text)


def show_errors(request: HttpRequest, form: Form) -> None:
    """Show what is wrong with a small form that has no page of its own."""
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else ""
        for error in errors:
            messages.error(request, f"{label}: {error}" if label else str(error))
