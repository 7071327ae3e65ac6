"""Entries and answers that the house makes for teams: who may ask when, and what it costs."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from contest.board.queries import job_counts
from contest.errors import Refused
from contest.files import vault
from contest.jobs.queue import OUR_ERROR
from contest.models import Attack, AuditEvent, Entry, Job, Phase, Round, Sealed, Team, TeamOrder, User
from contest.services import team_orders
from contest.services.attempts import count_attempts
from contest.services.team_orders import Asked, request_answer, request_entry
from contest.services.team_status import lock_team
from contest.work import team_orders as work
from contest.work.bounds import TookTooLong, bounded
from datasets.messages import english
from tests.factories import (
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    small_data,
    work_off,
)
from tests.game_rounds import TOYS, game_contest, make_game_round

pytestmark = pytest.mark.django_db(transaction=True)

DAY = datetime.timedelta(days=1)
SEED = 987_654_321_012_345


def phases() -> list[Any]:
    """Hiding and seeking are open."""
    now = timezone.now()
    return [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now - DAY, now + DAY),
        (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
    ]


def shop(**fields: Any) -> Round:
    fields.setdefault("phases", phases())
    return make_round(make_contest(make_user("oni"), slug="demo"), **fields)


def seated(round_: Round, name: str = "Tanuki") -> tuple[Team, User]:
    captain = make_user(name.lower())
    team = make_team(round_.contest, name, captain)
    work_off()
    return team, captain


def toy(**fields: Any) -> Round:
    contest, package = game_contest(TOYS["pair"])
    return make_game_round(contest, package, attacks=["by-age"], **fields)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", str(TOYS["pair"]))


def refusal(ask: Any, *given: Any) -> str:
    with pytest.raises(Refused) as refused:
        ask(*given)
    return refused.value.code


def files_of(order: TeamOrder) -> dict[str, bytes]:
    with vault.open_order(order) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_entry_is_made_handed_in_and_scored_like_an_upload() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap", {"share": 0.5}, SEED))
    assert (order.state, order.entry, order.job and order.job.owner_id) == ("waiting", None, team.pk)
    assert count_attempts(round_, team).used_today == 0
    work_off()
    order.refresh_from_db()
    entry = Entry.objects.get(team=team)
    assert (order.state, order.entry, entry.state) == ("made", entry, "valid")
    assert (entry.note, entry.method, entry.submitted_by) == ("swap (share=0.5, what=purchase)", "", tanuki)
    assert entry.is_official
    assert entry.attack_runs.filter(state="done").count() == 1
    assert count_attempts(round_, team).used_today == 1
    # Its truth is sealed like that of any upload, and the upload is what the method makes from this seed.
    assert Sealed.objects.filter(entry=entry).count() == 1
    uploaded = make_entry(round_, make_team(round_.contest), files_of(order))
    assert uploaded.upload_sha256 == entry.upload_sha256 == order.file_sha256


def test_the_files_are_those_of_the_method_with_that_seed() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("shuffle", {}, 1, is_handed_in=False))
    work_off()
    order.refresh_from_db()
    assert files_of(order) == entry_files("shuffle", 1, small_data())
    assert (order.entry, Entry.objects.count()) == (None, 0)
    assert count_attempts(round_, team).uploads_today == 0


def test_neither_jobs_nor_the_log_nor_the_entry_know_the_seed() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap", seed=SEED))
    work_off()
    for rows in (Job.objects.values(), AuditEvent.objects.values(), Entry.objects.values()):
        assert str(SEED) not in str(list(rows))
    again = request_entry(round_, team, tanuki, Asked("swap"))
    assert again.seed not in (SEED, order.pk, round_.seed)
    assert again.seed > 2**32  # Fails by bad luck once in two thousand million runs.


def test_a_team_has_one_order_at_a_time_also_when_it_clicks_twice() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap"))
    assert refusal(request_entry, round_, team, tanuki, Asked("swap")) == "order-under-way"
    with pytest.raises(IntegrityError), transaction.atomic():
        TeamOrder.objects.create(
            round=round_, team=team, requested_at=timezone.now(), what="entry", method="swap", seed=1,
            is_handed_in=True,
        )  # fmt: skip
    other, kappa = make_team(round_.contest, "Kappa", make_user("kappa")), User.objects.get(username="kappa")
    request_entry(round_, other, kappa, Asked("swap"))
    assert job_counts(round_.contest)["queued"] == 2
    work_off()
    order.refresh_from_db()
    assert order.state == "made"
    assert Entry.objects.filter(team=team).count() == 1
    request_entry(round_, team, tanuki, Asked("swap"))


def test_a_day_has_a_bound_of_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_orders, "MAX_ORDERS_A_DAY", 1)
    round_ = shop()
    team, tanuki = seated(round_)
    request_entry(round_, team, tanuki, Asked("shuffle", is_handed_in=False))
    work_off()
    assert refusal(request_entry, round_, team, tanuki, Asked("shuffle")) == "too-many-orders"
    TeamOrder.objects.update(requested_at=timezone.now() - DAY)
    request_entry(round_, team, tanuki, Asked("shuffle"))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (Asked("no-such"), "not-offered"),
        (Asked("swap", {"share": 2}), "bad-parameters"),
        (Asked("swap", {"part": 1}), "bad-parameters"),
        (Asked("swap", seed=-1), "bad-parameters"),
        (Asked("swap", seed=2**63), "bad-parameters"),
    ],
)
def test_what_cannot_be_made_is_refused_at_once(asked: Asked, code: str) -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    assert refusal(request_entry, round_, team, tanuki, asked) == code
    assert not TeamOrder.objects.exists()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CannotProtect("too few rows"), "The method cannot protect these data: too few rows"),
        (ParameterError("k must be smaller"), "k must be smaller"),
        (TookTooLong(), "It took longer than 600 seconds, so it was stopped."),
        (MemoryError(), "It needed more memory than such work may have, so it was stopped."),
    ],
)
def test_a_method_that_fails_costs_no_attempt_and_leaves_nothing(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(work, "run_anonymizer", fails)
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap"))
    assert work_off() == 1
    order.refresh_from_db()
    assert (order.state, english(order.reason), order.file_sha256) == ("failed", words, "")
    assert not Entry.objects.exists()
    assert count_attempts(round_, team).uploads_today == 0
    request_entry(round_, team, tanuki, Asked("swap"))


def test_our_own_fault_ends_the_order_with_a_neutral_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "run_anonymizer", lambda *_: 1 / 0)
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap"))
    assert work_off() == settings.JOB_MAX_ATTEMPTS
    order.refresh_from_db()
    assert (order.state, order.reason) == ("failed", OUR_ERROR().as_data())


def test_attempts_and_phases_are_those_of_uploads() -> None:
    round_ = shop(entries_per_day=1)
    team, tanuki = seated(round_)
    request_entry(round_, team, tanuki, Asked("swap"))
    work_off()
    assert refusal(request_entry, round_, team, tanuki, Asked("swap")) == "attempts-used-today"
    request_entry(round_, team, tanuki, Asked("swap", is_handed_in=False))
    work_off()
    round_.phases.filter(kind=Phase.Kind.ANONYMISE).update(closed_at=timezone.now())
    assert refusal(request_entry, round_, team, tanuki, Asked("swap")) == "phase-closed"


def test_what_is_made_after_the_end_of_the_phase_is_not_handed_in() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("swap"))
    round_.phases.filter(kind=Phase.Kind.ANONYMISE).update(closed_at=timezone.now())
    work_off()
    order.refresh_from_db()
    assert order.state == "failed"
    assert order.reason == "Entries are accepted only while the anonymise phase is open."
    assert not Entry.objects.exists()


def test_a_locked_team_asks_for_nothing() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    lock_team(team, User.objects.get(username="oni"), "for a test")
    with pytest.raises(Refused):
        request_entry(round_, team, tanuki, Asked("swap", is_handed_in=False))


def test_a_guess_is_made_and_judged_like_an_uploaded_file() -> None:
    round_ = shop(attacks_per_day=1)
    target = make_entry(round_, make_team(round_.contest, "Owls"), entry_files("shuffle", 2))
    team, tanuki = seated(round_)
    order = request_answer(round_, team, tanuki, Asked("re-itemset", targets=[target.pk]))
    work_off()
    order.refresh_from_db()
    attack = Attack.objects.get(team=team)
    assert (order.state, order.attack, attack.kind, attack.note) == ("made", attack, "guess", "re-itemset")
    run = attack.runs.get()
    assert (run.state, run.entry) == ("done", target)
    # A shuffle hides nobody from item sets, so that nearly all are found, as by the house itself.
    house = target.attack_runs.get(attack__kind="house")
    assert run.hits == house.hits
    assert list(files_of(order)) == [f"{target.pk}.csv"]
    assert refusal(request_answer, round_, team, tanuki, Asked("re-itemset")) == "attacks-used-today"
    request_answer(round_, team, tanuki, Asked("re-itemset", is_handed_in=False))
    work_off()
    assert Attack.objects.filter(team=team).count() == 1


def test_an_attack_is_one_of_the_round_on_targets_of_the_team() -> None:
    round_ = shop()
    team, tanuki = seated(round_)
    assert refusal(request_answer, round_, team, tanuki, Asked("re-itemset")) == "no-targets"
    own = make_entry(round_, team)
    other = make_entry(round_, make_team(round_.contest, "Owls"))
    work_off()
    asked = Asked("re-itemset", targets=[own.pk, other.pk])
    assert refusal(request_answer, round_, team, tanuki, asked) == "not-a-target"
    assert refusal(request_answer, round_, team, tanuki, Asked("re-totals")) == "not-offered"
    Attack.objects.filter(kind="house").update(is_active=False)
    assert refusal(request_answer, round_, team, tanuki, Asked("re-itemset")) == "not-offered"


def test_targets_that_may_not_be_read_yet_are_not_attacked() -> None:
    now = timezone.now()
    spans = [(Phase.Kind.ANONYMISE, now - DAY, now + DAY), (Phase.Kind.ATTACK, now + DAY, now + 2 * DAY)]
    round_ = shop(feedback="bands", phases=spans)
    make_entry(round_, make_team(round_.contest, "Owls"))
    team, tanuki = seated(round_)
    asked = Asked("re-itemset", is_handed_in=False)
    assert refusal(request_answer, round_, team, tanuki, asked) == "no-targets"
    Round.objects.filter(pk=round_.pk).update(frozen_at=timezone.now())
    round_.refresh_from_db()
    request_answer(round_, team, tanuki, asked)


def test_limits_per_target_and_all_targets_hold() -> None:
    round_ = shop(attacks_per_target=1, all_targets=True)
    owls = make_entry(round_, make_team(round_.contest, "Owls"))
    make_entry(round_, make_team(round_.contest, "Bats"), entry_files("swap", 3))
    team, tanuki = seated(round_)
    asked = Asked("re-itemset", targets=[owls.pk])
    assert refusal(request_answer, round_, team, tanuki, asked) == "targets-missing"
    request_answer(round_, team, tanuki, Asked("re-itemset"))
    work_off()
    assert Attack.objects.get(team=team).runs.filter(state="done").count() == 2
    assert refusal(request_answer, round_, team, tanuki, Asked("re-itemset")) == "target-used"


@pytest.mark.usefixtures("installed")
def test_a_round_of_a_game_from_the_own_seat() -> None:
    round_ = toy()
    team, tanuki = seated(round_)
    order = request_entry(round_, team, tanuki, Asked("flip", {"share": 0.2}))
    work_off()
    order.refresh_from_db()
    entry = Entry.objects.get(team=team)
    assert (order.state, order.entry, entry.state, entry.note) == ("made", entry, "valid", "flip (share=0.2)")
    assert "C.csv" in files_of(order)
    kappa = make_user("kappa")
    rival = make_team(round_.contest, "Kappa", kappa)
    work_off()
    order = request_answer(round_, rival, kappa, Asked("by-age"))
    work_off()
    order.refresh_from_db()
    assert order.attack is not None
    order.attack.refresh_from_db()
    assert (order.state, order.attack.state, order.attack.runs.count()) == ("made", "judged", 2)
    assert sorted(files_of(order)) == ["aia.csv", "mia.csv"]


@pytest.mark.usefixtures("installed")
def test_a_team_without_a_seat_in_the_game_waits_for_it() -> None:
    round_ = toy()
    kappa = make_user("kappa")
    team = make_team(round_.contest, "Kappa", kappa)
    assert refusal(request_entry, round_, team, kappa, Asked("flip", is_handed_in=False)) == "no-seat"
    assert refusal(request_entry, round_, team, kappa, Asked("flip", slot="other")) == "no-such-slot"


def test_bounds_stop_what_takes_too_long_or_too_much() -> None:
    with pytest.raises(TookTooLong), bounded(0.05, 1 << 30):
        while True:
            pass
    with pytest.raises(MemoryError), bounded(60, 64 << 20):
        bytearray(1 << 30)
    bytearray(256 << 20)
