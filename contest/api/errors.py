"""The one shape of an error: ``{"error": {"code", "message", "detail"}}``. Codes are stable."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import (
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.core.exceptions import ValidationError as ModelError
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from contest import outages
from contest.errors import Refused

logger = logging.getLogger(__name__)

STATUS_OF_REFUSAL = {
    "file-too-large": 413,
    "bad-archive": 422,
    "bad-program": 422,
    "bad-parameters": 422,
    "no-such-track": 422,
    "registration-order": 422,
    "team-sizes": 422,
    "track-missing": 422,
    "bad-data": 422,
    "seeds-named": 422,
    "bad-address": 422,
    "not-a-target": 422,
    "targets-missing": 422,
    "no-guess": 422,
}
"""Other refusals are conflicts with the current state, 409: at another time they may be accepted."""

CODES = {
    "not_authenticated": "not-authenticated",
    "permission_denied": "forbidden",
    "not_found": "not-found",
    "method_not_allowed": "method-not-allowed",
    "unsupported_media_type": "unsupported-media-type",
    "throttled": "too-many-requests",
    "parse_error": "malformed",
}


def body(code: str, message: str, detail: Any = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "detail": detail}}


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Turn anything that a view raises into the one shape; only known errors show their own text."""
    set_rollback()
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, exceptions.ValidationError):
        return Response(body("invalid-request", _("Some fields are not valid."), _fields(error)), 422)
    if isinstance(error, exceptions.APIException):
        return _known(error)
    if isinstance(error, Refused):
        return Response(body(error.code, error.text), STATUS_OF_REFUSAL.get(error.code, 409))
    if isinstance(error, ModelError):
        return Response(body("invalid-request", " ".join(error.messages)), 422)
    if isinstance(error, RequestDataTooBig):
        return Response(outages.TOO_LARGE.body, outages.TOO_LARGE.status)
    if isinstance(error, TooManyFieldsSent | TooManyFilesSent | SuspiciousOperation):
        return Response(body("malformed", _("The request cannot be read.")), 400)
    if trouble := outages.trouble_of(error):
        logger.error("%s", error, exc_info=error)
        return Response(trouble.body, trouble.status, headers=trouble.headers)
    reference = uuid.uuid4().hex[:12]
    logger.error("API error %s", reference, exc_info=error)
    return Response(body("our-fault", _("Something failed on our side."), {"reference": reference}), 500)


def _known(error: exceptions.APIException) -> Response:
    code = getattr(error.detail, "code", error.default_code)
    headers = {}
    detail = None
    wait = getattr(error, "wait", None)
    if wait is not None:
        seconds = max(1, round(wait + 0.5))
        headers["Retry-After"] = str(seconds)
        detail = {"retry_after": seconds}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    answer = body(CODES.get(code, code), str(error.detail), detail)
    return Response(answer, error.status_code, headers=headers)


def _fields(error: exceptions.ValidationError) -> dict[str, list[dict[str, str]]]:
    """Field → what is wrong with it; faults of nested fields are named by their path, as in ``a.0.b``."""
    found: dict[str, list[dict[str, str]]] = {}

    def walk(place: str, node: Any) -> None:
        if isinstance(node, Mapping):
            for key, value in node.items():
                walk(f"{place}.{key}" if place else str(key), value)
        elif isinstance(node, list):
            for value in node:
                walk(place, value)
        else:
            fault = {"code": getattr(node, "code", "invalid"), "message": str(node)}
            found.setdefault(place or "non_field_errors", []).append(fault)

    walk("", error.detail)
    return found


@csrf_exempt
def unknown_address(request: HttpRequest, **kwargs: Any) -> JsonResponse:
    message = "There is no such address in the API. Addresses end with a slash."
    return JsonResponse(body("not-found", message), status=404)
