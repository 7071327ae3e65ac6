"""All of a round moved in one step, phases opened early, and deadlines that people may regret."""

from __future__ import annotations

import datetime
import io
import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.bundle.specification import PhaseSpec
from contest.errors import Refused
from contest.models import AuditEvent, Contest, Phase, Reminder, Round, User
from contest.models.round import Feedback
from contest.services import consequences
from contest.services.odd_times import remarks_on
from contest.services.phase_clock import run_clock
from contest.services.phases import move_phase, open_phase, said_between
from contest.services.settings import change_contest
from contest.services.shifts import of_shift, plan_of, shift_round
from contest.services.tokens import create_token
from tests.factories import make_contest, make_round, make_team, make_user

pytestmark = pytest.mark.django_db

HOUR, DAY = datetime.timedelta(hours=1), datetime.timedelta(days=1)
KINDS = (Phase.Kind.ANONYMISE, Phase.Kind.HANDOVER, Phase.Kind.ATTACK, Phase.Kind.RESULTS)
TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.fixture
def now() -> datetime.datetime:
    return timezone.now()


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def round_(oni: User, now: datetime.datetime) -> Round:
    """Anonymise is open for another day; hand-over, attack and results follow, a day each."""
    spans = [(kind, now + place * DAY, now + (place + 1) * DAY) for place, kind in enumerate(KINDS)]
    spans[0] = (KINDS[0], now - DAY, now + DAY)
    contest = make_contest(oni, slug="cup", time_zone="Asia/Tokyo")
    made = make_round(contest, phases=spans, feedback=Feedback.NONE)
    make_team(contest, "Tanuki")
    run_clock(now)
    return made


def times(round_: Round) -> dict[str, tuple[datetime.datetime, datetime.datetime]]:
    return {phase.kind: (phase.starts_at, phase.ends_at) for phase in Phase.objects.filter(round=round_)}


def refusal(function: object, *given: object, **more: object) -> Refused:
    with pytest.raises(Refused) as caught:
        function(*given, **more)  # type: ignore[operator]
    return caught.value


def test_what_is_to_come_moves_and_the_start_of_an_open_phase_stays(round_: Round, oni: User) -> None:
    before, by = times(round_), DAY + 2 * HOUR
    shift_round(round_, oni, round_.settings_version, by, "the network failed")
    after = times(round_)
    assert after["anonymise"] == (before["anonymise"][0], before["anonymise"][1] + by)
    for kind in KINDS[1:]:
        assert after[kind] == tuple(moment + by for moment in before[kind])
    moved = AuditEvent.objects.filter(verb="phase.moved")
    assert moved.count() == 4 and {event.reason for event in moved} == {"the network failed"}


def test_the_moment_from_which_a_board_stands_still_moves_too(
    round_: Round, oni: User, now: datetime.datetime
) -> None:
    Round.objects.filter(pk=round_.pk).update(board_frozen_at=now + HOUR)
    round_.refresh_from_db()
    assert "board-stands-still" in {one.code for one in of_shift(round_, DAY)}
    shift_round(round_, oni, round_.settings_version, DAY, "the network failed")
    assert round_.board_frozen_at == now + HOUR + DAY
    (changed,) = AuditEvent.objects.filter(verb="round.changed")
    assert set(changed.after) == {"board_frozen_at"}
    # One that stands still already goes on standing still.
    Round.objects.filter(pk=round_.pk).update(still_since=now)
    round_.refresh_from_db()
    shift_round(round_, oni, round_.settings_version, DAY, "the network failed again")
    assert round_.board_frozen_at == now + HOUR + DAY


def test_a_phase_that_is_over_stays(round_: Round, oni: User, now: datetime.datetime) -> None:
    later = now + DAY + HOUR
    run_clock(later)
    before = times(round_)
    shift_round(round_, oni, round_.settings_version, HOUR, "later", now=later)
    assert times(round_)["anonymise"] == before["anonymise"]
    assert times(round_)["attack"][0] == before["attack"][0] + HOUR


@pytest.mark.parametrize(("by", "phase"), [(-DAY, "Anonymise"), (-2 * DAY, "Anonymise")])
def test_nothing_ends_in_the_past(round_: Round, oni: User, by: datetime.timedelta, phase: str) -> None:
    before = times(round_)
    refused = refusal(shift_round, round_, oni, round_.settings_version, by - HOUR, "earlier")
    assert refused.code == "phase-in-the-past" and phase in refused.text
    assert times(round_) == before and not AuditEvent.objects.filter(verb="phase.moved").exists()


def test_a_shift_by_nothing_or_without_reason_is_refused(round_: Round, oni: User) -> None:
    version = round_.settings_version
    assert refusal(shift_round, round_, oni, version, 0 * HOUR, "why not").code == "no-change"
    assert refusal(shift_round, round_, oni, version, HOUR, " ").code == "no-reason"


def test_two_organisers_do_not_move_it_twice(round_: Round, oni: User) -> None:
    version, plan = round_.settings_version, plan_of(round_)
    shift_round(round_, oni, version, HOUR, "an hour", plan=plan)
    before = times(round_)
    assert refusal(shift_round, round_, oni, version, HOUR, "an hour", plan=plan).code == "changed-meanwhile"
    assert refusal(shift_round, round_, oni, version, HOUR, "an hour").code == "changed-meanwhile"
    assert times(round_) == before


def test_consequences_name_phases_teams_and_reminders(round_: Round) -> None:
    Contest.objects.update(reminder_hours=24)
    round_.contest.refresh_from_db()
    codes = [it.code for it in of_shift(round_, HOUR)]
    assert codes[:4] == ["phase-moves"] * 4 and "teams-gain-time" in codes and "reminders-again" in codes
    Reminder.objects.all().delete()
    assert "reminders-move" in [it.code for it in of_shift(round_, HOUR)]
    lost = next(it for it in of_shift(round_, -HOUR) if it.code == "teams-lose-time")
    assert lost.count == 1 and "1 hours" in lost.text
    assert all("JST" in it.text for it in of_shift(round_, HOUR) if it.code == "phase-moves")


def test_the_page_shows_what_follows_before_it_moves_anything(round_: Round, oni: User) -> None:
    client, before = Client(), times(round_)
    client.force_login(oni)
    url = reverse("organise_shift", args=["cup", round_.slug])
    form = {"version": round_.settings_version, "days": "0", "hours": "3", "reason": "late", "previewed": ""}
    page = client.post(url, form)
    assert page.status_code == 200 and "Nothing is saved yet" in page.content.decode()
    assert times(round_) == before
    form["previewed"] = page.context["form"].data["previewed"]
    move_phase(Phase.objects.get(kind="results"), oni, *(it + DAY for it in before["results"]), reason="x")
    assert client.post(url, form).status_code == 200, "the phases are not those that were previewed"
    page = client.post(url, form)
    form["previewed"] = page.context["form"].data["previewed"]
    assert client.post(url, form)["Location"] == reverse("organise_timeline", args=["cup"])
    assert times(round_)["attack"][0] == before["attack"][0] + 3 * HOUR


def test_the_api_previews_and_moves(round_: Round, oni: User) -> None:
    headers = {"authorization": f"Bearer {create_token(oni, 'test', ['organise'], 1)}"}
    url, before = f"/api/v1/contests/cup/rounds/{round_.slug}/shift/", times(round_)
    order = {"version": round_.settings_version, "days": 1, "preview": True, "reason": "late"}

    def send(**more: object) -> Any:
        text = json.dumps({**order, **more})
        return Client().post(url, text, content_type="application/json", headers=headers)

    said = send()
    assert said.status_code == 200 and said.json()["consequences"][0]["code"] == "phase-moves"
    assert times(round_) == before
    assert send(days=400).status_code == 422
    assert send(preview=False).status_code == 200
    assert times(round_)["attack"][0] == before["attack"][0] + DAY


def test_the_command_says_what_follows_and_moves_with_yes(round_: Round) -> None:
    before, said = times(round_), io.StringIO()
    given = ["contest_shift", "cup", round_.slug, "--hours=2", "--organiser=oni"]
    call_command(*given, stdout=said)
    assert "Nothing has changed" in said.getvalue() and times(round_) == before
    call_command(*given, "--yes", "--reason=late", stdout=said)
    assert times(round_)["attack"][0] == before["attack"][0] + 2 * HOUR
    with pytest.raises(CommandError, match="--hours: got '24', expected an integer from -23 to 23"):
        call_command("contest_shift", "cup", round_.slug, "--hours=24", "--organiser=oni")
    with pytest.raises(CommandError, match="does not organise"):
        call_command("contest_shift", "cup", round_.slug, "--organiser=kappa")


def test_opening_the_attack_ends_what_is_open_and_leaves_out_the_hand_over(
    round_: Round, oni: User, now: datetime.datetime
) -> None:
    attack = Phase.objects.get(kind="attack")
    assert [text.split()[0] for text in said_between(attack, now)] == ["Anonymise", "Hand-over"]
    ended = attack.ends_at
    open_phase(attack, oni, "everybody is ready", now)
    found = times(round_)
    assert "handover" not in found and found["anonymise"][1] == now and found["attack"] == (now, ended)
    assert sorted(AuditEvent.objects.filter(reason="everybody is ready").values_list("verb", flat=True)) == [
        "phase.moved", "phase.moved", "phase.removed"
    ]  # fmt: skip
    steps = [step.what for step in run_clock(now)]
    assert steps == ["close anonymise", "freeze", "open attack"]


def test_a_phase_that_the_round_needs_is_not_left_out(
    round_: Round, oni: User, now: datetime.datetime
) -> None:
    before = times(round_)
    refused = refusal(open_phase, Phase.objects.get(kind="results"), oni, "at once", now)
    assert refused.code == "phase-skipped" and "Attack has not begun" in refused.text
    assert times(round_) == before, "all or nothing"


def test_with_results_at_once_phases_may_be_open_together(oni: User, now: datetime.datetime) -> None:
    spans = [(KINDS[0], now - DAY, now + DAY), (KINDS[2], now + HOUR, now + DAY)]
    made = make_round(make_contest(oni), phases=spans, feedback=Feedback.FULL)
    open_phase(made.phases.get(kind="attack"), oni, "now", now)
    assert times(made) == {"anonymise": (now - DAY, now + DAY), "attack": (now, now + DAY)}


@pytest.mark.parametrize(
    ("ends_at", "said"),
    [
        ("2026-11-20T18:00+09:00", []),
        ("2026-11-21T18:00+09:00", ["weekend"]),
        ("2026-11-20T15:00+00:00", ["weekend", "night"]),
        ("2026-11-20T03:00+09:00", ["night"]),
    ],
    ids=["friday", "saturday", "midnight to saturday in Tokyo", "at three"],
)
def test_odd_deadlines_are_pointed_out_in_the_zone_of_the_contest(ends_at: str, said: list[str]) -> None:
    end = datetime.datetime.fromisoformat(ends_at)
    found = remarks_on([PhaseSpec("attack", end - DAY, end)], TOKYO)
    assert len(found) == len(said) and all(word in text for word, text in zip(said, found, strict=True))
    assert remarks_on([PhaseSpec("results", end - DAY, end)], TOKYO) == []


def test_another_zone_moves_no_phase_and_says_so(round_: Round, oni: User) -> None:
    contest, before = round_.contest, times(round_)
    found = {it.code: it.text for it in consequences.of_contest(contest, {"time_zone": "UTC"})}
    assert "JST" in found["same-instants"] and "UTC" in found["same-instants"]
    change_contest(contest, oni, contest.settings_version, {"time_zone": "UTC"}, "we play elsewhere")
    assert times(round_) == before


def test_the_timeline_points_out_what_is_odd_and_what_is_in_the_way(round_: Round, oni: User) -> None:
    saturday = datetime.datetime(2030, 11, 23, 12, tzinfo=TOKYO)
    Phase.objects.filter(kind="attack").update(starts_at=saturday - DAY, ends_at=saturday)
    Phase.objects.filter(kind="results").update(starts_at=saturday, ends_at=saturday + DAY)
    client = Client()
    client.force_login(oni)
    page = client.get(reverse("organise_timeline", args=["cup"])).content.decode()
    assert "Attack ends on a weekend: Saturday, 2030-11-23 12:00 JST." in page
    assert "Hand-over has not begun; it will not take place." in page
    assert reverse("organise_shift", args=["cup", round_.slug]) in page


def test_refusals_tell_times_in_the_zone_of_the_contest(round_: Round, oni: User) -> None:
    attack = Phase.objects.get(kind="attack")
    refused = refusal(move_phase, attack, oni, attack.starts_at - DAY, attack.ends_at, "earlier")
    assert refused.code == "phases-overlap" and refused.text.count(" JST") == 2
