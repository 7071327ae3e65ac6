"""The database of an installation of version 0.1, upgraded: all that it showed is shown, and work goes on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from contest import access
from contest.models import (
    AttackRun,
    AuditEvent,
    Commitment,
    Contest,
    Entry,
    Job,
    Phase,
    Round,
    Score,
    Team,
    User,
)
from contest.records.audit import extend_all_chains, verify_chain
from contest.services.attacks import rerun
from contest.services.limit_changes import apply_rescore, preview_rescore
from contest.services.phase_clock import run_clock
from contest.work.handlers import work_on
from contest.work.verification import recount
from scoring.rules import Limit
from tests.factories import PASSWORD
from tests.version_0_1 import CONTESTS, OLDER_ATTACKS, expected, keep_files, results_of, write_database

ISOLATED = (Job.Kind.PROGRAM,)
"""Work that needs a sandbox, which not every machine has."""


@contextmanager
def connected_to(path: Path) -> Iterator[None]:
    """Let this process use a database file, which need not outlive it, in place of the tests' own."""
    before = dict(connection.settings_dict)
    options = {**before["OPTIONS"], "init_command": "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"}
    connection.close()
    connection.settings_dict.update(NAME=str(path), OPTIONS=options)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@pytest.fixture(scope="session")
def upgraded(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: pytest.FixtureRequest
) -> Path:
    """The database file of version 0.1 after the migrations of today."""
    if connection.vendor != "sqlite":
        pytest.skip("the file of version 0.1 is SQLite's; tests/services/test_version_0_1.py copies its rows")
    path = tmp_path_factory.mktemp("version_0_1") / "kakurenbo.sqlite3"
    write_database(path)
    with django_db_blocker.unblock(), connected_to(path):  # type: ignore[attr-defined]
        call_command("migrate", verbosity=0, interactive=False)
    keep_files()
    return path


@pytest.fixture
def installation(upgraded: Path, tmp_path: Path, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """An upgraded installation of one's own."""
    path = tmp_path / upgraded.name
    shutil.copyfile(upgraded, path)
    with django_db_blocker.unblock(), connected_to(path):  # type: ignore[attr-defined]
        yield


pytestmark = pytest.mark.usefixtures("installation")


def work() -> None:
    """Do what waits, as a worker does, except what needs a sandbox."""
    for _ in range(200):
        queued = Job.objects.filter(state=Job.State.QUEUED).exclude(kind__in=ISOLATED)
        job = queued.order_by("pk").first()
        if job is None:
            return
        work_on(Job.Kind(job.kind))
    raise AssertionError("more than 200 jobs")


def organiser() -> User:
    return User.objects.get(username="oni")


def shown(slug: str) -> dict[str, object]:
    """What version 0.1 showed of a contest."""
    found = expected()["contests"][slug]
    return {name: found[name] for name in ("rounds", "overall")}


@pytest.mark.parametrize("slug", CONTESTS)
def test_boards_matrices_and_verdicts_are_those_of_version_0_1(slug: str) -> None:
    now, then = results_of(Contest.objects.get(slug=slug)), shown(slug)
    if slug == "hiding-2018":
        # The results phase of its final has begun since, so that this round counts now.
        assert now.pop("overall") != then.pop("overall")
    assert now == then


@pytest.mark.parametrize("slug", CONTESTS)
def test_everything_computed_again_is_the_same(slug: str) -> None:
    contest = Contest.objects.get(slug=slug)
    then = expected()["contests"][slug]["recount"]
    older = AttackRun.objects.filter(
        attack__round__contest=contest, attack__name__in=OLDER_ATTACKS, state=AttackRun.State.DONE
    ).count()
    found = recount(contest)
    assert found.differences == []
    assert found.skipped == ({"attack of an older version": older} if older else {})
    attacked = {name: count - older for name, count in then.items() if name in ("hits", "rate", "guesses")}
    now = {"hits": "hits", "rate": "risk", "guesses": "guesses"}
    assert {name: found.compared[now[name]] for name in attacked} == attacked
    for name in ("measure", "verdict", "commitment", "most hits"):
        assert found.compared[name] == then[name]


@pytest.mark.parametrize("slug", CONTESTS)
def test_workers_measure_and_attack_again_with_the_same_results(slug: str) -> None:
    """Every value is taken away and every house attack is run again, through the organisers' services."""
    contest = Contest.objects.get(slug=slug)
    Job.objects.filter(state=Job.State.QUEUED).delete()
    runs = AttackRun.objects.filter(attack__round__contest=contest, attack__kind="house")
    again = list(runs.exclude(attack__name__in=OLDER_ATTACKS))
    assert rerun(again, organiser(), "After the upgrade.") == len(again) > 10
    work()
    for round_ in contest.rounds.order_by("pk"):
        gone, _ = Score.objects.filter(entry__round=round_).delete()
        assert gone
        limits = [Limit(**limit) for limit in round_.limits]
        rescore = preview_rescore(round_, organiser(), limits, "After the upgrade.")
        work()
        rescore.refresh_from_db()
        assert (rescore.state, rescore.preview) == ("ready", [])
        assert apply_rescore(rescore, organiser()) == 0
        assert Score.objects.filter(entry__round=round_).count() == gone
    for name, now in results_of(contest)["rounds"].items():
        then = expected()["contests"][slug]["rounds"][name]
        assert {key: now[key] for key in ("board", "entries", "runs", "matrix")} == {
            key: then[key] for key in ("board", "entries", "runs", "matrix")
        }


def test_work_that_waited_in_version_0_1_is_done_by_a_worker_of_today() -> None:
    round_ = Round.objects.get(contest__slug="hiding-2016", slug="practice")
    upload = Entry.objects.get(round=round_, state=Entry.State.UPLOADED)
    assert upload.team.name == "Kitsune"
    assert not Team.objects.filter(name="House · round").exists()
    work()
    upload.refresh_from_db()
    made = Entry.objects.get(round=round_, team__name="House · round")
    assert (upload.state, upload.is_official) == (Entry.State.VALID, True)
    assert (made.state, made.method, made.n_people) == (Entry.State.VALID, "round", 8)
    house = AttackRun.objects.filter(entry__in=[made, upload], attack__kind="house")
    assert list(house.values_list("state", flat=True)) == ["done"] * 6
    assert not Job.objects.exclude(kind__in=ISOLATED).exclude(state=Job.State.DONE).exists()
    assert recount(round_.contest).differences == []


def test_the_clock_goes_on_where_it_stopped() -> None:
    """The attack phase of 2018 was closed by hand; nobody has counted yet."""
    round_ = Round.objects.get(contest__slug="hiding-2018", slug="final")
    before = results_of(round_.contest)["rounds"]["final"]["board"]
    assert (round_.tallied_at, round_.revealed_at) == (None, None)
    run_clock()
    round_.refresh_from_db()
    assert round_.tallied_at is not None and round_.revealed_at is not None
    assert Phase.objects.get(round=round_, kind=Phase.Kind.ATTACK).closed_at is not None
    assert results_of(round_.contest)["rounds"]["final"]["board"] == before
    whats = Commitment.objects.filter(round=round_).order_by("pk").values_list("what", flat=True)
    assert list(whats) == ["seed", "entries", "board"]
    found = recount(round_.contest)
    assert (found.differences, found.compared["commitment"]) == ([], 6)


@pytest.mark.parametrize("slug", CONTESTS)
def test_the_audit_log_is_whole(slug: str) -> None:
    contest = Contest.objects.get(slug=slug)
    number, last = expected()["contests"][slug]["audit"]
    extend_all_chains()
    held, fault = verify_chain(contest.pk)
    assert fault == ""
    assert held >= number
    assert AuditEvent.objects.get(contest=contest, number=number).hash == last


def test_people_keep_their_password_their_token_and_their_team(
    client: Client, settings: pytest.FixtureRequest
) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]  # type: ignore[attr-defined]
    assert organiser().check_password(PASSWORD)
    assert access.is_organiser(User.objects.get(username="aka-oni"), Contest.objects.get(slug=CONTESTS[0]))
    secret = expected()["tanukis_token"]
    answer = client.get(
        reverse("api-team", args=["hiding-2016"]), headers={"authorization": f"Bearer {secret}"}
    )
    assert (answer.status_code, answer.json()["name"]) == (200, "Tanuki")
    # Two teams whose names look the same were allowed; both stay, told apart by what nobody sees.
    alike = Team.objects.filter(contest__slug="hiding-2016", name__in=["Tanuki", "T\u0430nuki"])
    assert len(set(alike.values_list("look_key", flat=True))) == 2


@pytest.mark.parametrize("slug", CONTESTS)
def test_every_page_of_an_old_contest_answers(slug: str, client: Client) -> None:
    contest = Contest.objects.get(slug=slug)
    client.force_login(organiser())
    addresses = [reverse(name, args=[slug]) for name in ("contest", "changes", "organise")]
    for round_ in contest.rounds.all():
        names = ("leaderboard", "matrix", "rules", "dataset", "rank_history", "hashes", "pictures")
        addresses += [reverse(name, args=[slug, round_.slug]) for name in names]
        addresses += [entry.get_absolute_url() for entry in Entry.objects.filter(round=round_)]
        addresses += [
            reverse("attack", args=[slug, round_.slug, attack.pk]) for attack in round_.attacks.all()
        ]
    answers = {address: client.get(address).status_code for address in addresses}
    assert {address: code for address, code in answers.items() if code != 200} == {}
