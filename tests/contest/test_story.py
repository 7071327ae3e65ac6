"""The story of a season: told when all is revealed, true of the pages that it shows, and of nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from contest.board import queries
from contest.files.season_archives import season_archive
from contest.models import Contest, Entry, Phase, Round
from contest.pages.story import story_of
from contest.services.board_versions import bump_board
from contest.services.teams import create_team
from contest.work import season_demo
from games.formats.demo import SEASON
from kakurenbo.main import main
from tests.factories import make_contest, make_user
from tests.season_rounds import season_contest, told_season

pytestmark = pytest.mark.django_db

STORY = f"/contests/{SEASON.slug}/story/"
BAR = 'class="story-bar"'


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def parts(client: Client, url: str, language: str) -> tuple[str, str]:
    """The words of the bar and those of the page behind it."""
    answer = client.get(url, headers={"Accept-Language": language})
    assert answer.status_code == 200, url
    html = answer.content.decode()
    bar, page = html.split("<main", 1)
    assert BAR in bar, url
    return text_of(bar[bar.index(BAR) :]), text_of(page)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_sentence_is_above_its_page_and_its_figures_are_on_it(client: Client, language: str) -> None:
    contest = told_season(make_user("oni"))
    with override(language):
        steps = story_of(contest)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    told = {step.path for step in steps}
    assert {
        reverse("overall", args=[SEASON.slug]),
        reverse("leaderboard", args=[SEASON.slug, "final"]),
    } <= told
    for step in steps:
        bar, page = parts(client, step.url, language)
        assert step.words in bar and f"{step.number}/{len(steps)}" in bar
        for figure in step.figures:
            assert figure in page, (step.title, figure)


def test_the_sentences_name_the_numbers_of_the_boards(client: Client) -> None:
    steps = {step.title: step.words for step in story_of(told_season(make_user("oni")))}
    assert steps["Hiding nothing"] == (
        "Unchanged data lead on utility with 100.0, but 100 of 100 people are found: safety 0.0, total 0.00."
    )
    assert steps["The final"] == (
        "Neko wins the final with a total of 71.50; unchanged data have 0.00. Safety goes from 0.0 to 75.0."
    )
    assert (
        "Neko wins the season with 69.25 points, ahead of Usagi with 61.25" in steps["The season is decided"]
    )


def test_a_claim_that_does_not_hold_is_left_out() -> None:
    contest = told_season(make_user("oni"))
    before = [step.title for step in story_of(contest)]
    assert "Hiding nothing" in before
    practice = Round.objects.get(contest=contest, slug="practice")
    Entry.objects.filter(round=practice, method=SEASON.unchanged).update(numbers={"hits": 99})
    bump_board(practice.pk)
    assert [step.title for step in story_of(contest)] == [one for one in before if one != "Hiding nothing"]


def test_the_list_of_steps_leads_to_each_of_them(client: Client) -> None:
    contest = told_season(make_user("oni"))
    html = client.get(STORY).content.decode()
    for step in story_of(contest):
        assert f'href="{step.url}"' in html
        assert step.words in unescape(html)
    assert STORY in client.get(contest.get_absolute_url()).content.decode()


def test_the_bar_leads_to_the_neighbours_and_at_the_ends_to_the_list(client: Client) -> None:
    steps = story_of(told_season(make_user("oni")))
    ways = re.compile(r'href="([^"]+)"\s+rel="(prev|next)"')
    for place, step in enumerate(steps):
        found = {rel: unescape(way) for way, rel in ways.findall(client.get(step.url).content.decode())}
        assert found["prev"] == (steps[place - 1].url if place else STORY)
        assert found["next"] == (steps[place + 1].url if place + 1 < len(steps) else STORY)


@pytest.mark.parametrize("wanted", ["", "?story=", "?story=0", "?story=99", "?story=x", "?story=2"])
def test_no_other_page_has_a_bar(client: Client, wanted: str) -> None:
    contest = told_season(make_user("oni"))
    first = story_of(contest)[0]
    html = client.get(first.path + wanted).content.decode()
    assert BAR not in html


def test_before_the_reveal_nothing_is_told(client: Client) -> None:
    contest = season_contest(make_user("oni"))
    for url in (STORY, f"{STORY}archive.zip"):
        assert client.get(url).status_code == 404
    board = reverse("leaderboard", args=[SEASON.slug, "final"])
    assert all(BAR not in client.get(f"{board}?story={n}").content.decode() for n in range(1, 13))
    assert STORY not in client.get(contest.get_absolute_url()).content.decode()


def test_a_correction_after_the_reveal_ends_the_story_until_it_is_counted(client: Client) -> None:
    contest = told_season(make_user("oni"))
    assert client.get(STORY).status_code == 200
    Round.objects.filter(contest=contest, slug="final").update(revealed_at=None)
    assert client.get(STORY).status_code == 404


def test_another_contest_at_that_address_has_no_story(client: Client) -> None:
    contest = season_contest(make_user("oni"), seed_shift=1)
    Phase.objects.filter(round__contest=contest, kind="results").update(starts_at="2020-01-01T00:00Z")
    Round.objects.filter(contest=contest).update(revealed_at="2020-01-01T00:00Z")
    assert client.get(STORY).status_code == 404


def test_other_contests_have_no_story(client: Client) -> None:
    contest: Contest = make_contest(make_user("oni"), slug="other")
    create_team(contest, make_user("neko"), "Neko")
    assert client.get("/contests/other/story/").status_code == 404
    assert client.get("/contests/other/story/archive.zip").status_code == 404


def test_a_draft_is_told_to_its_organisers_alone(client: Client) -> None:
    oni = make_user("oni")
    contest = told_season(oni)
    Contest.objects.filter(pk=contest.pk).update(is_public=False)
    assert client.get(STORY).status_code == 404
    client.force_login(oni)
    assert client.get(STORY).status_code == 200


def test_the_archive_is_offered_where_it_was_written(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    told_season(make_user("oni"))
    assert client.get(f"{STORY}archive.zip").status_code == 404
    assert "archive.zip" not in client.get(STORY).content.decode()
    path = season_archive(SEASON.slug)
    path.parent.mkdir()
    path.write_bytes(b"PK")
    answer = client.get(f"{STORY}archive.zip")
    assert b"".join(answer) == b"PK"  # type: ignore[arg-type]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="season.zip"'
    assert f"{STORY}archive.zip" in client.get(STORY).content.decode()


def test_the_command_line_plays_a_season_or_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[tuple[str, ...]] = []

    def manage(*words: str) -> int:
        called.append(words)
        return 0

    monkeypatch.setattr("kakurenbo.commands.demo.manage", manage)
    migrated = ("migrate", "--verbosity=0")
    assert main(["demo", "--season"]) == 0
    assert main(["demo", "skeleton"]) == 0
    assert called == [migrated, ("season_demo",), migrated, ("game_demo", "skeleton")]
    for words in (["demo"], ["demo", "skeleton", "--season"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2


def test_the_play_waits_for_workers_that_run_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = season_contest(make_user("oni"))
    counts = iter([{"done": 3, "running": 1}, {"done": 4}])
    waited: list[float] = []
    monkeypatch.setattr(queries, "job_counts", lambda _contest: next(counts))
    monkeypatch.setattr("contest.work.season_demo.time.sleep", waited.append)
    season_demo._judge(contest.rounds.select_related("contest", "dataset")[0])
    assert waited == [season_demo.SECONDS_BETWEEN]
    assert next(counts, None) is None
