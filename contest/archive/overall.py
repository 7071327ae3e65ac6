"""The overall result in an archive: as CSV, as JSON with its rule and the awards, and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string

from contest.board.award_words import basis_in_words
from contest.board.overall import whole_overall
from contest.board.overall_words import overall_csv, overall_data, rule_in_words
from contest.models import Award, Contest, Team
from contest.records.verify import Archive

OVERALL_JSON = "overall.json"
OVERALL_PAGE = "contest.overall.html"
"""No round has an address with a point in it, so the page is nobody else's."""


def overall_files(contest: Contest) -> dict[str, str]:
    """Path → text, in the language that is active."""
    overall = whole_overall(contest)
    standing = Award.objects.filter(contest=contest, undone_at=None)
    awards = list(standing.exclude(team__status=Team.Status.REMOVED).select_related("team").order_by("pk"))
    data: dict[str, Any] = {
        "contest": contest.slug,
        **overall_data(overall),
        "awards": [
            {
                "kind": award.kind,
                "title_en": award.title_en or award.title,
                "title_ja": award.title_ja,
                "text": award.text,
                "team": award.team.name,
                "basis": award.basis,
            }
            for award in awards
        ],
    }
    context = {
        "contest": contest,
        "overall": overall,
        "rule": rule_in_words(overall),
        "awards": [(award, basis_in_words(award)) for award in awards],
    }
    return {
        OVERALL_JSON: json.dumps(data, indent=1, sort_keys=True) + "\n",
        "overall.csv": overall_csv(overall),
        f"pages/{OVERALL_PAGE}": render_to_string("archive/overall.html", context),
    }


def archived_overall(path: Path) -> dict[str, Any] | None:
    """The overall result that an archive holds; nothing in one that is older than overall results."""
    with Archive(path) as archive:
        if OVERALL_JSON not in archive.files:
            return None
        held: dict[str, Any] = json.loads(b"".join(archive.chunks(OVERALL_JSON)))
    return held
