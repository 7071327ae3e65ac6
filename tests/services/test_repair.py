"""Repairs: void, disqualify, an attempt back, other limits; each with a reason, nothing deleted."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from django.utils import timezone

from contest.board import queries
from contest.errors import Refused
from contest.models import AuditEvent, Commitment, Entry, Job, Rescore, Round, Score, Team, User
from contest.services import entry_marks
from contest.services.attempts import count_attempts
from contest.services.commitments import verify_commitment
from contest.services.limit_changes import apply_rescore, discard_rescore, preview_rescore
from contest.services.phase_clock import run_clock
from contest.work.handlers import work_on
from scoring.measure import Measurement
from scoring.rules import Limit, evaluate
from tests.factories import (
    LIMITS,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni")), which_counts="latest")


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki")


@pytest.fixture
def entries(round_: Round, tanuki: Team) -> list[Entry]:
    """Two of Tanuki, whose second is official, and one of Kitsune that changed more."""
    make_entry(round_, tanuki, entry_files("shuffle", 1))
    make_entry(round_, tanuki, entry_files("shuffle", 2))
    make_entry(round_, make_team(round_.contest, "Kitsune"), entry_files("swap", 9))
    work_off()
    found = list(Entry.objects.order_by("pk"))
    assert [entry.state for entry in found] == ["valid"] * 3
    return found


def oni() -> User:
    return User.objects.get(name_key="oni")


def official(team: Team) -> list[int]:
    return list(Entry.objects.filter(team=team, is_official=True).values_list("number", flat=True))


@pytest.mark.parametrize("act", [entry_marks.void_entry, entry_marks.disqualify_entry])
def test_a_marked_entry_is_kept_and_the_one_before_it_counts(
    act: object, tanuki: Team, entries: list[Entry]
) -> None:
    act(entries[1], oni(), "made from another data set")  # type: ignore[operator]
    assert official(tanuki) == [1]
    marked = Entry.objects.get(pk=entries[1].pk)
    assert marked.mark in {"void", "disqualified"}
    assert marked.mark_reason == "made from another data set"
    assert Score.objects.filter(entry=marked).exists()
    entry_marks.unvoid_entry(marked, oni(), "it was right after all")
    assert official(tanuki) == [2]
    events = AuditEvent.objects.filter(verb__in=["entry.marked", "entry.unmarked"]).order_by("pk")
    assert [(event.before["mark"] == "", event.after["mark"] == "") for event in events] == [
        (True, False), (False, True)
    ]  # fmt: skip


def test_two_organisers_marking_at_once_do_not_overwrite_each_other(entries: list[Entry]) -> None:
    seen_by_first, seen_by_second = (Entry.objects.get(pk=entries[0].pk) for _ in range(2))
    entry_marks.void_entry(seen_by_first, oni(), "our fault")
    with pytest.raises(Refused) as caught:
        entry_marks.disqualify_entry(seen_by_second, oni(), "their fault")
    assert caught.value.code == "changed-meanwhile"
    assert Entry.objects.get(pk=entries[0].pk).mark == "void"


def test_nothing_is_repaired_without_a_reason(entries: list[Entry]) -> None:
    for act in (
        entry_marks.void_entry,
        entry_marks.unvoid_entry,
        entry_marks.disqualify_entry,
        entry_marks.give_attempt_back,
    ):
        with pytest.raises(Refused) as caught:
            act(entries[0], oni(), " ")
        assert caught.value.code == "no-reason"


def test_an_attempt_is_given_back_once(round_: Round, tanuki: Team, entries: list[Entry]) -> None:
    before = count_attempts(round_, tanuki).used_in_total
    for _ in range(2):
        entry_marks.give_attempt_back(entries[0], oni(), "the worker was down")
    assert count_attempts(round_, tanuki).used_in_total == before - 1
    assert AuditEvent.objects.filter(verb="entry.attempt_given_back").count() == 1


def test_voiding_after_the_tally_withdraws_the_board_openly(round_: Round, entries: list[Entry]) -> None:
    later = timezone.now() + 40 * HOUR
    run_clock(later)
    assert Commitment.objects.get(what="board").revealed_at == later
    entry_marks.void_entry(entries[2], oni(), "found out later")
    run_clock(later)
    old, new = Commitment.objects.filter(what="board").order_by("version")
    assert old.withdrawn_at is not None
    assert verify_commitment(new).ok
    assert "Kitsune" in old.payload
    assert "Kitsune" not in new.payload


def tighter(entries: list[Entry]) -> list[Limit]:
    """A limit on ut-jaccard that the shuffled entries keep and the swapped one breaks."""
    swapped = entries[2].measures["ut-jaccard"]
    assert entries[0].measures["ut-jaccard"] < swapped
    return [Limit("ut-jaccard", "<=", swapped / 2), *LIMITS[1:]]


def test_a_preview_says_what_would_change_and_changes_nothing(round_: Round, entries: list[Entry]) -> None:
    before = list(Entry.objects.order_by("pk").values())
    limits = tighter(entries)
    rescore = preview_rescore(round_, oni(), limits, "too lenient")
    assert list(Entry.objects.order_by("pk").values()) == before
    rows = {row["entry"]: row for row in rescore.preview}
    kitsune = rows[entries[2].pk]
    assert (kitsune["before"]["state"], kitsune["after"]["state"]) == ("valid", "invalid")
    assert kitsune["after"]["rank"] is None
    assert kitsune["because"][0]["values"]["measure"] == "ut-jaccard"
    discard_rescore(rescore, oni())
    assert list(Entry.objects.order_by("pk").values()) == before
    with pytest.raises(Refused) as caught:
        apply_rescore(rescore, oni())
    assert caught.value.code == "already-decided"


def test_applied_the_board_is_what_the_preview_said(round_: Round, entries: list[Entry]) -> None:
    limits = tighter(entries)
    scores = list(Score.objects.order_by("pk").values())
    rescore = preview_rescore(round_, oni(), limits, "too lenient")
    assert apply_rescore(rescore, oni()) == len(rescore.preview)
    assert list(Score.objects.order_by("pk").values()) == scores
    fresh = Round.objects.get()
    ranks = {entry.pk: place.rank for place, entry in queries.places(fresh, show_attacks=True)}
    for row in rescore.preview:
        entry = Entry.objects.get(pk=row["entry"])
        measured = {name: Measurement(value) for name, value in entry.measures.items()}
        assert entry.utility == row["after"]["utility"] == evaluate(measured, limits).score
        assert entry.state == row["after"]["state"]
        assert ranks.get(entry.pk) == row["after"]["rank"]
    # And back again: the invalid entry becomes valid and official once more.
    back = preview_rescore(fresh, oni(), LIMITS, "it was right before")
    apply_rescore(back, oni())
    assert Entry.objects.get(pk=entries[2].pk).is_official


def test_a_change_under_the_preview_is_noticed(round_: Round, tanuki: Team, entries: list[Entry]) -> None:
    rescore = preview_rescore(round_, oni(), tighter(entries), "too lenient")
    make_entry(round_, tanuki, entry_files("swap", 4))
    work_off()
    with pytest.raises(Refused) as caught:
        apply_rescore(rescore, oni())
    assert caught.value.code == "changed-meanwhile"
    assert Rescore.objects.get().state == "ready"
    with pytest.raises(Refused) as caught:
        preview_rescore(round_, oni(), LIMITS, "another")
    assert caught.value.code == "rescore-open"


def test_a_measure_that_was_not_taken_yet_is_taken_first(round_: Round, entries: list[Entry]) -> None:
    limits = [*LIMITS, Limit("ut-rows", "<=", 0.5)]
    scores = list(Score.objects.order_by("pk").values())
    rescore = preview_rescore(round_, oni(), limits, "rows should stay")
    assert rescore.state == "measuring"
    with pytest.raises(Refused) as caught:
        apply_rescore(rescore, oni())
    assert caught.value.code == "still-measuring"
    work_off()
    rescore.refresh_from_db()
    assert rescore.state == "ready"
    assert list(Score.objects.exclude(measure="ut-rows").order_by("pk").values()) == scores
    apply_rescore(rescore, oni())
    for entry in Entry.objects.all():
        taken = Score.objects.get(entry=entry, measure="ut-rows").value
        assert entry.measures["ut-rows"] == taken
        measured = {name: Measurement(value) for name, value in entry.measures.items()}
        assert entry.utility == evaluate(measured, limits).score


def test_a_new_version_of_a_scorer_measures_again_and_keeps_the_old_score(
    round_: Round, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    from games.shop.measures import registry

    old = registry.measure("rfm")
    new = dataclasses.replace(old, version=old.version + 1)
    measures = tuple(new if each is old else each for each in registry.MEASURES)
    monkeypatch.setattr(registry, "MEASURES", measures)
    rescore = preview_rescore(round_, oni(), LIMITS, "the scorer was mended")
    assert Job.objects.filter(kind="measure").count() == len(entries)
    work_off()
    rescore.refresh_from_db()
    # The mended scorer says the same of these entries, so nothing would change.
    assert (rescore.state, rescore.preview) == ("ready", [])
    for entry in entries:
        versions = Score.objects.filter(entry=entry, measure="rfm").values_list("version", flat=True)
        assert sorted(versions) == [old.version, new.version]


def test_an_entry_that_was_being_measured_gets_the_new_limits(
    round_: Round, tanuki: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits change between the measuring and the writing of a score: it is measured again."""
    import contest.work.entries

    entry = make_entry(round_, tanuki)
    work_on(Job.Kind.CHECK)
    measure = contest.work.entries.measure_pair  # type: ignore[attr-defined]
    strict = [Limit("ut-jaccard", "<=", 0.5), *LIMITS[1:]]

    def slow(*args: object, **kwargs: object) -> object:
        monkeypatch.setattr(contest.work.entries, "measure_pair", measure)
        apply_rescore(preview_rescore(round_, oni(), strict, "in the meantime"), oni())
        return measure(*args, **kwargs)

    monkeypatch.setattr(contest.work.entries, "measure_pair", slow)
    work_off()
    entry.refresh_from_db()
    assert entry.is_final
    measured = {name: Measurement(value) for name, value in entry.measures.items()}
    assert entry.utility == evaluate(measured, strict).score
    assert Job.objects.get(kind="score").attempts == 2
