from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from contest import logs
from contest.board import newest_version
from contest.errors import lacks_room
from contest.views.failures import come_again

logger = logging.getLogger("contest.requests")

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


class ContentSecurityPolicy:
    """Browsers load nothing for our pages but our own files, and run no inline script."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class RequestLog:
    """Gives every request a number that its log lines and its answer carry, and writes one line about it.

    The line names the route, not the address: addresses hold the secrets of invitations and resets.
    """

    SAFE = re.compile(r"[A-Za-z0-9._-]{8,64}")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        number = given if self.SAFE.fullmatch(given) else uuid.uuid4().hex
        token = logs.request_id.set(number)
        start = time.monotonic()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = number
            facts = {
                "method": request.method,
                "route": request.resolver_match.route if request.resolver_match else None,
                "status": response.status_code,
                "milliseconds": round(1000 * (time.monotonic() - start)),
            }
            logger.info("%(method)s %(route)s %(status)s", facts, extra={"facts": facts})
            return response
        finally:
            logs.request_id.reset(token)


class StoreTrouble:
    """Where files cannot be kept, the answer says so and when to come back; nothing was half accepted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not lacks_room(error):
            return None
        logger.error("%s", error, exc_info=error)
        return come_again(request)


class UploadLimit:
    """A request that says it is too large is answered before its body is read."""

    FORM_BYTES = 1024 * 1024

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > settings.UPLOAD_MAX_BYTES + self.FORM_BYTES:
            return render(request, "413.html", status=413)
        return self.get_response(request)


class SlowBodies:
    """Whoever sent a body too slowly is told so, whatever the rest made of the half that came."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_cut = getattr(request.META.get("wsgi.input"), "is_cut", False)
        return render(request, "408.html", status=408) if is_cut and response.status_code != 408 else response


class UnchangedBoards:
    """A page that polls a public board it already shows is told so at once, before anybody is looked up.

    Hundreds of viewers ask every few seconds; sessions, languages and messages are nothing to their question.
    """

    PAGES = frozenset({"leaderboard", "matrix"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        shown = request.GET.get("version", "") if request.headers.get("HX-Request") == "true" else ""
        if shown.isdecimal() and request.method == "GET" and self._is_newest(request.path_info, int(shown)):
            return HttpResponse(status=204)
        return self.get_response(request)

    def _is_newest(self, path: str, shown: int) -> bool:
        try:
            found = resolve(path)
        except Resolver404:
            return False
        if found.url_name not in self.PAGES:
            return False
        return newest_version(found.kwargs["slug"], found.kwargs["round_slug"], shown) == shown
