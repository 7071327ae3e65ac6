"""Viewers who follow a live board see every change of it; `python -m tests.bench viewers` counts seconds."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from contest.models import Entry, Round
from contest.services.entries import pin_entry
from tests.bench.audience import Audience
from tests.contest.test_leaderboard import fill_board
from tests.factories import make_round, make_user

VIEWERS = 40


def second_entry(round_: Round) -> Entry:
    """Another valid entry of the team that has the first row."""
    first = Entry.objects.filter(round=round_).select_related("team").earliest("pk")
    return Entry.objects.create(
        round=round_,
        team=first.team,
        number=first.number + 1,
        state=Entry.State.VALID,
        received_at=timezone.now(),
        finished_at=timezone.now(),
        upload_sha256="0" * 64,
        upload_bytes=1,
        n_people=400,
        utility=50.0,
    )


@pytest.mark.django_db(transaction=True)
def test_every_viewer_of_a_live_board_sees_every_change(live_server: LiveServer) -> None:
    round_ = make_round()
    fill_board(round_, 25)
    pair = [Entry.objects.filter(round=round_).earliest("pk"), second_entry(round_)]
    user = make_user()
    at = urlsplit(live_server.url)
    with Audience(at.hostname or "", at.port or 0, round_.get_absolute_url(), VIEWERS) as audience:
        assert audience.wait_for(0, 120), "not all viewers have got the page"
        for change in range(3):
            pin_entry(pair[change % 2], user)
            round_.refresh_from_db()
            assert audience.wait_for(round_.board_version, 120), "some viewers do not see the change"
    assert not audience.errors
    for shown in audience.seen.values():
        versions = [version for version, _ in shown]
        assert versions == sorted(set(versions)), "a viewer was set back or shown the same twice"
