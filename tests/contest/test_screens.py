"""The board on large screens and in frames of other sites: as everybody may see it, whoever looks."""

from __future__ import annotations

import datetime
import os
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import single_flight_cache
from contest.models import Contest, Phase, Round
from contest.models.round import Feedback
from contest.services.board_versions import bump_board
from contest.services.settings import change_contest
from tests.factories import make_contest, make_round, make_team, make_user
from tests.game_rounds import TOYS
from tests.overall_rounds import board_of, game_round, house_team, reveal, scored, stored

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    single_flight_cache.forget_everything()


def phases(results: datetime.timedelta) -> list[tuple[Phase.Kind, datetime.datetime, datetime.datetime]]:
    now = timezone.now()
    return [
        (Phase.Kind.ANONYMISE, now - 9 * HOUR, now + results),
        (Phase.Kind.RESULTS, now + results, now + 30 * HOUR),
    ]


def played(feedback: str = Feedback.FULL, results: datetime.timedelta = HOUR) -> Round:
    """Four teams and a house entry with known totals."""
    contest = make_contest(make_user("oni"), slug="demo", title='Hide & "seek"')
    round_ = make_round(contest, phases=phases(results), feedback=feedback, attacks=[], ranking="2024")
    for name, utility in (("Ann <b>", 90.0), ("Ben", 80.0), ("Cat", 70.0), ("Dan", 60.0)):
        scored(round_, make_team(contest, name), utility, 10)
    scored(round_, house_team(contest, "House"), 50.0, 10)
    round_.refresh_from_db()
    return round_


def played_game(monkeypatch: pytest.MonkeyPatch, **fields: object) -> Round:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))
    contest = make_contest(make_user("oni"), slug="demo")
    round_ = game_round(contest, **fields)
    teams = [make_team(contest, name) for name in ("Foxes", "Cranes", "Turtles", "Late")]
    stored(round_, board_of(list(zip(teams, (9.5, 7.25, 3.0, 1.0), strict=True))))
    round_.refresh_from_db()
    return round_


def allow(contest: Contest) -> None:
    Contest.objects.filter(pk=contest.pk).update(may_be_embedded=True)
    single_flight_cache.forget_everything()


def address(round_: Round, name: str) -> str:
    return reverse(name, args=[round_.contest.slug, round_.slug])


def rows(page: str) -> list[tuple[str, str, str]]:
    """Place, name and value of each row of the table."""
    found = re.findall(
        r'<td class="num rank">(.*?)</td>\s*<th scope="row">(.*?)</th>\s*<td class="num total">(.*?)</td>',
        page,
        re.DOTALL,
    )
    return [tuple(re.sub(r"<[^>]+>|\s+", " ", cell).split("  ")[0].strip() for cell in row) for row in found]


def version_in(page: str) -> str:
    return re.findall(r'version=([^"&]+)"', page)[0]


def steps(page: str) -> list[tuple[str, str]]:
    """Place and name of each step of the podium."""
    return re.findall(r'class="step-place">(\d+)</span>\s*<span class="step-name">(.*?)</span>', page)


def test_a_board_is_embedded_only_where_the_organisers_allow_it(client: Client) -> None:
    round_ = played()
    answer = client.get(address(round_, "embed"))
    assert answer.status_code == 404
    assert answer.headers["X-Frame-Options"] == "DENY"
    oni = round_.contest.organisers.get().user
    change_contest(round_.contest, oni, round_.contest.settings_version, {"may_be_embedded": True}, "a fair")
    assert client.get(address(round_, "embed")).status_code == 200


def test_only_the_embedded_board_may_be_framed(client: Client) -> None:
    round_ = played()
    allow(round_.contest)
    answer = client.get(address(round_, "embed"))
    assert "X-Frame-Options" not in answer.headers
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    for name in ("leaderboard", "projector", "events", "rank_history"):
        other = client.get(address(round_, name))
        assert other.headers["X-Frame-Options"] == "DENY", name
        assert "frame-ancestors 'none'" in other.headers["Content-Security-Policy"], name


def test_the_embedded_board_has_no_cookies_no_forms_and_nothing_of_its_reader(client: Client) -> None:
    round_ = played()
    allow(round_.contest)
    member = Client()
    member.force_login(round_.contest.organisers.get().user)
    pages = [caller.get(address(round_, "embed")) for caller in (client, member)]
    assert pages[0].content == pages[1].content
    assert not pages[0].cookies
    assert not pages[1].cookies
    page = pages[0].content.decode()
    assert "<form" not in page
    assert "csrf" not in page
    assert [name for _, name, _ in rows(page)] == ["Ann &lt;b&gt;", "Ben", "Cat", "Dan", "House"]


def test_the_code_to_copy_is_on_the_board_and_on_the_settings(client: Client) -> None:
    round_ = played()
    assert "&lt;iframe" not in client.get(round_.get_absolute_url()).content.decode()
    allow(round_.contest)
    client.force_login(round_.contest.organisers.get().user)
    for url in (round_.get_absolute_url(), reverse("organise_settings", args=["demo"])):
        page = client.get(url).content.decode()
        assert f"{address(round_, 'embed')}" in page, url
        # Pasted into a page, the title stays one attribute.
        assert 'title="Hide &amp;amp; &amp;quot;seek&amp;quot;' in page, url


@pytest.mark.parametrize("name", ["embed", "projector"])
def test_a_screen_polls_and_gets_what_is_new(client: Client, name: str) -> None:
    round_ = played()
    allow(round_.contest)
    url = address(round_, name)
    version = version_in(client.get(url).content.decode())
    assert client.get(f"{url}?version={version}", headers=HTMX).status_code == 204
    scored(round_, make_team(round_.contest, "Eve"), 99.0, 0)
    single_flight_cache.forget_everything()
    answer = client.get(f"{url}?version={version}", headers=HTMX).content.decode()
    assert "<html" not in answer
    assert rows(answer)[0][1] == "Eve"


@pytest.mark.parametrize("name", ["embed", "projector"])
@pytest.mark.parametrize("feedback", [Feedback.BANDS, Feedback.NONE])
def test_before_the_reveal_screens_show_no_place_and_no_total(
    client: Client, name: str, feedback: str
) -> None:
    round_ = played(feedback)
    allow(round_.contest)
    client.force_login(round_.contest.organisers.get().user)
    before = client.get(address(round_, name)).content.decode()
    shown = rows(before)
    assert {place for place, _, _ in shown} == {""}
    assert shown[0][1:] == ("Ann &lt;b&gt;", "90.00")
    assert not steps(before)
    round_.entries.update(numbers={"hits": 77}, risk=0.77)
    bump_board(round_.pk)
    single_flight_cache.forget_everything()
    assert client.get(address(round_, name)).content.decode() == before, "what attacks found is not in it"


@pytest.mark.parametrize("name", ["embed", "projector"])
def test_a_hidden_round_has_no_screens(client: Client, name: str) -> None:
    round_ = played()
    allow(round_.contest)
    Round.objects.update(is_hidden=True)
    Phase.objects.update(starts_at=timezone.now() + HOUR, ends_at=timezone.now() + 2 * HOUR)
    single_flight_cache.forget_everything()
    assert client.get(address(round_, name)).status_code == 404
    Round.objects.update(is_hidden=False)
    Contest.objects.update(is_public=False)
    assert client.get(address(round_, name)).status_code == 404


def test_a_draft_is_embedded_nowhere_not_even_for_its_organisers(client: Client) -> None:
    round_ = played()
    allow(round_.contest)
    Contest.objects.update(is_public=False)
    client.force_login(round_.contest.organisers.get().user)
    assert client.get(address(round_, "embed")).status_code == 404


def test_the_podium_appears_with_the_results(client: Client) -> None:
    round_ = played(Feedback.NONE)
    for name in ("leaderboard", "projector"):
        assert not steps(client.get(address(round_, name)).content.decode())
    reveal(round_.contest)
    single_flight_cache.forget_everything()
    expected = [("1", "Ann &lt;b&gt;"), ("2", "Ben"), ("3", "Cat")]
    for name in ("leaderboard", "projector"):
        assert steps(client.get(address(round_, name)).content.decode()) == expected, name
    # Who had the page open gets it with the poll of the events.
    polled = client.get(f"{address(round_, 'events')}?short=1&version=0", headers=HTMX).content.decode()
    assert '<div id="podium" hx-swap-oob="true">' in polled
    assert steps(polled) == expected


def test_rounds_of_games_have_screens_and_a_podium(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = played_game(monkeypatch)
    allow(round_.contest)
    for name in ("embed", "projector"):
        page = client.get(address(round_, name)).content.decode()
        assert [row[:2] for row in rows(page)][:2] == [("1", "Foxes"), ("2", "Cranes")], name
    reveal(round_.contest)
    single_flight_cache.forget_everything()
    expected = [("1", "Foxes"), ("2", "Cranes"), ("3", "Turtles")]
    for name in ("leaderboard", "projector"):
        assert steps(client.get(address(round_, name)).content.decode()) == expected, name


def test_a_board_of_own_rows_is_on_no_screen(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = played_game(monkeypatch)
    allow(round_.contest)
    team = make_team(round_.contest, "Private")
    stored(round_, board_of([(team, 1.0)], shown="own row"))
    single_flight_cache.forget_everything()
    for name in ("embed", "projector"):
        assert b"Private" not in client.get(address(round_, name)).content, name


def test_the_projector_counts_down_to_the_end_of_the_phase(client: Client) -> None:
    round_ = played()
    ends = Phase.objects.get(kind=Phase.Kind.ANONYMISE).ends_at
    page = client.get(address(round_, "projector")).content.decode()
    assert f'data-clock="{ends.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"' in page
    assert "until it ends" in page
    assert '<html lang="en" data-theme="dark">' in page


def test_frames_speak_the_language_of_their_address(client: Client) -> None:
    round_ = played()
    allow(round_.contest)
    page = client.get(address(round_, "embed") + "?lang=ja").content.decode()
    assert '<html lang="ja"' in page
    assert "順位表の全体" in page
    assert "lang=ja&amp;version=" in page


@pytest.mark.parametrize(
    "query", ["lang=%00", "lang=xx%22%3E%3Cscript%3E", "version=%27%22%3E%3Cscript%3E", "page=1e9"]
)
def test_hostile_questions_change_nothing(client: Client, query: str) -> None:
    round_ = played()
    allow(round_.contest)
    for name in ("embed", "projector"):
        usual = client.get(address(round_, name)).content
        assert client.get(f"{address(round_, name)}?{query}").content == usual, name
        assert client.get(f"{address(round_, name)}?{query}", headers=HTMX).status_code == 200, name
