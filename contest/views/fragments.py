"""Parts of pages that are stored as HTML."""

from __future__ import annotations

from django.http import HttpResponse

from contest.board.board_cache import Fragment
from contest.views.requests import PageRequest


def fragment_answer(request: PageRequest, board: Fragment) -> HttpResponse:
    """The fragment alone, already compressed where the browser accepts that."""
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(board.html)
    return HttpResponse(board.packed, headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
