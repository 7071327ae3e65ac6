"""Pages for people who watch: the events of a round, its board on a large screen and inside other pages."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from contest import access
from contest.pages.screens import framed, projected
from contest.pages.share import SharePicture, picture_of_contest, picture_of_round
from contest.pages.watching import BESIDE, ON_PAGE, events_fragment, watched
from contest.views.fragments import fragment_answer
from contest.views.requests import PageRequest


@require_safe
def events(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """What happened, newest first; requested by htmx, only the list, or nothing where it is shown already."""
    round_ = access.round_for(request.user, slug, round_slug)
    seen = watched(round_.contest, round_)
    if request.htmx and request.GET.get("version") == seen.version:
        return HttpResponse(status=204)
    is_short = request.htmx and request.GET.get("short") == "1"
    shown = events_fragment(round_, seen, BESIDE if is_short else ON_PAGE)
    if request.htmx:
        return fragment_answer(request, shown)
    context = {"contest": round_.contest, "round": round_, "events_html": shown.html}
    return render(request, "contest/events.html", context)


@require_safe
def projector(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The top of the board on a large screen; requested by htmx, only the part that changes."""
    round_ = access.round_for(request.user, slug, round_slug)
    version, part = projected(round_)
    if request.htmx:
        is_shown = request.GET.get("version") == version
        return HttpResponse(status=204) if is_shown else fragment_answer(request, part)
    context = {"contest": round_.contest, "round": round_, "part_html": part.html, "is_dark": True}
    return render(request, "contest/projector.html", context)


@xframe_options_exempt
@require_safe
def embed(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The board inside a page of another site. It is rendered without the request, so that nothing of the
    reader can be in it, and it sets no cookie."""
    round_ = access.embedded_round(slug, round_slug)
    with translation.override(_language(request)):
        version, part = framed(round_)
        if request.htmx:
            is_shown = request.GET.get("version") == version
            return HttpResponse(status=204) if is_shown else fragment_answer(request, part)
        context = {"contest": round_.contest, "round": round_, "part_html": part.html}
        return HttpResponse(render_to_string("contest/embed.html", context))


@require_safe
def contest_picture(request: PageRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    with translation.override(_language(request)):
        return _picture(request, picture_of_contest(contest), contest.is_public)


@require_safe
def round_share(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    is_public = round_.contest.is_public and access.is_announced(round_)
    with translation.override(_language(request)):
        return _picture(request, picture_of_round(round_), is_public)


def _picture(request: PageRequest, picture: SharePicture, is_public: bool) -> HttpResponse:
    """The picture of a shared link; who has it already gets 304, and it is not drawn."""
    etag = quote_etag(picture.version)
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = HttpResponse(picture.png(), content_type="image/png")
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "public, max-age=60" if is_public else "private, no-store"
    return answer


def _language(request: PageRequest) -> str:
    """The language that an address names; without one, that of the reader."""
    wanted = request.GET.get("lang", "")
    return wanted if wanted in dict(settings.LANGUAGES) else translation.get_language()
