"""Files of another round: the round is named where the team may see it, and never otherwise."""

from __future__ import annotations

import csv
import datetime
import io

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from contest.models import Entry, Phase, Round, Team
from contest.pages.dry_run import check_upload
from datasets.problems import FULL_CAP
from tests.factories import (
    as_zip,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    small_data,
    work_off,
)
from tests.services.test_odd_uploads import QUANTITY, cells

pytestmark = [pytest.mark.django_db, pytest.mark.once]

FINAL = small_data(20, seed=9)


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(slug="demo"))


@pytest.fixture
def team(round_: Round) -> Team:
    team = make_team(round_.contest, "Neko House")
    cache.delete(f"dry-run-{team.pk}")
    return team


def causes(round_: Round, team: Team, files: dict[str, bytes]) -> list[str]:
    verdict = check_upload(round_, team, io.BytesIO(as_zip(files)), {})
    assert not verdict.ok
    return [str(remark.cause) for remark in verdict.remarks if not remark.accepted]


def test_files_of_another_round_are_told_which_one(round_: Round, team: Team) -> None:
    make_round(round_.contest, data=FINAL, slug="final", name="Final")
    files = entry_files(data=FINAL)
    assert causes(round_, team, files)[0] == "These files fit the round “Final”, not this one."
    parts = {name: io.BytesIO(raw) for name, raw in files.items()}
    verdict = check_upload(round_, team, None, parts)
    assert verdict.remarks[0].code == "other-round"
    entry = make_entry(round_, team, files)
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.INVALID
    assert entry.remarks[0]["code"] == "other-round"


def test_a_hidden_round_or_another_contest_is_never_named(round_: Round, team: Team) -> None:
    later = timezone.now() + datetime.timedelta(days=3)
    phases = [(Phase.Kind.ANONYMISE, later, later + datetime.timedelta(days=1))]
    make_round(round_.contest, data=FINAL, slug="final", name="Secret", is_hidden=True, phases=phases)
    make_round(make_contest(slug="elsewhere"), data=FINAL, slug="final", name="Elsewhere")
    files = entry_files(data=FINAL)
    assert "other-round" not in [
        remark.code for remark in check_upload(round_, team, io.BytesIO(as_zip(files)), {}).remarks
    ]
    entry = make_entry(round_, team, files)
    work_off()
    entry.refresh_from_db()
    assert "other-round" not in [remark["code"] for remark in entry.remarks]


def test_files_that_fit_no_round_are_told_none(round_: Round, team: Team) -> None:
    make_round(round_.contest, data=FINAL, slug="final", name="Final")
    files = cells("T.csv", QUANTITY, lambda text: "many")(dict(entry_files()))
    assert not [cause for cause in causes(round_, team, files) if "fit the round" in cause]


def listed(team: Team, entry: Entry) -> list[dict[str, str]]:
    client = Client()
    client.force_login(team.memberships.get().user)
    answer = client.get(f"{entry.get_absolute_url()}problems.csv")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_file_lists_every_problem_and_not_only_the_stored_ones(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, cells("T.csv", QUANTITY, lambda text: "many")(dict(entry_files())))
    work_off()
    entry.refresh_from_db()
    n = entry_files()["T.csv"].count(b"\n")
    assert len(entry.problems) == 100 < n == entry.problem_total
    assert [int(row["line"]) for row in listed(team, entry)] == list(range(1, n + 1))


def test_the_file_falls_back_to_what_the_team_was_told(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, cells("T.csv", QUANTITY, lambda text: "many")(dict(entry_files())))
    work_off()
    Entry.objects.filter(pk=entry.pk).update(problem_total=10_000)
    assert len(listed(team, entry)) == 100


def test_two_hundred_thousand_problems_are_few_groups_on_the_page(round_: Round, team: Team) -> None:
    rows = 100_500
    files = dict(entry_files())
    files["T.csv"] = b"x,1,never,late,z,-1,many\n" * rows
    entry = make_entry(round_, team, files)
    work_off()
    entry.refresh_from_db()
    assert entry.problem_total > 200_000
    client = Client()
    client.force_login(team.memberships.get().user)
    page = client.get(entry.get_absolute_url()).content.decode()
    groups = page.partition('<ol class="problem-kinds">')[2].partition("</ol>")[0].count("<h3>")
    assert 3 <= groups <= 20
    found = listed(team, entry)
    assert 200_000 > len(found) >= FULL_CAP
