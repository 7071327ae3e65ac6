from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.kit.build import kit_answer
from contest.language.markdown import to_html
from contest.pages.dataset_facts import shown_facts
from contest.pages.downloads import data_download
from contest.pages.pictures import charts_of_dataset
from contest.pages.risk import report_of, risk_context, words_of
from contest.views.games import data as games
from contest.views.requests import PageRequest
from games.formats.texts import FORMAT_TEXTS


@require_safe
def dataset(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return games.data_page(request, round_)
    found = round_.dataset
    context = {
        "contest": round_.contest,
        "round": round_,
        "dataset": found,
        "facts": shown_facts(found),
        "description_html": to_html(found.description),
        "charts": charts_of_dataset(round_),
        "text": FORMAT_TEXTS[found.format],
        "risk_words": words_of(found),
    }
    return render(request, "contest/dataset.html", context)


@require_safe
def risk(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """Who is at risk in the round's data; open to everybody who may download it."""
    round_ = access.round_for(request.user, slug, round_slug)
    found = round_.dataset
    words = words_of(found) if round_.game_id is None else None
    if words is None:
        raise Http404
    context = {"contest": round_.contest, "round": round_, "dataset": found}
    return render(request, "contest/risk.html", context | risk_context(report_of(found), words))


@require_safe
def download(request: PageRequest, slug: str, round_slug: str, name: str) -> HttpResponseBase:
    """One of the public files, or all in one zip."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return games.download(request, round_, name)
    return data_download(round_, name)


@require_safe
def kit(request: PageRequest, slug: str, round_slug: str) -> HttpResponseBase:
    """Everything to work on the round offline, in one archive."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return games.kit(request, round_)
    return kit_answer(request.user, round_)
