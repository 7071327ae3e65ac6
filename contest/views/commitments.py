"""Pages by which anybody can see that nothing was changed behind their backs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.archive.importing import set_archive_consent
from contest.models import AuditChain, Commitment, Round
from contest.pages.public_log import PAGE, changes, public_events
from contest.services.commitments import Verification, verify_commitment
from contest.views.requests import PageRequest, UserRequest

VERIFIED_SECONDS = 20


@require_safe
def contest_changes(request: PageRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    page = Paginator(public_events(contest), PAGE).get_page(request.GET.get("page"))
    context = {
        "contest": contest,
        "page": page,
        "changes": changes(contest, list(page.object_list)),
        "chain": AuditChain.objects.filter(contest_key=contest.pk).first(),
    }
    return render(request, "contest/changes.html", context)


@require_safe
def hashes(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    return render(request, "contest/hashes.html", _hashes(round_))


@require_POST
def verify_hashes(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """Hash everything again, at the visitor's request."""
    round_ = access.round_for(request.user, slug, round_slug)
    return render(request, "contest/hashes.html", _hashes(round_, verify=True))


def _hashes(round_: Round, verify: bool = False) -> dict[str, Any]:
    """A payload is shown, and may be verified, from its reveal on; before that only its hash."""
    rows = []
    for commitment in Commitment.objects.filter(round=round_).order_by("pk"):
        commitment.round = round_
        is_open = commitment.revealed_at is not None
        rows.append(
            {
                "commitment": commitment,
                "payload": commitment.payload if is_open else None,
                "verification": _verified(commitment) if verify and is_open else None,
            }
        )
    return {
        "contest": round_.contest,
        "round": round_,
        "rows": rows,
        "revealed": any(row["payload"] for row in rows),
        "verified": verify,
    }


def _verified(commitment: Commitment) -> Verification:
    """Files are hashed at most once in a while: a button that anybody may press must stay cheap."""
    key = f"verified-{commitment.pk}-{commitment.round.board_version}"
    kept = Verification.from_json(cache.get(key))
    if kept is not None:
        return kept
    found = verify_commitment(commitment)
    cache.set(key, found.as_json(), VERIFIED_SECONDS)
    return found


@login_required
@require_POST
def archive_consent(request: UserRequest, slug: str) -> HttpResponse:
    """A team allows its files in the archive, or does not."""
    team = access.own_team_for(request.user, access.contest_for(request.user, slug))
    set_archive_consent(team, request.user, request.POST.get("consent") == "yes")
    messages.success(request, _("Noted. It counts for archives that are written from now on."))
    return redirect("team", slug, team.pk)
