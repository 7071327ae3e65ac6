"""Answers for what goes wrong around a request. They need no database, no session and no store.

A page gets the self-contained error page, the API the same in its own shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from contest.errors import lacks_room

REFUSED = "kakurenbo.refused"
"""Where a request's environment holds the status with which the server refused to read it to its end."""


@dataclass(frozen=True)
class Trouble:
    status: int
    code: str
    text: str | Promise

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": "60"} if self.status == 503 else {}

    @property
    def body(self) -> dict[str, dict[str, str | None]]:
        return {"error": {"code": self.code, "message": str(self.text), "detail": None}}


LATE = Trouble(
    408,
    "too-slow",
    _("The request did not arrive in time; nothing was accepted. Try again over a faster line."),
)
TOO_LARGE = Trouble(413, "request-too-large", _("The request is larger than allowed."))
BUSY = Trouble(
    503,
    "too-many-uploads",
    _("Too many uploads are arriving at the same time; nothing was accepted. Try again later."),
)
NO_STORE = Trouble(
    503,
    "store-unavailable",
    _("Files cannot be stored at the moment; nothing was accepted. Try again later."),
)
NO_DATABASE = Trouble(
    503,
    "database-unavailable",
    _("The database cannot be reached at the moment; nothing was accepted. Try again later."),
)
OF_SERVER = {trouble.status: trouble for trouble in (LATE, TOO_LARGE, BUSY)}
"""By the status with which the server refused to read a request to its end."""


def trouble_of(error: BaseException | None) -> Trouble | None:
    """What an exception says about the surroundings; nothing where it is a fault of the program."""
    if lacks_room(error):
        return NO_STORE
    if isinstance(error, OperationalError | InterfaceError):
        return NO_DATABASE
    return LATE if isinstance(error, UnreadablePostError) else None


def answer(request: HttpRequest, trouble: Trouble) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse(trouble.body, status=trouble.status, headers=trouble.headers)
    page = render_to_string(f"{trouble.status}.html")
    return HttpResponse(page, status=trouble.status, headers=trouble.headers)
