"""The story of a season, and the archive that it ends with."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.files.season_archives import season_archive
from contest.models import Contest
from contest.pages.story import archive_bytes, story_of
from contest.views.requests import PageRequest


@require_safe
def story(request: PageRequest, slug: str) -> HttpResponse:
    contest = _told(request, slug)
    context = {"contest": contest, "steps": story_of(contest), "archive_bytes": archive_bytes(contest)}
    return render(request, "contest/story.html", context)


@require_safe
def archive(request: PageRequest, slug: str) -> FileResponse:
    """The archive of a season that was played as a demo; no other contest has one here."""
    contest = _told(request, slug)
    if archive_bytes(contest) is None:
        raise Http404
    file = season_archive(contest.slug).open("rb")
    return FileResponse(file, as_attachment=True, filename=f"{slug}.zip", content_type="application/zip")


def _told(request: PageRequest, slug: str) -> Contest:
    contest = access.contest_for(request.user, slug)
    if not story_of(contest):
        raise Http404
    return contest
