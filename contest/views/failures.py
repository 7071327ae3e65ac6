"""The answer to whoever met a failure of ours before or in a view."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from contest.errors import lacks_room

RETRY_SECONDS = 60


def come_again(request: HttpRequest) -> HttpResponse:
    """Something is away for a while; nothing was half accepted."""
    answer = render(request, "503.html", status=503)
    answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """Also for what fails while a body is read, before any view: a large one goes into a temporary file."""
    return come_again(request) if lacks_room(sys.exc_info()[1]) else defaults.server_error(request)
