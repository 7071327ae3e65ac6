from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.views.defaults import server_error

from contest import outages


def our_fault(request: HttpRequest) -> HttpResponse:
    """Errors outside the views too, as in the look-up of a session, end here; not all are faults of ours."""
    trouble = outages.trouble_of(sys.exception())
    return server_error(request) if trouble is None else outages.answer(request, trouble)
