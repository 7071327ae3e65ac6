from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from contest.operations import metrics as numbers
from contest.operations import readiness


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Says that this process answers and reaches its database."""
    found = readiness.state("database")
    if found == readiness.OK:
        return HttpResponse("ok\n", content_type="text/plain")
    return HttpResponse(f"database {found}\n", content_type="text/plain", status=503)


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Says whether this process can do all of its work; a load balancer sends nobody here while it cannot."""
    report = readiness.report()
    lines = "".join(f"{name} {found}\n" for name, found in report.items())
    status = 200 if set(report.values()) == {readiness.OK} else 503
    return HttpResponse(lines, content_type="text/plain", status=status)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """For the monitoring of the installation alone; to everybody else there is nothing here."""
    if not _may_measure(request):
        raise Http404
    return HttpResponse(numbers.exposition(), content_type=numbers.CONTENT_TYPE)


def _may_measure(request: HttpRequest) -> bool:
    # The address is the socket's own: a header that names another one can be forged.
    if request.META.get("REMOTE_ADDR") in settings.METRICS_ADDRESSES:
        return True
    expected = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.headers.get("Authorization", "").encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(given, expected)
