"""What happens around every request: its log line, its headers, and answers where none can be made."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve

from contest import logs, outages
from contest.board.board_cache import newest_version
from contest.numbers import whole_number
from contest.pages.watching import is_newest

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
IN_FRAMES = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *").replace(
    "form-action 'self'", "form-action 'none'"
)
"""For pages that other sites may show: they have no forms."""


class ContentSecurityPolicy:
    """Browsers load nothing for our pages but our own files, and run no inline script."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        may_be_framed = getattr(response, "xframe_options_exempt", False)
        response.headers.setdefault("Content-Security-Policy", IN_FRAMES if may_be_framed else POLICY)
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


class Surroundings:
    """While files cannot be stored or the database is down, the answer says so and when to try again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        trouble = outages.trouble_of(error)
        if trouble is None:
            return None
        logger.error("%s", error, exc_info=error)
        return outages.answer(request, trouble)


class UnreadRequests:
    """Answers requests that the server refused to read to their end or that say they are too large."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refused = request.META.get(outages.REFUSED, 0)
        if refused:
            return outages.answer(request, outages.OF_SERVER[refused])
        length = request.META.get("CONTENT_LENGTH") or "0"
        if whole_number(length, settings.REQUEST_MAX_BYTES) is None:
            return outages.answer(request, outages.TOO_LARGE)
        return self.get_response(request)


class UnchangedBoards:
    """A page that polls a public board or public events, and shows the newest already, is answered at once,
    before anybody is looked up.

    Hundreds of viewers ask every few seconds; sessions, languages and messages do not matter for the answer.
    """

    BOARDS = frozenset({"leaderboard", "matrix"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method == "GET" and request.headers.get("HX-Request") == "true":
            shown = request.GET.get("version", "")
            if shown and self._is_newest(request.path_info, shown):
                return HttpResponse(status=204)
        return self.get_response(request)

    def _is_newest(self, path: str, shown: str) -> bool:
        try:
            found = resolve(path)
        except Resolver404:
            return False
        if found.url_name == "events":
            return is_newest(found.kwargs["slug"], found.kwargs["round_slug"], shown)
        version = whole_number(shown)
        if found.url_name not in self.BOARDS or version is None:
            return False
        return newest_version(found.kwargs["slug"], found.kwargs["round_slug"], version) == version
