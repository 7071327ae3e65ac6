from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from contest import access, queries
from contest.charts import utility_risk_map
from contest.models import Round
from contest.views.requests import PageRequest

ROWS_A_PAGE = 100


@require_safe
def leaderboard(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The board; asked by htmx, only its table, or nothing where the page shows the newest already."""
    round_ = access.round_for(request.user, slug, round_slug)
    if request.htmx:
        if request.GET.get("version") == str(round_.board_version):
            return HttpResponse(status=204)
        return render(request, "contest/_leaderboard.html", _context(request, round_))
    return render(request, "contest/leaderboard.html", _context(request, round_))


def _context(request: PageRequest, round_: Round) -> dict[str, Any]:
    my_team = access.team_of(request.user, round_.contest)
    rows = queries.board(round_, my_team, access.results_are_public(round_))
    page = Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))
    mine = next((place for place, row in enumerate(rows) if row.is_mine), None)
    return {
        "contest": round_.contest,
        "round": round_,
        "page": page,
        "rows": list(page.object_list),
        "my_row": rows[mine] if mine is not None else None,
        "my_page": mine // ROWS_A_PAGE + 1 if mine is not None else None,
        "map": utility_risk_map(rows),
        "my_team": my_team,
        "updated_at": timezone.now(),
        "version": round_.board_version,
        "n_waiting": queries.waiting_entries(round_),
    }
