from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board import queries
from contest.board.ranking import find_ranking
from contest.language.markdown import docstring_to_html, to_html
from contest.models import Attack
from contest.pages.calendar import calendar
from contest.pages.questions import unread_answers
from contest.pages.registration import registration_context
from contest.pages.story import story_of
from contest.pages.tour import tour_of
from contest.views.games import boards as games
from contest.views.requests import PageRequest
from games.formats.attacks import attack as find_attack
from games.formats.measures import measure as find_measure
from games.formats.rules import FileRules
from games.formats.texts import FORMAT_TEXTS


@require_safe
def home(request: PageRequest) -> HttpResponse:
    context = {
        "cards": queries.contest_cards(request.user),
        "may_create": access.may_create_contests(request.user),
    }
    return render(request, "contest/home.html", context)


@require_safe
def contest(request: PageRequest, slug: str) -> HttpResponse:
    found = access.contest_for(request.user, slug)
    context = {
        "contest": found,
        "description_html": to_html(found.description),
        "rounds": access.rounds_for(request.user, found),
        "announcements": found.announcements.all()[:20],
        "my_team": access.team_of(request.user, found),
        "can_organise": access.is_organiser(request.user, found),
        "n_new_answers": unread_answers(request.user, found).count(),
        "has_story": bool(story_of(found)),
        **registration_context(found),
    }
    return render(request, "contest/contest.html", context)


@require_safe
def calendar_file(request: PageRequest, slug: str) -> HttpResponse:
    """All phases that this reader may know of, for a calendar."""
    found = access.contest_for(request.user, slug)
    rounds = access.rounds_for(request.user, found)
    content = calendar(found, rounds, request.build_absolute_uri)
    answer = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}.ics"'
    return answer


@require_safe
def tour(request: PageRequest, slug: str) -> HttpResponse:
    found = access.contest_for(request.user, slug)
    return render(request, "contest/tour.html", {"contest": found, "tour": tour_of(request.user, found)})


@require_safe
def rules(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return games.rules(request, round_)
    text = FORMAT_TEXTS[round_.dataset.format]
    context = {
        "contest": round_.contest,
        "round": round_,
        "limits": [
            {**limit, "measure": find_measure(limit["measure"]), "documentation_html": _measure_html(limit)}
            for limit in round_.limits
        ],
        "has_higher": any(find_measure(limit["measure"]).better == "higher" for limit in round_.limits),
        "text": text,
        "file_rules": text.sentences(FileRules(**round_.file_rules)),
        "files": [file.name for file in round_.dataset.spec.upload_files],
        "attacks": [
            find_attack(row.name) for row in Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE)
        ],
        "ranking": find_ranking(round_.ranking),
    }
    return render(request, "contest/rules.html", context)


def _measure_html(limit: dict[str, Any]) -> str:
    return docstring_to_html(find_measure(limit["measure"]).documentation)
