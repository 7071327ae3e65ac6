"""The overall result of a contest, as a page and as files, and the certificates of its teams."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board.overall_cache import look_at_overall, overall_fragment
from contest.board.overall_words import overall_csv, overall_data
from contest.board.tracks import track_choices
from contest.charts.certificate import certificate_pdf
from contest.models import Contest
from contest.pages.certificates import certificate_of_award, certificate_of_place
from contest.views.fragments import fragment_answer
from contest.views.requests import PageRequest, UserRequest, asked_track


@require_safe
def overall(request: PageRequest, slug: str) -> HttpResponse:
    """The overall board; requested by htmx, only its table, or nothing where it is shown already."""
    contest = access.contest_for(request.user, slug)
    look = look_at_overall(contest, access.team_of(request.user, contest))
    if request.htmx and request.GET.get("version") == look.version:
        return HttpResponse(status=204)
    tracks = track_choices(contest)
    asked = request.GET.get("track", "")
    # As on the boards of rounds, what the page does not know is ignored.
    track = asked if asked in {it.name for it in tracks} else ""
    board = overall_fragment(look, request.GET.get("page"), track)
    if request.htmx:
        return fragment_answer(request, board)
    context = {
        "contest": contest,
        "rounds": access.announced_rounds(contest),
        "tracks": tracks,
        "track": track,
        "board_html": board.html,
    }
    return render(request, "contest/overall.html", context)


@require_safe
def export(request: PageRequest, slug: str, kind: str) -> HttpResponse:
    """The overall board that everybody sees, as CSV or JSON."""
    contest = access.contest_for(request.user, slug)
    look = look_at_overall(contest, None)
    track, tracked = asked_track(request, contest), bool(contest.tracks)
    if kind == "csv":
        answer = HttpResponse(
            overall_csv(look.overall(), track, tracked), content_type="text/csv; charset=utf-8"
        )
    elif kind == "json":
        facts = {"contest": slug, "version": look.version}
        answer = JsonResponse({**facts, **overall_data(look.overall(), track, tracked)})
    else:
        raise Http404
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-overall.{kind}"'
    return answer


@login_required
@require_safe
def place_certificate(request: UserRequest, slug: str, team_id: int, language: str) -> HttpResponse:
    """The certificate of a team's overall place; for its members and the organisers, after the results."""
    team = access.certified_team_for(request.user, slug, team_id)
    look = look_at_overall(team.contest, team)
    mine = look.mine()
    if mine is None or mine.rank is None:
        raise Http404
    ranked = sum(line.rank is not None for line in look.overall().lines)
    certificate = certificate_of_place(team, mine.rank, ranked, _known(language))
    return _pdf(certificate_pdf(certificate), team.contest, f"place-{language}")


@login_required
@require_safe
def award_certificate(
    request: UserRequest, slug: str, team_id: int, language: str, award_id: int
) -> HttpResponse:
    award = access.award_for(request.user, slug, team_id, award_id)
    certificate = certificate_of_award(award, _known(language))
    return _pdf(certificate_pdf(certificate), award.contest, f"award-{award.pk}-{language}")


def _known(language: str) -> str:
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return language


def _pdf(content: bytes, contest: Contest, name: str) -> HttpResponse:
    answer = HttpResponse(content, content_type="application/pdf")
    answer.headers["Content-Disposition"] = f'attachment; filename="{contest.slug}-{name}.pdf"'
    answer.headers["Cache-Control"] = "private, no-store"
    return answer
