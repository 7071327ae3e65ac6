"""Rounds and phases are added and removed: by the rules of bundles, in the log, one organiser at a time."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils import timezone

from contest import access
from contest.bundle.check import check_bundle
from contest.bundle.specification import PhaseSpec
from contest.bundle.writing import bundle_text
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Phase, Round, User
from contest.models.round import Feedback
from contest.outside.event_feed import Event, feed
from contest.pages.public_log import changes, public_events
from contest.records.audit import extend_all_chains
from contest.services.bundles import export_bundle
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.phases import add_phase, extend_phase, remove_phase
from contest.services.rounds import NewRound, add_round, of_new_round, of_removal, remove_round, sources
from contest.services.settings import change_round
from tests.factories import make_contest, make_entry, make_round, make_team, make_user, work_off
from tests.services.test_two_organisers import at_once, require_whole_log

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)
NOBODY = AnonymousUser()


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def contest(oni: User) -> Contest:
    """A contest whose only round has begun."""
    contest = make_contest(oni, slug="demo", time_zone="Asia/Tokyo")
    start = timezone.now().replace(microsecond=0) - HOUR
    hours = {Phase.Kind.ANONYMISE: (0, 2), Phase.Kind.ATTACK: (3, 5), Phase.Kind.RESULTS: (5, 9)}
    phases = [(kind, start + first * HOUR, start + last * HOUR) for kind, (first, last) in hours.items()]
    make_round(contest, phases=phases, feedback=Feedback.NONE, slug="first", weight=0.25, seed=7)
    return contest


def in_hours(number: float) -> datetime.datetime:
    return timezone.now().replace(microsecond=0) + number * HOUR


def new(like: str = "round/first", slug: str = "second", hours: float = 24) -> NewRound:
    return NewRound(like, "Second", slug, in_hours(hours))


def add(contest: Contest, oni: User, **options: Any) -> Round:
    contest.refresh_from_db()
    made = add_round(contest, oni, contest.settings_version, new(**options), "more to play")
    return Round.objects.select_related("contest", "dataset").get(pk=made.pk)


def events(contest: Contest) -> list[Event]:
    """What programs that follow the contest are told."""
    extend_all_chains()
    return feed(contest, 0).events


def refusal(act: Callable[..., object], *args: object) -> str:
    with pytest.raises(Refused) as caught:
        act(*args)
    return caught.value.code


def test_a_round_like_another_has_all_of_it_but_its_entries_seed_and_times(
    contest: Contest, oni: User
) -> None:
    first = contest.rounds.get()
    request_house_entry(first, oni, "swap", {}, 1)
    second = add(contest, oni)
    assert (second.slug, second.name, second.is_hidden, second.position) == ("second", "Second", True, 1)
    before, after = export_bundle(contest).bundle.rounds
    assert before.baselines
    assert after.baselines == ()
    assert second.seed != first.seed
    lengths = [[phase.ends_at - spec.starts_at for phase in spec.phases] for spec in (before, after)]
    assert lengths[0] == lengths[1]
    assert timezone.now() < after.starts_at
    same: dict[str, Any] = {
        "slug": "",
        "name": "",
        "seed": None,
        "baselines": (),
        "phases": (),
        "settings": before.settings,
    }
    assert dataclasses.replace(after, **same) == dataclasses.replace(before, **same)
    event = AuditEvent.objects.filter(verb="round.created").latest("pk")
    assert (event.actor, event.reason, event.after) == (oni, "more to play", {"name": "Second"})


def test_a_round_of_a_preset_is_played_on_data_of_the_contest(contest: Contest, oni: User) -> None:
    keys = [source.key for source in sources(contest)]
    # Nothing here is in the formats of 2017 and 2018.
    assert keys == ["round/first", "preset/pwscup2016/practice", "preset/pwscup2016/final"]
    second = add(contest, oni, like="preset/pwscup2016/final")
    assert second.dataset == contest.rounds.get(slug="first").dataset
    assert second.attacks.count() == 7
    assert len(second.limits) == 4
    assert second.entries.count() == 0


def test_with_more_rounds_and_phases_the_bundle_still_comes_back_the_same(
    contest: Contest, oni: User
) -> None:
    second = add(contest, oni)
    results = second.phases.get(kind=Phase.Kind.RESULTS)
    remove_phase(results, oni, "told elsewhere")
    second.refresh_from_db()
    span = PhaseSpec("registration", in_hours(1), in_hours(2))
    add_phase(second, oni, second.settings_version, span, "sign up first")
    exported = export_bundle(contest).bundle
    assert [phase.kind for phase in exported.rounds[1].phases] == ["registration", "anonymise", "attack"]
    checked = check_bundle(bundle_text(exported))
    assert checked.problems == ()
    assert checked.bundle == exported


def test_a_new_round_exists_for_nobody_else_until_it_begins(contest: Contest, oni: User) -> None:
    second = add(contest, oni)
    member = make_user("tanuki")
    make_team(contest, "Tanuki", member)
    viewers: list[access.Viewer] = [NOBODY, member]
    for user in viewers:
        assert [round_.slug for round_ in access.rounds_for(user, contest)] == ["first"]
    assert second in access.rounds_for(oni, contest)
    for user in viewers:
        with pytest.raises(Http404):
            access.round_for(user, "demo", "second")
    assert access.round_for(oni, "demo", "second") == second
    assert access.public_board_version("demo", "second") is None
    anonymise = second.phases.get(kind=Phase.Kind.ANONYMISE)
    extend_phase(anonymise, oni, anonymise.ends_at + HOUR / 2, "a little longer")
    told = " ".join(change.text for change in changes(contest, list(public_events(contest))))
    assert "Second" not in told
    assert [event.round for event in events(contest)] == []
    Phase.objects.filter(pk=anonymise.pk).update(starts_at=timezone.now())
    assert access.round_for(NOBODY, "demo", "second") == second
    assert second in access.rounds_for(member, contest)
    assert access.public_board_version("demo", "second") is not None
    told = " ".join(change.text for change in changes(contest, list(public_events(contest))))
    assert "The round Second was added." in told
    assert [event.round for event in events(contest)] == ["second"]


def test_house_entries_of_a_hidden_full_feedback_round_are_hidden_too(contest: Contest, oni: User) -> None:
    second = add(contest, oni, like="preset/pwscup2016/practice")
    request_house_entry(second, oni, "identity", {}, 1)
    work_off()
    assert second.entries.get().is_official
    assert not access.results_are_public(second)
    assert [event.round for event in events(contest)] == []


def test_what_a_new_round_brings_is_told_before(contest: Contest, oni: User) -> None:
    found = {item.code: item for item in of_new_round(contest, new())}
    assert {"phase-anonymise", "phase-attack", "phase-results", "data", "weight", "round-hidden"} <= set(
        found
    )
    assert "JST" in found["phase-anonymise"].text
    assert found["weight"].text.endswith("0.25.")
    assert contest.rounds.count() == 1


def test_a_round_that_makes_no_sense_is_refused(contest: Contest, oni: User) -> None:
    version = contest.settings_version
    assert refusal(add_round, contest, oni, version, new(), " ") == "no-reason"
    assert refusal(add_round, contest, oni, version, new("round/nothing"), "why not") == "no-source"
    assert refusal(add_round, contest, oni, version, new(hours=-1), "why not") == "round-in-the-past"
    assert refusal(add_round, contest, oni, version, new(slug="first"), "why not") == "slug-taken"
    assert refusal(add_round, contest, oni, version + 1, new(), "why not") == "changed-meanwhile"
    assert Contest.objects.get().settings_version == version
    assert contest.rounds.count() == 1


def test_only_a_round_that_nobody_has_played_is_removed(contest: Contest, oni: User) -> None:
    first = contest.rounds.select_related("contest").get()
    assert refusal(remove_round, first, oni, first.settings_version, "enough") == "round-begun"
    second = add(contest, oni)
    assert refusal(remove_round, second, oni, second.settings_version, "") == "no-reason"
    assert refusal(remove_round, second, oni, 99, "enough") == "changed-meanwhile"
    request_house_entry(second, oni, "swap", {}, 1)
    assert refusal(remove_round, second, oni, second.settings_version, "enough") == "work-waits"
    work_off()
    assert refusal(remove_round, second, oni, second.settings_version, "enough") == "entries-exist"
    third = add(contest, oni, slug="third")
    found = {item.code: item.count for item in of_removal(third)}
    assert found == {"phases": 3, "attacks": 1, "never-seen": 0}
    remove_round(third, oni, third.settings_version, "one is enough")
    assert [round_.slug for round_ in contest.rounds.all()] == ["first", "second"]
    event = AuditEvent.objects.get(verb="round.removed")
    assert (event.reason, event.before["slug"]) == ("one is enough", "third")
    require_whole_log(contest)
    told = " ".join(change.text for change in changes(contest, list(public_events(contest))))
    assert "removed" not in told


def test_that_a_round_is_gone_is_told_to_those_who_could_see_it(contest: Contest, oni: User) -> None:
    second = add(contest, oni)
    change_round(second, oni, second.settings_version, {"is_hidden": False}, "look what comes")
    remove_round(second, oni, second.settings_version, "the hall is taken")
    told = {change.text: change.reason for change in changes(contest, list(public_events(contest)))}
    assert told["The round Second was removed."] == "the hall is taken"


def test_the_last_round_stays(oni: User) -> None:
    only = make_round(make_contest(oni), phases=[(Phase.Kind.ANONYMISE, in_hours(1), in_hours(2))])
    assert refusal(remove_round, only, oni, only.settings_version, "enough") == "last-round"


def test_a_round_that_comes_back_is_not_taken_for_the_old_one(contest: Contest, oni: User) -> None:
    old = add(contest, oni)
    Round.objects.filter(pk=old.pk).update(board_version=5, is_hidden=False)
    remove_round(old, oni, old.settings_version, "another")
    assert add(contest, oni).board_version > 5


def test_a_phase_is_added_where_there_is_room_for_it(contest: Contest, oni: User) -> None:
    round_ = contest.rounds.select_related("contest").get()
    attack = round_.phases.get(kind=Phase.Kind.ATTACK)
    anonymise = round_.phases.get(kind=Phase.Kind.ANONYMISE)
    version = round_.settings_version
    fits = PhaseSpec("handover", anonymise.ends_at, attack.starts_at)
    for span, code in (
        (PhaseSpec("handover", fits.starts_at, fits.starts_at), "phase-has-no-length"),
        (PhaseSpec("handover", fits.starts_at, fits.ends_at + HOUR), "phases-overlap"),
        (PhaseSpec("handover", fits.starts_at - HOUR, fits.ends_at), "phases-overlap"),
        (PhaseSpec("attack", fits.starts_at, fits.ends_at), "phase-twice"),
        (PhaseSpec("registration", in_hours(-3), in_hours(-2)), "phase-in-the-past"),
    ):
        assert refusal(add_phase, round_, oni, version, span, "why not") == code
    assert refusal(add_phase, round_, oni, version, fits, "") == "no-reason"
    made = add_phase(round_, oni, version, fits, "time to copy")
    assert (made.kind, made.starts_at, made.ends_at) == ("handover", fits.starts_at, fits.ends_at)
    event = AuditEvent.objects.get(verb="phase.added")
    assert (event.reason, event.after["kind"], event.subject_id) == ("time to copy", "handover", round_.pk)
    again = PhaseSpec("registration", in_hours(20), in_hours(21))
    assert refusal(add_phase, round_, oni, version, again, "stale") == "changed-meanwhile"
    told = changes(contest, list(public_events(contest)))
    assert "the phase “Hand-over” was added." in told[0].text
    assert events(contest)[-1].facts == {"phase": "handover", "ends_at": fits.ends_at.isoformat()}


def test_nothing_but_results_follows_what_is_counted(contest: Contest, oni: User) -> None:
    round_ = contest.rounds.select_related("contest").get()
    Phase.objects.filter(round=round_).exclude(kind=Phase.Kind.ANONYMISE).delete()
    run_clock(in_hours(2))
    round_.refresh_from_db()
    assert round_.tallied_at is not None
    late = partial(add_phase, round_, oni, round_.settings_version)
    assert refusal(late, PhaseSpec("attack", in_hours(3), in_hours(4)), "too late") == "counted"
    late(PhaseSpec("results", in_hours(3), in_hours(4)), "let them see")


def test_a_phase_is_removed_before_it_begins(contest: Contest, oni: User) -> None:
    round_ = contest.rounds.get()
    phases = {phase.kind: phase for phase in round_.phases.select_related("round__contest")}
    assert refusal(remove_phase, phases["anonymise"], oni, "enough") == "phase-open"
    assert refusal(remove_phase, phases["attack"], oni, "") == "no-reason"
    Phase.objects.filter(pk=phases["attack"].pk).update(ends_at=phases["attack"].ends_at - HOUR)
    assert refusal(remove_phase, phases["attack"], oni, "enough") == "changed-meanwhile"
    fresh = round_.phases.select_related("round__contest").get(kind="attack")
    remove_phase(fresh, oni, "nobody attacks")
    assert not round_.phases.filter(kind="attack").exists()
    event = AuditEvent.objects.get(verb="phase.removed")
    assert (event.reason, event.before["kind"], event.after) == ("nobody attacks", "attack", {})
    remove_phase(phases["results"], oni, "no results")
    Phase.objects.filter(round=round_).update(starts_at=in_hours(1), ends_at=in_hours(2))
    last = round_.phases.select_related("round__contest").get()
    assert refusal(remove_phase, last, oni, "enough") == "last-phase"


@pytest.mark.django_db(transaction=True)
def test_two_who_add_or_remove_at_once_one_wins_and_the_other_is_told(contest: Contest, oni: User) -> None:
    version = contest.settings_version
    acts = [
        partial(add_round, Contest.objects.get(), oni, version, new(slug=slug), slug) for slug in ("a", "b")
    ]
    assert sorted(at_once(*acts)) == ["", "changed-meanwhile"]
    made = Round.objects.select_related("contest").get(slug__in="ab")
    spans = [PhaseSpec(kind, in_hours(1), in_hours(2)) for kind in ("registration", "handover")]
    adds = [partial(add_phase, made, oni, made.settings_version, span, "room for one") for span in spans]
    assert sorted(at_once(*adds)) == ["", "changed-meanwhile"]
    made.refresh_from_db()
    removals = [partial(remove_round, made, oni, made.settings_version, "gone") for _ in range(2)]
    outcomes = sorted(at_once(*removals))
    assert outcomes[0] == ""
    assert not Round.objects.filter(pk=made.pk).exists()
    require_whole_log(contest)


@pytest.mark.django_db(transaction=True)
def test_an_entry_and_a_removal_at_once_never_lose_the_entry(contest: Contest, oni: User) -> None:
    second = add(contest, oni)
    team = make_team(contest, "Tanuki")
    Phase.objects.filter(round=second, kind="anonymise").update(starts_at=in_hours(-1))
    refusals = at_once(
        partial(remove_round, second, oni, second.settings_version, "gone"), partial(make_entry, second, team)
    )
    assert refusals == ["round-begun", ""]
