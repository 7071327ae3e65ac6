"""The daily limit of attempts, also when many uploads come in the same instant."""

from __future__ import annotations

import datetime
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from contest.errors import Refused
from contest.models import Entry, Phase
from contest.services.attempts import count_attempts
from tests.backends import crowd
from tests.factories import make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db(transaction=True)


def test_64_parallel_uploads_use_exactly_the_attempts_of_the_day() -> None:
    round_ = make_round(entries_per_day=5)
    team = make_team(round_.contest, "Tanuki")
    start = threading.Barrier(64)

    def upload(_: int) -> str:
        try:
            start.wait()
            make_entry(round_, team)
        except Refused as refusal:
            return refusal.code
        finally:
            connection.close()
        return "accepted"

    # PostgreSQL lets a hundred in.
    with crowd(), ThreadPoolExecutor(64) as pool:
        outcomes = list(pool.map(upload, range(64)))

    assert outcomes.count("accepted") == 5
    assert outcomes.count("attempts-used-today") == 59
    assert sorted(Entry.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5]


def test_a_malformed_entry_gives_its_attempt_back() -> None:
    round_ = make_round(entries_per_day=1)
    team = make_team(round_.contest)
    make_entry(round_, team, {"M.csv": b"a,b\n", "T.csv": b"", "P.csv": b""})
    with pytest.raises(Refused, match="Today's 1 attempts are used"):
        make_entry(round_, team)
    work_off()
    assert Entry.objects.get().state == Entry.State.INVALID
    assert count_attempts(round_, team).left_today == 1
    make_entry(round_, team)


def test_the_day_begins_at_midnight_in_the_contests_zone() -> None:
    round_ = make_round()
    round_.contest.time_zone = "Asia/Tokyo"
    round_.contest.save()
    team = make_team(round_.contest)
    entry = make_entry(round_, team)
    # 23:30 in Tokyo is 14:30 in UTC; half an hour later a new day has begun there.
    before = datetime.datetime(2026, 11, 16, 14, 30, tzinfo=datetime.UTC)
    Entry.objects.filter(pk=entry.pk).update(received_at=before)
    used = count_attempts(round_, team, before)
    assert used.used_today == 1
    assert used.resets_at == datetime.datetime(2026, 11, 16, 15, 0, tzinfo=datetime.UTC)
    assert count_attempts(round_, team, before + datetime.timedelta(minutes=30)).used_today == 0


def test_an_upload_after_the_phase_is_refused() -> None:
    now = timezone.now()
    day = datetime.timedelta(days=1)
    round_ = make_round(phases=[(Phase.Kind.ANONYMISE, now - 2 * day, now - day)])
    team = make_team(round_.contest)
    with pytest.raises(Refused) as caught:
        make_entry(round_, team)
    assert caught.value.code == "phase-closed"
    assert not Entry.objects.exists()
