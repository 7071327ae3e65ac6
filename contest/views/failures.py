"""The answer to whoever met a failure of ours before or in a view."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from contest import troubles


def server_error(request: HttpRequest) -> HttpResponse:
    """Also for what fails while a body is read, before any view: a large one goes into a temporary file."""
    trouble = troubles.trouble_of(sys.exc_info()[1])
    return troubles.answer(request, trouble) if trouble else defaults.server_error(request)
