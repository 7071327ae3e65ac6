"""The public log: every change that matters to teams, with before, after and reason; a law over all kinds."""

from __future__ import annotations

import ast
import datetime
import itertools
import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from contest.models import Contest, Phase, Round, Team, TeamOrder, User
from contest.pages.public_log import PRIVATE, SENTENCES
from contest.services.datasets import register_dataset
from contest.services.limit_changes import apply_rescore, preview_rescore
from contest.services.phase_clock import STEPS
from contest.services.phases import extend_phase
from contest.services.settings import add_organiser, change_contest, change_data, change_round
from scoring.rules import Limit
from tests.conftest import ROOT
from tests.factories import make_contest, make_round, make_user, small_data

HOUR = datetime.timedelta(hours=1)
VERB = re.compile(r"[a-z_]+\.[a-z_]+")
MADE = {
    "f\"phase.{('opened' if opens else 'closed')}\"": ("phase.opened", "phase.closed"),
    "f'round.{what}'": tuple(f"round.{step[0]}" for step in STEPS),
    "f'team_order.{state.value}'": ("team_order.made", "team_order.failed"),
    "f'team.{status.value}'": tuple(f"team.{status.value}" for status in Team.Status),
}
"""Kinds whose names are put together, as the source does it."""


def recorded() -> Iterator[str]:
    """Every kind of event that some code records. A name that is a variable stands as text in its module."""
    for path in sorted((ROOT / "contest").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [
            node.args[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "audit.record"
        ]
        for kind in calls:
            if isinstance(kind, ast.JoinedStr):
                yield from MADE[ast.unparse(kind)]
            elif isinstance(kind, ast.Name):
                texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
                subject = path.stem.removesuffix("s")
                yield from (
                    text for text in texts if VERB.fullmatch(str(text)) and str(text).startswith(subject)
                )
            else:
                texts = [node.value for node in ast.walk(kind) if isinstance(node, ast.Constant)]
                yield from (text for text in texts if VERB.fullmatch(str(text)))


def test_every_kind_of_event_is_public_or_private_for_a_reason() -> None:
    private = list(itertools.chain.from_iterable(PRIVATE.values()))
    assert len(set(private)) == len(private)
    assert set(private) & set(SENTENCES) == set()
    kinds = set(recorded())
    assert {"phase.reopened", "attack.stopped", "entry.unmarked", "team.locked", "round.freeze"} <= kinds
    assert kinds - set(private) == set(SENTENCES)
    assert set(private) - kinds == set()


def test_the_names_that_are_put_together_are_those_of_the_states() -> None:
    finished = [state for state in TeamOrder.State if state != TeamOrder.State.WAITING]
    assert MADE["f'team_order.{state.value}'"] == tuple(f"team_order.{state.value}" for state in finished)


@pytest.fixture
def oni(db: None) -> User:
    return make_user("oni")


@pytest.fixture
def contest(oni: User) -> Contest:
    return make_contest(oni, slug="demo", time_zone="Asia/Tokyo")


@pytest.fixture
def round_(contest: Contest) -> Round:
    start = timezone.now().replace(hour=3, minute=0, second=0, microsecond=0) + 24 * HOUR
    return make_round(contest, phases=[(Phase.Kind.ANONYMISE, start, start + HOUR)], name="Final", seed=4711)


def read(client: Client, contest: Contest, language: str = "en") -> str:
    answer = client.get(reverse("changes", args=[contest.slug]), headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_settings_of_a_round_are_told_with_before_after_and_reason(
    client: Client, round_: Round, oni: User
) -> None:
    given = {"entries_per_day": round_.entries_per_day + 3, "seed": 815, "feedback": "none"}
    change_round(round_, oni, round_.settings_version, given, "Too many uploads.")
    text = read(client, round_.contest)
    assert "Final: settings were changed." in text
    assert f"{round_.entries_per_day - 3} → {round_.entries_per_day}" in text
    assert "Too many uploads." in text
    for secret in ("815", "4711"):
        assert secret not in text
    assert "設定が変更されました" in read(client, round_.contest, "ja")


def test_a_change_of_the_seed_alone_is_not_told(client: Client, round_: Round, oni: User) -> None:
    change_round(round_, oni, round_.settings_version, {"seed": 815}, "Somebody saw it.")
    assert "Somebody saw it." not in read(client, round_.contest)


def test_settings_of_a_contest_and_its_organisers_are_told(
    client: Client, contest: Contest, oni: User
) -> None:
    given = {"max_team_size": 3, "description": "long " * 50, "time_zone": "Europe/Berlin"}
    change_contest(contest, oni, contest.settings_version, given, "The hall is small.")
    add_organiser(contest, oni, make_user("kappa"))
    text = read(client, contest)
    assert "Most members per team: 10 → 3" in text
    assert "Asia/Tokyo → Europe/Berlin" in text
    assert "Description: another text" in text
    assert "long long" not in text
    assert "kappa organises the contest from now on." in text


def test_times_are_in_the_zone_of_the_contest(client: Client, round_: Round, oni: User) -> None:
    """Three o'clock UTC is noon in Tokyo."""
    phase = round_.phases.get()
    extend_phase(phase, oni, phase.ends_at + HOUR, "One more hour.")
    text = read(client, round_.contest)
    day = phase.starts_at.strftime("%Y-%m-%d")
    assert f"until {day} 13:00 JST → {day} 14:00 JST" in text
    assert "+00:00" not in text


def test_limits_and_data_are_told_with_the_name_of_the_round(
    client: Client, round_: Round, oni: User
) -> None:
    limits = [Limit("ut-jaccard", "<=", 0.25), Limit("item-cosine", ">=", 0.5)]
    apply_rescore(preview_rescore(round_, oni, limits, "Stricter."), oni)
    other = register_dataset("Another shop", small_data(20))
    before = round_.dataset.name
    change_data(round_, oni, other, "The first one was broken.")
    text = read(client, round_.contest)
    assert "Final: the limits were changed" in text
    assert "ut-jaccard ≤ 0.25, item-cosine ≥ 0.5" in text
    assert f"{before} → Another shop" in text


def test_nothing_is_told_of_a_round_that_is_still_hidden(client: Client, round_: Round, oni: User) -> None:
    Round.objects.filter(pk=round_.pk).update(is_hidden=True)
    change_round(round_, oni, round_.settings_version, {"entries_per_day": 3}, "Not yet for you.")
    assert "Not yet for you." not in read(client, round_.contest)


def test_statements_do_not_grow_with_the_changes(client: Client, round_: Round, oni: User) -> None:
    def look() -> int:
        with CaptureQueriesContext(connection) as seen:
            read(client, round_.contest)
        return len(seen)

    phase = round_.phases.get()
    extend_phase(phase, oni, phase.ends_at + HOUR, "1")
    look()
    few = look()
    for number in range(2, 8):
        phase.refresh_from_db()
        extend_phase(phase, oni, phase.ends_at + HOUR, str(number))
    assert look() == few
