"""Watching a contest: the list of events, and the same events as Atom and RSS."""

from __future__ import annotations

import datetime
import os
import re
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from contest.board import single_flight_cache
from contest.models import Entry, Phase, Round, Standing, Team
from contest.models.round import Feedback
from contest.records.audit import extend_all_chains
from contest.services.contests import announce
from contest.services.standings_history import record_standings
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off
from tests.game_rounds import TOYS
from tests.overall_rounds import board_of, game_round, stored
from tests.security.crawl import CHANGING

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
HTMX = {"HX-Request": "true"}
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = ("version=%00", "version=%27%22%3E%3Cscript%3E", "short=1&short=%ff", "lang=../../etc", "page=-1")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    single_flight_cache.forget_everything()


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), slug="demo"))


def play(round_: Round) -> None:
    """Two entries are judged and attacked, and the boards between them recorded."""
    make_entry(round_, make_team(round_.contest, "Tanuki"), entry_files("swap", 9))
    work_off()
    record_standings()
    make_entry(round_, make_team(round_.contest, "Kitsune <b>"), entry_files("shuffle", 1))
    work_off()
    record_standings(timezone.now() + HOUR)
    extend_all_chains()
    single_flight_cache.forget_everything()


def ranked(round_: Round, *boards: list[Team]) -> None:
    """Records of a board: these teams in these orders, an hour apart."""
    for number, teams in enumerate(boards):
        places = [{"team": team.pk, "rank": place, "total": 1.0} for place, team in enumerate(teams, 1)]
        at = timezone.now() + number * HOUR
        Standing.objects.create(round=round_, at=at, board_version=number, places=places)


def events_url(round_: Round) -> str:
    return reverse("events", args=[round_.contest.slug, round_.slug])


def words(client: Client, round_: Round, language: str = "en") -> list[str]:
    page = client.get(events_url(round_), headers={"Accept-Language": language}).content.decode()
    return re.findall(r'<li class="event[^>]*>\s*<p>(.*?)</p>', page)


def feed(client: Client, slug: str = "demo", kind: str = "atom", **query: str) -> ElementTree.Element:
    answer = client.get(reverse("event_feed", args=[slug, kind]), query)
    assert answer.status_code == 200
    return ElementTree.fromstring(answer.content)


def titles(client: Client, **query: str) -> list[str]:
    return [entry.findtext(f"{ATOM}title") or "" for entry in feed(client, **query).iter(f"{ATOM}entry")]


def test_entries_results_and_places_are_told_newest_first(client: Client, round_: Round) -> None:
    play(round_)
    announce(round_.contest, round_.contest.organisers.get().user, "Lunch & more", "")
    extend_all_chains()
    single_flight_cache.forget_everything()
    told = words(client, round_)
    assert "Announced: Lunch &amp; more" in told
    assert "Tanuki: entry 1 is judged and counts." in told
    assert "Kitsune &lt;b&gt;: entry 1 is judged and counts." in told
    hits = Entry.objects.get(team__name="Tanuki").hits
    assert hits is not None
    result = [line for line in told if line.startswith("re-itemset found") and line.endswith("of Tanuki.")]
    assert len(result) == 1
    assert (f"found {hits} p" in result[0]) if hits else ("found nobody" in result[0])
    assert told.index("Kitsune &lt;b&gt;: entry 1 is judged and counts.") < told.index(
        "Tanuki: entry 1 is judged and counts."
    )
    assert "Tanuki takes place 1." in told


def test_who_overtakes_whom(client: Client, round_: Round) -> None:
    a, b, c, d = (make_team(round_.contest, name) for name in ("Ann", "Ben", "Cat", "Dan"))
    ranked(round_, [a, b, c, d], [b, a, c, d], [b, c, d, a], [d, b, c, a], [d, b, c])
    told = [line for line in words(client, round_) if "place" in line]
    assert told[0] == "Dan overtakes Ben and Cat and takes place 1."
    assert told[3] == "Ben overtakes Ann and takes place 1."
    assert set(told[1:3]) == {"Dan overtakes Ann and takes place 3.", "Cat overtakes Ann and takes place 2."}
    assert set(told[4:]) == {"Ann takes place 1.", "Ben takes place 2.", "Cat takes place 3."}
    ranked(round_, [d, b, c, a])
    Team.objects.filter(pk=a.pk).update(status=Team.Status.REMOVED)
    single_flight_cache.forget_everything()
    assert not [line for line in words(client, round_) if "Ann" in line]


def test_japanese(client: Client, round_: Round) -> None:
    ranked(round_, [make_team(round_.contest, "狐組")])
    assert words(client, round_, "ja")[0] == "「狐組」が 1 位になりました。"
    assert titles(client, lang="ja")[0] == "「狐組」が 1 位になりました。"
    assert titles(client, lang="en")[0] == "狐組 takes place 1."


def secret_round(**fields: object) -> Round:
    now = timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - HOUR, now + HOUR),
        (Phase.Kind.RESULTS, now + HOUR, now + 2 * HOUR),
    ]
    contest = make_contest(make_user("oni"), slug="demo")
    return make_round(contest, phases=phases, **({"feedback": Feedback.NONE} | fields))


def test_before_the_reveal_neither_results_nor_places_are_told(client: Client) -> None:
    round_ = secret_round()
    play(round_)
    assert Standing.objects.count() > 0
    told = words(client, round_)
    assert "Tanuki: entry 1 is judged and counts." in told
    assert not [line for line in told + titles(client) if "found" in line or "place" in line]
    Phase.objects.filter(kind=Phase.Kind.RESULTS).update(starts_at=timezone.now() - HOUR / 2)
    single_flight_cache.forget_everything()
    assert [line for line in words(client, round_) if "takes place" in line]
    assert [line for line in titles(client) if "found" in line]


def test_what_is_hidden_changes_neither_the_list_nor_its_version(client: Client) -> None:
    round_ = secret_round()
    later = timezone.now() + HOUR
    make_round(
        round_.contest, slug="secret", name="Secret", is_hidden=True, position=2, feedback="full",
        phases=[(Phase.Kind.ANONYMISE, later, later + HOUR)],
    )  # fmt: skip
    hidden = Round.objects.get(slug="secret")
    extend_all_chains()
    before = [client.get(url).content for url in (events_url(round_), feed_url("atom"), feed_url("rss"))]
    ranked(hidden, [make_team(round_.contest, "Hidden")])
    ranked(round_, [make_team(round_.contest, "Unrevealed")])
    Round.objects.filter(pk=hidden.pk).update(board_version=99)
    Round.objects.filter(pk=round_.pk).update(full_version=99)
    extend_all_chains()
    single_flight_cache.forget_everything()
    after = [client.get(url).content for url in (events_url(round_), feed_url("atom"), feed_url("rss"))]
    assert [_plain(text) for text in after] == [_plain(text) for text in before]
    assert client.get(events_url(hidden)).status_code == 404
    organiser = Client()
    organiser.force_login(round_.contest.organisers.get().user)
    assert b"Hidden takes" not in organiser.get(events_url(hidden)).content


def _plain(page: bytes) -> bytes:
    return re.sub(rb"<(updated|lastBuildDate)>[^<]*<", b"", CHANGING.sub(b"", page))


def feed_url(kind: str) -> str:
    return reverse("event_feed", args=["demo", kind])


def test_a_poll_gets_nothing_while_nothing_happens_and_the_list_alone_afterwards(
    client: Client, round_: Round
) -> None:
    ranked(round_, [make_team(round_.contest, "Tanuki")])
    url = events_url(round_)
    version = client.get(url).content.decode().partition("?version=")[2].partition('"')[0]
    assert client.get(f"{url}?version={version}", headers=HTMX).status_code == 204
    with CaptureQueriesContext(connection) as captured:
        assert client.get(f"{url}?version={version}", headers=HTMX).status_code == 204
    assert len(captured) <= 6, "a poll asks for versions alone, and not for the rows of the log"
    announce(round_.contest, round_.contest.organisers.get().user, "News", "")
    extend_all_chains()
    single_flight_cache.forget_everything()
    answer = client.get(f"{url}?short=1&version={version}", headers=HTMX).content.decode()
    assert "Announced: News" in answer
    assert "<html" not in answer
    assert "short=1&amp;version=" in answer


def test_a_board_leads_to_its_events(client: Client, round_: Round) -> None:
    page = client.get(round_.get_absolute_url()).content.decode()
    assert f'hx-get="{events_url(round_)}?short=1"' in page
    assert f'href="{feed_url("atom")}?lang=en"' in page


def test_rounds_of_games_are_watched_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    contest = make_contest(make_user("oni"), slug="demo")
    round_ = game_round(contest, feedback="full")
    first, second = make_team(contest, "Foxes"), make_team(contest, "Cranes")
    stored(round_, board_of([(first, 2.0), (second, 1.0)]))
    record_standings()
    assert "Foxes takes place 1." in words(client, round_)
    stored(round_, board_of([(second, 3.0), (first, 2.0)]))
    record_standings(timezone.now() + HOUR)
    single_flight_cache.forget_everything()
    assert "Cranes overtakes Foxes and takes place 1." in words(client, round_)


def test_the_feeds_are_valid_and_say_where_they_are(client: Client, round_: Round) -> None:
    ranked(round_, [make_team(round_.contest, name) for name in ("Ann", "Ben", "Cat", "Dan <b>")])
    atom = feed(client, lang="ja")
    assert atom.tag == f"{ATOM}feed"
    assert atom.get("{http://www.w3.org/XML/1998/namespace}lang") == "ja"
    links = {link.get("rel"): link.get("href") or "" for link in atom.findall(f"{ATOM}link")}
    assert links["self"].endswith("/contests/demo/events.atom?lang=ja")
    assert links["alternate"].endswith("/contests/demo/")
    entries = list(atom.iter(f"{ATOM}entry"))
    keys = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(entries) == len(set(keys)) >= 3
    for entry in entries:
        assert datetime.datetime.fromisoformat(entry.findtext(f"{ATOM}updated") or "").tzinfo
    rss = feed(client, kind="rss")
    assert (rss.tag, rss.get("version")) == ("rss", "2.0")
    channel = rss.find("channel")
    assert channel is not None
    assert channel.findtext("language") == "en"
    assert {"title", "link", "guid", "pubDate"} <= {child.tag for child in channel.findall("item")[0]}
    assert [item.findtext("guid") for item in channel.findall("item")] == keys
    assert client.get(feed_url("json")).status_code == 404


def test_a_reader_who_knows_the_feed_gets_304(client: Client, round_: Round) -> None:
    ranked(round_, [make_team(round_.contest, "Tanuki")])
    first = client.get(feed_url("atom"))
    assert first.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert "Last-Modified" not in first.headers
    known = {"If-None-Match": first.headers["ETag"]}
    again = client.get(feed_url("atom"), headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(feed_url("atom") + "?lang=ja", headers=known).status_code == 200
    announce(round_.contest, round_.contest.organisers.get().user, "News", "")
    extend_all_chains()
    single_flight_cache.forget_everything()
    assert client.get(feed_url("atom"), headers=known).status_code == 200


def test_a_draft_has_feeds_for_its_organisers_alone(client: Client) -> None:
    owner = make_user("oni")
    make_contest(owner, slug="demo", is_public=False)
    assert client.get(feed_url("atom")).status_code == 404
    client.force_login(owner)
    answer = client.get(feed_url("atom"))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-store")


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_questions_are_answered_as_if_they_were_not_asked(
    client: Client, round_: Round, query: str
) -> None:
    for url in (events_url(round_), feed_url("atom")):
        for headers in ({}, HTMX):
            answer = client.get(f"{url}?{query}", headers=headers)
            assert answer.status_code == 200
            assert b"<script>" not in answer.content
