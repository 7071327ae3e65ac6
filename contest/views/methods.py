from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from anonymizers.table_registry import TABLE_METHODS
from contest.language.markdown import docstring_to_html
from contest.pages.worked_examples import example_of
from contest.views.requests import PageRequest
from games.formats.attacks import EVERY_ATTACK
from games.formats.measures import EVERY_MEASURE
from games.formats.methods import EVERY_ANONYMIZER

GALLERY: dict[str, Any] = {
    "measures": EVERY_MEASURE,
    "attacks": EVERY_ATTACK,
    "anonymizers": EVERY_ANONYMIZER,
    "tables": TABLE_METHODS,
}


@require_safe
def methods(request: PageRequest) -> HttpResponse:
    return render(request, "contest/methods.html", {"gallery": GALLERY})


@require_safe
def method(request: PageRequest, kind: str, name: str) -> HttpResponse:
    """The page about a method, generated from the constant that describes it and its function's docstring."""
    found = next((it for it in GALLERY.get(kind, ()) if it.name == name), None)
    if found is None:
        raise Http404
    context = {
        "kind": kind,
        "method": found,
        "documentation_html": docstring_to_html(found.documentation),
        "example": example_of(kind, name),
    }
    return render(request, "contest/method.html", context)
