"""Rows that carry any game: slots, sealed files, commitments of both shapes."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.db import IntegrityError, transaction

from contest.files import vault
from contest.models import Commitment, Entry, Job, Round, Sealed, Team
from contest.services.commitments import canonical_json, verify_commitment
from contest.services.committed_facts import facts_of
from contest.services.entries import lacking_truth, pin_entry, refresh_official
from contest.work.handlers import work_on
from tests.archives import play
from tests.factories import entry_files, make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return make_round(which_counts="latest")


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest)


def counting(round_: Round) -> list[tuple[str, int]]:
    official = Entry.objects.filter(round=round_, is_official=True)
    return list(official.order_by("slot").values_list("slot", "number"))


def test_one_entry_per_slot_counts(round_: Round, team: Team) -> None:
    for seed in (1, 2, 3, 4):
        make_entry(round_, team, entry_files(seed=seed))
    work_off()
    assert counting(round_) == [("", 4)]
    Entry.objects.update(is_official=False)
    for number, slot in enumerate(("near", "near", "far", "far"), start=1):
        Entry.objects.filter(number=number).update(slot=slot)
    assert refresh_official(round_, team)
    assert counting(round_) == [("far", 4), ("near", 2)]
    member = team.memberships.get().user
    for number in (3, 1):
        pin_entry(Entry.objects.get(number=number), member)
    assert counting(round_) == [("far", 3), ("near", 1)]
    assert not refresh_official(round_, team)


def test_the_database_knows_no_second_official_entry_in_a_slot(round_: Round, team: Team) -> None:
    for seed in (1, 2):
        make_entry(round_, team, entry_files(seed=seed))
    work_off()
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.update(is_official=True)
    Entry.objects.filter(number=1).update(slot="other")
    Entry.objects.update(is_official=True)


def test_a_truth_is_sealed_when_the_files_are_accepted(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team)
    assert not Sealed.objects.exists()
    work_on(Job.Kind.CHECK)
    sealed = Sealed.objects.get()
    assert (sealed.round, sealed.entry, sealed.scope, sealed.name) == (round_, entry, "entry", "truth.txt")
    assert sealed.sha256 == vault.truth_name(entry)
    # One line per customer, numbered from 1.
    assert sealed.bytes == sum(len(f"{row + 1}\n") for row in vault.truth_of(entry))


def test_an_entry_without_a_truth_does_not_become_valid(
    round_: Round, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = make_entry(round_, team)
    work_on(Job.Kind.CHECK)
    truth = vault.truth_of(entry)
    monkeypatch.setattr(vault, "truth_of", lambda entry: truth)
    Sealed.objects.all().delete()
    assert list(lacking_truth(Entry.objects.all())) == [entry]
    work_on(Job.Kind.SCORE)
    entry.refresh_from_db()
    job = Job.objects.get(kind=Job.Kind.SCORE)
    assert entry.state == Entry.State.SCORING
    assert "has no truth" in job.error


def with_shape_1(commitment: Commitment) -> Commitment:
    """The commitment as version 0.1 wrote it."""
    facts = facts_of(commitment.round, Commitment.What(commitment.what), 1)
    text = canonical_json({**json.loads(commitment.payload), "facts": facts})
    commitment.shape, commitment.payload = 1, text
    commitment.sha256 = hashlib.sha256(text.encode()).hexdigest()
    return commitment


def test_commitments_of_version_0_1_are_verified_for_ever() -> None:
    contest = play()
    entry = Entry.objects.filter(frozen_at__isnull=False).earliest("pk")
    entries, board = (with_shape_1(Commitment.objects.get(what=what)) for what in ("entries", "board"))
    assert json.loads(entries.payload)["facts"][0] == {
        "team": entry.team.name,
        "entry": entry.number,
        "master": entry.published["M.csv"],
        "transactions": entry.published["T.csv"],
        "truth": vault.truth_name(entry),
    }
    place = json.loads(board.payload)["facts"][0]
    assert set(place) == {"rank", "team", "entry", "total", "utility", "hits"}
    assert verify_commitment(entries).ok and verify_commitment(board).ok
    Sealed.objects.filter(entry=entry).update(sha256="0" * 64)
    Entry.objects.filter(round__contest=contest).update(numbers={"hits": 99})
    assert len(verify_commitment(entries).differences) == 2
    assert not verify_commitment(board).ok


def test_new_commitments_name_files_and_numbers_as_the_game_does() -> None:
    play()
    assert set(Commitment.objects.values_list("shape", flat=True)) == {2}
    facts = {it.what: json.loads(it.payload)["facts"] for it in Commitment.objects.exclude(what="house")}
    assert {tuple(row["published"]) for row in facts["entries"]} == {("M.csv", "T.csv")}
    assert {tuple(row["sealed"]) for row in facts["entries"]} == {("truth.txt",)}
    assert all({"hits", "guesses"} <= set(row["numbers"]) and "risk" in row for row in facts["board"])
