from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from anonymizers.registry import EVERY_ANONYMIZER
from anonymizers.table_registry import TABLE_METHODS
from attacks.registry import EVERY_ATTACK
from contest.language.markdown import docstring_to_html
from contest.pages.gallery.pages import example_of
from contest.views.requests import PageRequest
from scoring.registry import MEASURES, MEASURES_2017, MEASURES_2018

GALLERY: dict[str, Any] = {
    "measures": MEASURES + MEASURES_2017 + MEASURES_2018,
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
    found = next((item for item in GALLERY.get(kind, ()) if item.name == name), None)
    if found is None:
        raise Http404
    context = {
        "kind": kind,
        "method": found,
        "documentation_html": docstring_to_html(found.documentation),
        "example": example_of(kind, name),
    }
    return render(request, "contest/method.html", context)
