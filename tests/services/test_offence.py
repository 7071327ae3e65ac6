"""What teams bring against each other: guesses, programs, and what they are told."""

from __future__ import annotations

import datetime
import io

import numpy as np
import pytest
from django.utils import timezone

from attacks.sandbox import examine
from contest import access
from contest.board.matrix import attackers, matrix
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import submitted
from contest.jobs import queue
from contest.models import Attack, AttackRun, AuditEvent, Entry, Job, Phase, Round, Team, User
from contest.models.round import Feedback
from contest.pages.attack import attack_summary
from contest.services import attacks, team_attacks
from tests.conftest import missing
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

FIRST_ROW = b"""
import sys
original, entry, out = sys.argv[1:]
rows = sum(1 for _ in open(entry + "/M.csv"))
print("guessing", rows, "rows")
open(out, "w").write("1\\n" * rows)
"""


@pytest.fixture
def round_() -> Round:
    now = timezone.now()
    day = datetime.timedelta(days=1)
    phases = [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
    return make_round(make_contest(make_user("oni")), phases=phases)


def member(team: Team) -> User:
    return team.memberships.select_related("user").get().user


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


@pytest.fixture
def kitsune(round_: Round) -> Team:
    return make_team(round_.contest, "Kitsune", make_user("kitsune"))


@pytest.fixture
def target(round_: Round, tanuki: Team) -> Entry:
    entry = make_entry(round_, tanuki, entry_files("shuffle", 2))
    work_off()
    entry.refresh_from_db()
    return entry


def guess_file(entry: Entry, right: int) -> io.BytesIO:
    """A guess with so many rows right and no word on the others."""
    truth = vault.truth_of(entry)
    lines = [str(row + 1) if place < right else "-" for place, row in enumerate(truth.tolist())]
    return io.BytesIO(("\n".join(lines) + "\n").encode())


def need_sandbox() -> None:
    found = examine("auto", accept_uncounted=True)
    if not found.ok:
        missing(f"sandbox absent: {found.how_to_mend}")


def test_a_guess_is_judged_and_raises_the_risk(round_: Round, kitsune: Team, target: Entry) -> None:
    n = target.n_people or 0
    attack = team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, n)})
    work_off()
    run = attack.runs.get()
    assert (run.state, run.hits) == (AttackRun.State.DONE, n)
    assert run.found_rows == list(range(n))
    target.refresh_from_db()
    assert target.hits == n
    board = attackers(matrix(round_), kitsune)
    assert next(row for row in board if row.is_mine).hits == n


def test_ones_own_entry_is_never_a_target(round_: Round, tanuki: Team, target: Entry) -> None:
    assert attacks.targets_of(round_, tanuki) == []
    with pytest.raises(Refused) as caught:
        team_attacks.submit_guesses(round_, tanuki, member(tanuki), {target.pk: guess_file(target, 1)})
    assert caught.value.code == "not-a-target"
    assert not Attack.objects.exclude(kind="house").exists()


@pytest.mark.parametrize("content", [b"1\n2\n", b"\xff\xfe\n", b"1;2\n" * 12, b"0\n" * 12, b"x\n" * 12])
def test_a_bad_guess_is_refused_with_a_reason_and_harms_no_other(
    content: bytes, round_: Round, kitsune: Team, target: Entry
) -> None:
    other = make_entry(round_, make_team(round_.contest, "Neko"), entry_files("shuffle", 3))
    work_off()
    other.refresh_from_db()
    guesses = {target.pk: io.BytesIO(content), other.pk: guess_file(other, 2)}
    attack = team_attacks.submit_guesses(round_, kitsune, member(kitsune), guesses)
    work_off()
    bad, good = attack.runs.get(entry=target), attack.runs.get(entry=other)
    assert bad.state == AttackRun.State.REFUSED
    assert bad.reason["code"] == "unreadable-guess"
    assert (good.state, good.hits) == (AttackRun.State.DONE, 2)


def test_the_attempts_of_a_day_hold(round_: Round, kitsune: Team, target: Entry) -> None:
    Round.objects.filter(pk=round_.pk).update(attacks_per_day=2)
    round_.refresh_from_db()
    for _ in range(2):
        team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, 1)})
    with pytest.raises(Refused) as caught:
        team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, 1)})
    assert caught.value.code == "attacks-used-today"
    assert Attack.objects.filter(team=kitsune).count() == 2


def test_outside_the_phase_nothing_is_accepted(round_: Round, kitsune: Team, target: Entry) -> None:
    Phase.objects.filter(round=round_, kind=Phase.Kind.ATTACK).delete()
    with pytest.raises(Refused) as caught:
        team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, 1)})
    assert caught.value.code == "phase-closed"


@pytest.mark.parametrize(
    ("feedback", "hits", "band"), [("full", 5, None), ("bands", None, "25–50 %"), ("none", None, None)]
)
def test_an_attacker_is_told_what_the_policy_allows(
    feedback: str, hits: int | None, band: str | None, round_: Round, kitsune: Team, target: Entry
) -> None:
    attack = team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, 5)})
    work_off()
    Round.objects.filter(pk=round_.pk).update(feedback=feedback)
    attack = access.attack_for(member(kitsune), round_.contest.slug, round_.slug, attack.pk)
    row = attack_summary(member(kitsune), attack)["rows"][0]
    assert (row.hits, row.band) == (hits, band)
    organiser = User.objects.get(name_key="oni")
    assert attack_summary(organiser, attack)["feedback"] == Feedback.FULL


def test_a_program_runs_against_every_target_and_those_that_come_later(
    round_: Round, kitsune: Team, target: Entry
) -> None:
    need_sandbox()
    program = submitted.put(io.BytesIO(FIRST_ROW))
    attack = team_attacks.submit_program(round_, kitsune, member(kitsune), program)
    work_off()
    run = attack.runs.get()
    assert (run.state, run.hits) == (AttackRun.State.DONE, 1)
    assert "guessing 12 rows" in run.log
    later = make_entry(round_, make_team(round_.contest, "Neko"), entry_files("shuffle", 3))
    own = make_entry(round_, kitsune, entry_files("shuffle", 4))
    work_off()
    assert attack.runs.get(entry=later).hits == 1
    assert not attack.runs.filter(entry=own).exists()


def test_the_same_program_on_the_same_files_is_not_run_again(
    round_: Round, kitsune: Team, target: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_sandbox()
    program = submitted.put(io.BytesIO(FIRST_ROW))
    team_attacks.submit_program(round_, kitsune, member(kitsune), program)
    work_off()
    import contest.work.attacks

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr(contest.work.attacks, "run_in_sandbox", forbidden)
    again = team_attacks.submit_program(round_, kitsune, member(kitsune), program)
    work_off()
    assert again.runs.get().hits == 1


def test_a_program_that_fails_is_refused_with_its_log(round_: Round, kitsune: Team, target: Entry) -> None:
    need_sandbox()
    program = submitted.put(io.BytesIO(b"print('before'); raise SystemExit(3)"))
    attack = team_attacks.submit_program(round_, kitsune, member(kitsune), program)
    work_off()
    run = attack.runs.get()
    assert run.state == AttackRun.State.REFUSED
    assert "before" in run.log
    assert run.reason


def test_without_a_sandbox_programs_do_not_run_and_can_be_run_later(
    round_: Round, kitsune: Team, target: Entry, settings: object
) -> None:
    settings.SANDBOX = "none"  # type: ignore[attr-defined]
    attack = team_attacks.submit_program(
        round_, kitsune, member(kitsune), submitted.put(io.BytesIO(FIRST_ROW))
    )
    work_off()
    run = attack.runs.get()
    assert run.state == AttackRun.State.FAILED
    assert "KAKURENBO_ACCEPT_UNSAFE_EXECUTION" in run.reason
    need_sandbox()
    settings.SANDBOX = "auto"  # type: ignore[attr-defined]
    assert attacks.rerun([run], User.objects.get(name_key="oni"), "the sandbox is back") == 1
    work_off()
    assert attack.runs.get().hits == 1
    assert AuditEvent.objects.filter(verb="attack_run.rerun").count() == 1


def test_a_dry_run_is_free_and_counts_for_nothing(round_: Round, kitsune: Team, target: Entry) -> None:
    need_sandbox()
    from contest.services.house import request_house_entry

    request_house_entry(round_, None, "identity")
    work_off()
    attack = team_attacks.try_program(round_, kitsune, member(kitsune), submitted.put(io.BytesIO(FIRST_ROW)))
    with pytest.raises(Refused) as caught:
        team_attacks.try_program(round_, kitsune, member(kitsune), submitted.put(io.BytesIO(FIRST_ROW)))
    assert caught.value.code == "dry-run-under-way"
    work_off()
    assert attack.runs.get().hits == 1
    assert attack.runs.get().entry.method == "identity"
    assert all(row.attack != attack for row in matrix(round_).rows)
    attacks.require_attempts_left(round_, kitsune, timezone.now())


def test_stopping_an_attack_withdraws_what_waits_and_resuming_fills_it(
    round_: Round, kitsune: Team, target: Entry
) -> None:
    organiser = User.objects.get(name_key="oni")
    attack = Attack.objects.get(kind="house")
    attacks.rerun(list(attack.runs.all()), organiser, "again")
    attacks.set_attack_active(attack, organiser, False)
    assert not Job.objects.filter(state=Job.State.QUEUED).exists()
    attack.refresh_from_db()
    attacks.set_attack_active(attack, organiser, True)
    work_off()
    assert attack.runs.get(entry=target).state == AttackRun.State.DONE


def test_a_team_with_many_jobs_delays_another_by_one(round_: Round, tanuki: Team, kitsune: Team) -> None:
    for _ in range(5):
        make_entry(round_, tanuki)
    first = queue.claim_next(Job.Kind.CHECK)
    assert first is not None
    make_entry(round_, kitsune)
    second = queue.claim_next(Job.Kind.CHECK)
    assert second is not None
    assert second.job.owner == kitsune
    third = queue.claim_next(Job.Kind.CHECK)
    assert third is not None
    assert third.job.owner == tanuki


def test_the_matrix_shows_every_attack_on_every_entry(round_: Round, kitsune: Team, target: Entry) -> None:
    team_attacks.submit_guesses(round_, kitsune, member(kitsune), {target.pk: guess_file(target, 6)})
    make_entry(round_, kitsune, entry_files("swap", 9))
    work_off()
    table = matrix(round_)
    assert [entry.team.name for entry in table.entries] == ["Kitsune", "Tanuki"]
    house = next(row for row in table.rows if row.attack.kind == "house")
    guess = next(row for row in table.rows if row.attack.kind == "guess")
    assert all(cell is not None for cell in house.cells)
    assert guess.cells[0] is None
    assert guess.cells[1] is not None
    assert guess.cells[1].percent == 50
    assert np.isclose(guess.mean_percent or 0.0, 50.0)
