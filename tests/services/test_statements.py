"""How much an upload and its jobs ask of the database: a number that load tests turn into seconds.

The comments list the statements. More of them would not be wrong, but everybody in a burst of uploads would
wait for them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from contest.files.storage import submitted
from contest.models import Attack, AttackRun, Entry, Job, Round
from contest.models.round import Feedback
from contest.services.board_versions import bump_board
from contest.services.team_attacks import earlier_answer
from contest.services.tokens import create_token
from contest.work.handlers import work_on
from tests.factories import as_zip, entry_files, make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db(transaction=True)


def statements(action: Callable[[], object]) -> list[str]:
    """What an action asks, without the begin and the end of transactions."""
    with CaptureQueriesContext(connection) as captured:
        action()
    asked = [query["sql"] for query in captured.captured_queries]
    return [sql for sql in asked if sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))]


def reads(asked: list[str], table: str) -> list[str]:
    return [sql for sql in asked if sql.startswith("SELECT") and f'FROM "{table}"' in sql]


@pytest.fixture
def round_() -> Iterator[Round]:
    yield make_round(feedback=Feedback.FULL)


def test_an_upload_asks_fifteen_times(round_: Round) -> None:
    team = make_team(round_.contest)
    token = create_token(team.memberships.get().user, "load", ["submit"], 7)
    path = f"/api/v1/contests/{round_.contest.slug}/rounds/{round_.slug}/entries/"

    def upload() -> None:
        file = SimpleUploadedFile("e.zip", as_zip(entry_files()))
        answer = Client().post(path, {"archive": file}, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 201, answer.content

    upload()
    asked = statements(upload)
    # Token, round, membership; team with its lock, phase, attempts, last number; entry, job, audit row,
    # board; the end of the audit chain: its lock, new rows, their hash, its new end.
    assert len(asked) == 15, "\n".join(asked)
    assert len(reads(asked, "contest_team")) == 1


@pytest.mark.parametrize(("feedback", "questions"), [(Feedback.FULL, 1), (Feedback.NONE, 2)])
def test_only_a_round_that_hides_its_board_is_asked_about_its_results(
    feedback: Feedback, questions: int
) -> None:
    hidden = make_round(feedback=feedback)
    hidden.refresh_from_db()
    before = hidden.board_version, hidden.full_version
    asked = statements(lambda: bump_board(hidden.pk, is_seen=False))
    assert [sql.startswith("UPDATE") for sql in asked] == [True] * questions
    assert ["contest_phase" in sql for sql in asked] == [False, True][:questions]
    hidden.refresh_from_db()
    tells = feedback == Feedback.FULL
    assert (hidden.board_version, hidden.full_version) == (before[0] + tells, before[1] + 1)


def test_a_score_reads_its_truth_once_and_looks_at_its_own_slot_alone(round_: Round) -> None:
    team = make_team(round_.contest)
    for number, slot in enumerate(("near", "far", "wide"), start=1):
        entry = make_entry(round_, team, entry_files(seed=number))
        Entry.objects.filter(pk=entry.pk).update(slot=slot)
        work_on(Job.Kind.CHECK)
    asked = [statements(lambda: work_on(Job.Kind.SCORE)) for _ in range(3)]
    assert len({len(each) for each in asked[1:]}) == 1
    for each in asked:
        # The name of the truth for the measures; and whether there is one before the entry becomes valid.
        assert len(reads(each, "contest_sealed")) == 2
        assert not any("DISTINCT" in sql for sql in reads(each, "contest_entry"))
    assert Entry.objects.filter(is_official=True).count() == 3


@pytest.mark.parametrize("earlier", [1, 12])
def test_an_earlier_answer_is_found_without_reading_all(round_: Round, earlier: int) -> None:
    attacker, target = make_team(round_.contest), make_team(round_.contest)
    entry = make_entry(round_, target)
    work_off()
    entry.refresh_from_db()
    answer = submitted.put(io.BytesIO(b"1\n"), 100)
    made = [
        Attack.objects.create(
            round=round_,
            team=attacker,
            kind=Attack.Kind.PROGRAM,
            name="program",
            version=version,
            program_sha256="a" * 64,
        )
        for version in range(1, earlier + 2)
    ]
    runs = [AttackRun.objects.create(attack=attack, entry=entry) for attack in made]
    for run in runs[:-1]:
        AttackRun.objects.filter(pk=run.pk).update(answer_sha256=answer.sha256)
    found: list[AttackRun | None] = []
    asked = statements(lambda: found.append(earlier_answer(runs[-1])))
    assert found == [runs[0]]
    if connection.vendor == "postgresql":
        assert len(asked) == 1 and "LIMIT 1" in asked[0]
    Entry.objects.filter(pk=entry.pk).update(published={"M.csv": "b" * 64})
    other = AttackRun.objects.select_related("attack", "entry").get(pk=runs[-1].pk)
    other.entry.published = {"M.csv": "c" * 64}
    assert earlier_answer(other) is None
