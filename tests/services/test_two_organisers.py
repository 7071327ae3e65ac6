"""Two organisers at once, and an organiser beside a worker: no update is lost, the log tells all of it."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from contest.board import queries
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Entry, Phase, Rescore, Round, Team, User
from contest.models.round import Feedback
from contest.records.audit import extend_all_chains, verify_chain
from contest.services import entry_marks, phases, settings, team_status
from contest.services.limit_changes import apply_rescore, discard_rescore, preview_rescore
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

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = datetime.timedelta(hours=1)
TURNS = 4
"""How often a race is run: who wins is chance, what must hold is not."""


@pytest.fixture
def round_() -> Round:
    now = timezone.now()
    spans = [(Phase.Kind.ANONYMISE, now - HOUR, now + HOUR), (Phase.Kind.RESULTS, now + HOUR, now + 2 * HOUR)]
    contest = make_contest(make_user("oni"))
    made = make_round(contest, phases=spans, feedback=Feedback.NONE)
    settings.add_organiser(contest, person("oni"), make_user("tengu"))
    return made


def person(name: str) -> User:
    return User.objects.get(name_key=name)


def at_once(*acts: Callable[[], object]) -> list[str]:
    """Do things in threads that start together; the code of the refusal of each, or nothing."""
    ready = threading.Barrier(len(acts))

    def do(act: Callable[[], object]) -> str:
        try:
            ready.wait()
            act()
        except Refused as refusal:
            return refusal.code
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(do, acts))


def require_whole_log(contest: Contest) -> None:
    """The chain of hashes holds and ends with the last row: nothing is missing from the log."""
    extend_all_chains()
    length, fault = verify_chain(contest.pk)
    assert fault == ""
    assert length == AuditEvent.objects.filter(contest=contest).count()


def test_extending_and_closing_at_once_one_wins_and_the_other_is_told(round_: Round) -> None:
    oni, tengu = person("oni"), person("tengu")
    for turn in range(TURNS):
        phase = Phase.objects.select_related("round__contest").get(kind=Phase.Kind.ANONYMISE)
        mine, yours = (Phase.objects.select_related("round__contest").get(pk=phase.pk) for _ in range(2))
        longer = phase.ends_at + HOUR
        refusals = at_once(
            partial(phases.extend_phase, mine, oni, longer, "longer", move_later=True),
            partial(phases.close_phase, yours, tengu, "enough"),
        )
        assert sorted(refusals) == ["", "changed-meanwhile"], turn
        now = Phase.objects.get(pk=phase.pk)
        winner = "longer" if refusals[0] == "" else "enough"
        assert (now.ends_at == longer) is (winner == "longer")
        event = AuditEvent.objects.filter(verb="phase.moved", subject=f"phase {phase.pk}").latest("pk")
        assert event.reason == winner
        assert event.before == {"ends_at": phase.ends_at.isoformat()}
        assert event.after == {"ends_at": now.ends_at.isoformat()}
        Phase.objects.filter(pk=phase.pk).update(ends_at=phase.ends_at)
    moved = AuditEvent.objects.filter(verb="phase.moved", subject=f"phase {phase.pk}")
    assert moved.count() == TURNS
    require_whole_log(round_.contest)


def stricter(entry: Entry) -> list[Limit]:
    """A limit that the swapped entry breaks and the shuffled ones keep."""
    return [Limit("ut-jaccard", "<=", entry.measures["ut-jaccard"] / 2), *LIMITS[1:]]


def require_verdicts(round_: Round) -> None:
    """Every verdict is the limits in force applied to what was measured; the board shows the valid ones."""
    limits = [Limit(**limit) for limit in Round.objects.get(pk=round_.pk).limits]
    for entry in Entry.objects.filter(round=round_):
        verdict = evaluate({name: Measurement(value) for name, value in entry.measures.items()}, limits)
        assert (entry.state == "valid", entry.utility) == (verdict.valid, verdict.score), entry
    for team in Team.objects.filter(contest=round_.contest):
        valid = Entry.objects.filter(team=team, state="valid", mark="").order_by("-number").first()
        official = Entry.objects.filter(team=team, is_official=True).first()
        assert official == valid


def test_a_rescore_and_a_new_entry_at_once_leave_one_set_of_limits(round_: Round) -> None:
    oni = person("oni")
    tanuki, kitsune = (make_team(round_.contest, name) for name in ("Tanuki", "Kitsune"))
    make_entry(round_, tanuki)
    swapped = make_entry(round_, kitsune, entry_files("swap", 9))
    work_off()
    swapped.refresh_from_db()
    for turn in range(TURNS):
        limits = stricter(swapped) if turn % 2 == 0 else list(LIMITS)
        rescore = preview_rescore(Round.objects.get(), oni, limits, f"turn {turn}")
        make_entry(round_, tanuki, entry_files("shuffle", 10 + turn))
        refusals = at_once(partial(apply_rescore, rescore, oni), work_off)
        assert refusals[0] in {"", "changed-meanwhile"}
        assert refusals[1] == ""
        work_off()
        state = Rescore.objects.get(pk=rescore.pk).state
        assert state == ("applied" if refusals[0] == "" else "ready")
        in_force = [Limit(**limit) for limit in Round.objects.get().limits]
        assert (in_force == limits) is (state == "applied")
        require_verdicts(round_)
        if state == "ready":
            discard_rescore(rescore, oni)
            apply_rescore(preview_rescore(Round.objects.get(), oni, limits, "again"), oni)
            require_verdicts(round_)
        decided = AuditEvent.objects.filter(subject=f"rescore {rescore.pk}").order_by("pk")
        verb = "rescore.applied" if state == "applied" else "rescore.discarded"
        assert [event.verb for event in decided] == ["rescore.previewed", verb]
    states = AuditEvent.objects.filter(verb="entry.state", after__state__in=["valid", "invalid"])
    assert states.count() == Entry.objects.count()
    require_whole_log(round_.contest)


def test_two_decisions_about_one_preview_one_holds(round_: Round) -> None:
    oni, tengu = person("oni"), person("tengu")
    make_entry(round_, make_team(round_.contest, "Tanuki"))
    work_off()
    for turn in range(TURNS):
        limits = [Limit("ut-jaccard", "<=", 0.8 - turn / 100), *LIMITS[1:]]
        rescore = preview_rescore(Round.objects.get(), oni, limits, "stricter")
        mine, yours = (Rescore.objects.select_related("round__contest").get(pk=rescore.pk) for _ in range(2))
        refusals = at_once(partial(apply_rescore, mine, oni), partial(discard_rescore, yours, tengu))
        assert sorted(refusals) == ["", "already-decided"]
        applied = refusals[0] == ""
        assert (Round.objects.get().limits[0]["limit"] == limits[0].limit) is applied
        assert Rescore.objects.get(pk=rescore.pk).state == ("applied" if applied else "discarded")
    require_verdicts(round_)
    require_whole_log(round_.contest)


def test_two_forms_saved_at_once_the_second_is_stale(round_: Round) -> None:
    contest = round_.contest
    for turn in range(TURNS):
        version = Contest.objects.get().settings_version
        mine, yours = (Contest.objects.get() for _ in range(2))
        refusals = at_once(
            partial(settings.change_contest, mine, person("oni"), version, {"title": f"A{turn}"}, "a"),
            partial(settings.change_contest, yours, person("tengu"), version, {"summary": f"B{turn}"}, "b"),
        )
        assert sorted(refusals) == ["", "changed-meanwhile"]
        fresh = Contest.objects.get()
        assert fresh.settings_version == version + 1
        assert (fresh.title == f"A{turn}") is (refusals[0] == "")
        assert (fresh.summary == f"B{turn}") is (refusals[1] == "")
    changed = AuditEvent.objects.filter(verb="contest.changed")
    assert changed.count() == TURNS
    require_whole_log(contest)


def test_marks_and_states_of_teams_are_set_by_one_of_two(round_: Round) -> None:
    oni, tengu = person("oni"), person("tengu")
    entry = make_entry(round_, make_team(round_.contest, "Tanuki"))
    work_off()
    entry.refresh_from_db()
    mine, yours = (Entry.objects.select_related("team", "round__contest").get(pk=entry.pk) for _ in range(2))
    refusals = at_once(
        partial(entry_marks.void_entry, mine, oni, "our fault"),
        partial(entry_marks.disqualify_entry, yours, tengu, "their fault"),
    )
    assert sorted(refusals) == ["", "changed-meanwhile"]
    entry.refresh_from_db()
    assert entry.mark == ("void" if refusals[0] == "" else "disqualified")
    assert AuditEvent.objects.get(verb="entry.marked").after == {"mark": entry.mark}
    assert queries.places(round_, show_attacks=True) == []
    first, second = (Team.objects.select_related("contest").get(pk=entry.team_id) for _ in range(2))
    refusals = at_once(
        partial(team_status.lock_team, first, oni, "two accounts"),
        partial(team_status.remove_team, second, tengu, "asked to leave"),
    )
    assert sorted(refusals) == ["", "changed-meanwhile"]
    status = Team.objects.get(pk=entry.team_id).status
    assert status == ("locked" if refusals[0] == "" else "removed")
    assert AuditEvent.objects.filter(verb=f"team.{status}").count() == 1
    require_whole_log(round_.contest)
