"""The calendar file of a contest, against RFC 5545: lines, folding, escapes, times in UTC."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client
from django.urls import reverse

from contest.models import Contest, Phase, Round
from tests.factories import make_contest, make_round, make_user

pytestmark = pytest.mark.django_db

NOON = datetime.datetime(2027, 8, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=9)))
DAY = datetime.timedelta(days=1)


@pytest.fixture
def contest() -> Contest:
    title = "Hide, seek; and \\ find 隠れん坊の夏の大会、長い名前でも一文字も切れません"
    found = make_contest(make_user("oni"), slug="demo", title=title, time_zone="Asia/Tokyo")
    phases = [(Phase.Kind.ANONYMISE, NOON, NOON + DAY), (Phase.Kind.ATTACK, NOON + DAY, NOON + 2 * DAY)]
    make_round(found, phases=phases, name="Final")
    return found


def lines_of(client: Client, language: str = "en") -> list[str]:
    """The unfolded lines, after the rules of section 3.1: CRLF, at most 75 octets, no character in two."""
    answer = client.get(reverse("calendar", args=["demo"]), headers={"accept-language": language})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    raw = answer.content.split(b"\r\n")
    assert raw.pop() == b""
    assert b"\n" not in b"".join(raw)
    assert all(len(line) <= 75 for line in raw)
    for line in raw:
        line.decode()
    return answer.content.replace(b"\r\n ", b"").decode().split("\r\n")[:-1]


def test_every_phase_is_an_event_in_utc(client: Client, contest: Contest) -> None:
    """Noon in Tokyo is three o'clock UTC."""
    lines = lines_of(client)
    assert [lines[0], lines[-1]] == ["BEGIN:VCALENDAR", "END:VCALENDAR"]
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 2
    starts = [line for line in lines if line.startswith("DTSTART")]
    assert starts == ["DTSTART:20270801T030000Z", "DTSTART:20270802T030000Z"]
    assert "DTEND:20270803T030000Z" in lines
    assert len({line for line in lines if line.startswith("UID:")}) == 2
    escaped = contest.title.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
    assert f"SUMMARY:{escaped} · Final: Anonymise" in lines
    assert any(line.startswith("URL:http://testserver/contests/demo/") for line in lines)


def test_events_are_named_in_the_language_of_the_reader(client: Client, contest: Contest) -> None:
    assert any(line.endswith("匿名化") for line in lines_of(client, "ja"))


def test_what_is_not_announced_is_in_no_calendar(client: Client, contest: Contest) -> None:
    hidden = [(Phase.Kind.ANONYMISE, NOON + 5 * DAY, NOON + 6 * DAY)]
    make_round(contest, slug="secret", name="Secret", is_hidden=True, phases=hidden)
    assert not any("Secret" in line for line in lines_of(client))
    client.force_login(contest.organisers.get().user)
    assert any("Secret" in line for line in lines_of(client))
    Contest.objects.update(is_public=False)
    assert Client().get(reverse("calendar", args=["demo"])).status_code == 404


def test_an_event_stays_the_same_when_its_times_change(client: Client, contest: Contest) -> None:
    before = [line for line in lines_of(client) if line.startswith("UID:")]
    Phase.objects.filter(round=Round.objects.get()).update(ends_at=NOON + 9 * DAY)
    assert [line for line in lines_of(client) if line.startswith("UID:")] == before
