"""The board: right order, few queries, few bytes, nothing from elsewhere."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from contest.board.board_cache import ROWS_A_PAGE
from contest.models import Entry, Membership, Round, Team
from contest.names.lookalikes import normalise_name
from tests.factories import make_entry, make_round, make_team, make_user, work_off

MAX_QUERIES = 6
MAX_BYTES = 60_000


def fill_board(round_: Round, n: int) -> None:
    """Rows as the services would leave them, written at once because there are many."""
    names = [f"Team {number:04d}" for number in range(n)]
    teams = Team.objects.bulk_create(
        Team(contest=round_.contest, name=name, name_key=normalise_name(name)) for name in names
    )
    Entry.objects.bulk_create(
        Entry(
            round=round_,
            team=team,
            number=1 + place % 7,
            state=Entry.State.VALID,
            received_at=timezone.now(),
            finished_at=timezone.now(),
            upload_sha256="0" * 64,
            upload_bytes=1,
            n_people=400,
            is_official=True,
            utility=(place * 7919 % 10007) / 100.07,
            numbers={"hits": place * 104729 % 401},
            measures={
                "ut-jaccard": (place * 31 % 700) / 1000,
                "subset": place * 37 % 50000,
                "cmae": (place * 41 % 500) / 1000,
                "rfm": (place * 43 % 250) / 1000,
            },
        )
        for place, team in enumerate(teams)
    )


def assets_of(html: str) -> set[str]:
    found = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', html))
    assert found
    return found


def weight_of(html: str) -> int:
    """The bytes of everything that a page loads, compressed."""
    assets = {path: (finders.find(path.removeprefix("/static/")) or "") for path in assets_of(html)}
    return sum(len(gzip.compress(Path(path).read_bytes(), 6)) for path in assets.values())


@pytest.mark.django_db
@pytest.mark.parametrize("n", [25, 100, 1000])
def test_the_board_needs_few_queries_and_few_bytes(
    n: int, client: Client, django_assert_max_num_queries: Any
) -> None:
    round_ = make_round()
    fill_board(round_, n)
    url = round_.get_absolute_url()
    client.get(url)
    with django_assert_max_num_queries(MAX_QUERIES) as queries:
        response = client.get(url, headers={"accept-encoding": "gzip"})
    html = gzip.decompress(response.content).decode()
    assert html.count('scope="row"') == min(n, ROWS_A_PAGE)
    assert html.count("<circle") >= n
    page = len(response.content)
    weight = weight_of(html)
    print(f"{n} entries: {len(queries)} queries, page {page} B + assets {weight} B gzipped")
    assert page + weight <= MAX_BYTES


@pytest.mark.django_db
def test_the_board_loads_nothing_from_elsewhere(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 3)
    response = client.get(round_.get_absolute_url())
    html = response.content.decode()
    # The canonical address names the page itself; a browser does not load it.
    canonical = f'<link rel="canonical" href="{settings.SITE_URL}{round_.get_absolute_url()}">'
    assert html.count(canonical) == 1
    loaded = html.replace(canonical, "")
    assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", loaded)
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*src=)", html)


@pytest.mark.django_db
def test_the_poll_answers_nothing_while_nothing_changed_and_the_table_when_it_did(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 3)
    round_.refresh_from_db()
    url = round_.get_absolute_url()
    htmx = {"HX-Request": "true"}
    assert client.get(f"{url}?version={round_.board_version}", headers=htmx).status_code == 204
    answer = client.get(f"{url}?version=0", headers=htmx)
    assert answer.status_code == 200
    assert "Team 0001" in answer.content.decode()
    assert "<html" not in answer.content.decode()


@pytest.mark.django_db
def test_a_real_entry_takes_its_place(client: Client) -> None:
    round_ = make_round()
    team = make_team(round_.contest, "Tanuki")
    make_entry(round_, team)
    assert "Tanuki" not in client.get(round_.get_absolute_url()).content.decode()
    work_off()
    html = client.get(round_.get_absolute_url()).content.decode()
    assert "Tanuki" in html


@pytest.mark.django_db
def test_an_entry_that_is_not_judged_yet_has_no_rank(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 2)
    Entry.objects.filter(team__name="Team 0000").update(numbers={})
    html = client.get(round_.get_absolute_url()).content.decode()
    assert html.index("Team 0001") < html.index("Team 0000")
    assert re.search(r'rank">–<', html)


@pytest.mark.django_db
def test_all_pages_together_hold_every_team_once_and_mine_is_pointed_out(client: Client) -> None:
    round_ = make_round()
    fill_board(round_, 250)
    url = round_.get_absolute_url()
    captain = make_user("tanuki")
    last = min(Entry.objects.all(), key=lambda entry: (entry.utility, -(entry.hits or 0)))
    Membership.objects.create(team=last.team, contest=round_.contest, user=captain)
    client.force_login(captain)
    names: list[str] = []
    for page in (1, 2, 3):
        names += [row.team_name for row in client.get(f"{url}?page={page}").context["rows"]]
    assert len(names) == 250
    assert len(set(names)) == 250
    first = client.get(url)
    assert first.context["my_row"].team_name == last.team.name
    assert f"?page={first.context['my_page']}" in first.content.decode()
