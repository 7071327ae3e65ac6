"""What the page of refused files says first: what is wrong, how often, and where to look."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from contest.models import Entry, Round, Team
from contest.pages.problem_summary import kinds_of
from tests.factories import as_zip, entry_files, make_contest, make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(slug="demo"))


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Neko House")


def signed_in(team: Team, language: str = "en") -> Client:
    client = Client(headers={"Accept-Language": language})
    client.force_login(team.memberships.get().user)
    return client


def two_hundred_wrong_quantities() -> dict[str, bytes]:
    """The first 200 rows of T hold a negative quantity, and the last one a price that is none."""
    files = dict(entry_files())
    rows = files["T.csv"].rstrip(b"\n").split(b"\n")
    assert len(rows) > 200
    rows[:200] = [row.rpartition(b",")[0] + b",-3" for row in rows[:200]]
    cells = rows[-1].split(b",")
    cells[-2] = b"dear"
    rows[-1] = b",".join(cells)
    return {**files, "T.csv": b"\n".join(rows) + b"\n"}


def text_of(page: str) -> str:
    """What a reader sees of the summary, without tags and line breaks."""
    summary = page.partition('<section class="problem-summary"')[2].partition("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", summary))


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            (
                "These files would be refused. Nothing was handed in.",
                "The files have 201 problems.",
                "… and 197 more of the same kind.",
                "a natural number up to 6 digits",
            ),
        ),
        (
            "ja",
            (
                "このファイルは受け付けられません。何も提出されていません。",
                "ファイルに 201 件の問題があります。",
                "…同じ種類の問題がほかに 197 件あります。",
            ),
        ),
    ],
)
def test_a_check_shows_each_kind_once_with_its_first_lines(
    round_: Round, team: Team, language: str, words: tuple[str, ...]
) -> None:
    archive = SimpleUploadedFile("e.zip", as_zip(two_hundred_wrong_quantities()))
    url = f"{round_.get_absolute_url()}upload/"
    answer = signed_in(team, language).post(url, {"archive": archive, "check": "1"})
    assert answer.status_code == 422
    page = answer.content.decode()
    seen = text_of(page)
    for sentence in words:
        assert sentence in seen, seen
    assert seen.count("bad-quantity") == 1
    assert seen.count("bad-price") == 1
    assert "dear" in seen
    heading = re.search(r'<h2 id="problems-title"[^>]*>', page)
    assert heading is not None
    assert 'tabindex="-1"' in heading[0]
    assert "autofocus" in heading[0]
    # The whole list is one click away, below the summary, and closed.
    assert (
        page.index("problem-summary")
        < page.index('<details class="every-problem">')
        < page.index("<form class")
    )
    assert len(re.findall(r"<tr>\s*<th scope=\"row\"", page)) == 100


def test_a_refused_entry_shows_the_same_summary(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, two_hundred_wrong_quantities())
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.INVALID
    assert entry.problem_total == 201
    seen = text_of(signed_in(team).get(entry.get_absolute_url()).content.decode())
    assert "This entry does not count." in seen
    assert "… and 197 more of the same kind." in seen
    assert "dear" in seen


def test_what_is_all_shown_in_the_summary_is_not_listed_again(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, {**entry_files(), "P.csv": b"1\n0\n"})
    work_off()
    page = signed_in(team).get(entry.get_absolute_url()).content.decode()
    assert "problem-summary" in page
    assert "every-problem" not in page


def test_entries_refused_before_kinds_were_counted_are_grouped_by_what_is_listed() -> None:
    row = {"file": "T.csv", "column": "quantity", "code": "bad-quantity", "got": "-3", "expected": "a number"}
    (kind,) = kinds_of([{**row, "line": line} for line in range(1, 8)])
    assert (kind.count, len(kind.first), kind.more) == (7, 3, 4)


def test_a_kind_whose_rule_differs_by_line_says_it_on_each_line() -> None:
    rows = [
        {
            "file": "T.csv",
            "line": 1,
            "column": "price",
            "code": "off",
            "got": "1",
            "expected": "2",
            "of_kind": 2,
        },
        {
            "file": "T.csv",
            "line": 2,
            "column": "price",
            "code": "off",
            "got": "1",
            "expected": "3",
            "of_kind": 2,
        },
        {
            "file": "M.csv",
            "line": 1,
            "column": None,
            "code": "off",
            "got": None,
            "expected": "4",
            "of_kind": 1,
        },
    ]
    first, second = kinds_of(rows)
    assert (first.file, first.column, first.expected, first.more) == ("T.csv", "price", None, 0)
    assert (second.file, second.column, second.expected, second.count) == ("M.csv", None, "4", 1)
