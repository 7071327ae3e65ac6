"""Organisers through the API: the acts of their pages, by the same services, each in the log."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from contest.bundle.check import check_bundle
from contest.models import AuditEvent, Contest, Dataset, Entry, Phase, Rescore, Round, Team
from contest.services.board_versions import bump_board
from games.shop.data.rules import FileRules
from tests.api.conftest import World

DEMO, PRACTICE = "contests/demo/", "contests/demo/rounds/practice/"


def error_of(answer) -> str:
    return answer.json()["error"]["code"]


def test_settings_are_previewed_saved_and_refused_when_stale(world: World) -> None:
    oni = world.callers["oni"]
    shown = oni.get(f"{DEMO}settings/").json()
    order = {"version": shown["version"], "settings": {"max_team_size": 1}, "reason": "smaller teams"}
    seen = oni.send(f"{DEMO}settings/", {**order, "preview": True}).json()
    assert seen["version"] == shown["version"]
    assert Contest.objects.get(slug="demo").max_team_size == shown["settings"]["max_team_size"]
    assert oni.send(f"{DEMO}settings/", order).json()["settings"]["max_team_size"] == 1
    stale = oni.send(f"{DEMO}settings/", order)
    assert (stale.status_code, error_of(stale)) == (409, "changed-meanwhile")
    bad = {**order, "version": 2, "settings": {"time_zone": "Moon"}}
    assert oni.send(f"{DEMO}settings/", bad).status_code == 422
    assert AuditEvent.objects.get(verb="contest.changed").reason == "smaller teams"


def test_rules_of_a_round_say_whom_they_make_invalid(world: World) -> None:
    oni = world.callers["oni"]
    version = oni.get(f"{PRACTICE}settings/").json()["version"]
    rules = {"file_rules": {"drop_rows": False, "add_rows": False}, "ranking": "2026"}
    answer = oni.send(f"{PRACTICE}settings/", {"version": version, "settings": rules, "reason": "stricter"})
    codes = {item["code"]: item["count"] for item in answer.json()["consequences"]}
    assert codes["entries-keep-rules"] == 0
    assert "places-change" in codes
    assert Round.objects.get(contest__slug="demo").ranking == "2026"
    wrong = {"version": version + 1, "settings": {"file_rules": {"drop_rows": "yes"}}, "reason": "x"}
    assert oni.send(f"{PRACTICE}settings/", wrong).status_code == 422


def test_the_house_takes_places_where_the_round_says_so(world: World) -> None:
    oni = world.callers["oni"]
    Team.objects.filter(pk=world.kitsune.pk).update(is_house=True)
    bump_board(world.round.pk)
    board = oni.get(f"{PRACTICE}leaderboard/").json()["results"]
    assert {row["team"]: (row["rank"], row["is_house"]) for row in board} == {
        "Tanuki": (1, False), "Kitsune": (None, True)
    }  # fmt: skip
    assert oni.get(PRACTICE).json()["house_takes_places"] is False
    (seeker,) = oni.get(f"{PRACTICE}attackers/").json()["results"]
    assert (seeker["rank"], seeker["is_house"]) == (None, True)
    shown = oni.get(f"{PRACTICE}settings/").json()
    assert shown["settings"]["house_takes_places"] is False
    order = {"version": shown["version"], "settings": {"house_takes_places": True}, "reason": "as before"}
    seen = oni.send(f"{PRACTICE}settings/", {**order, "preview": True}).json()["consequences"]
    assert ("house-takes-places", 1) in {(item["code"], item["count"]) for item in seen}
    assert oni.send(f"{PRACTICE}settings/", order).json()["settings"]["house_takes_places"] is True
    assert oni.get(PRACTICE).json()["house_takes_places"] is True
    board = oni.get(f"{PRACTICE}leaderboard/").json()["results"]
    assert sorted(row["rank"] for row in board) == [1, 2]
    assert oni.get(f"{PRACTICE}attackers/").json()["results"][0]["rank"] == 1
    wrong = {"version": shown["version"] + 1, "settings": {"house_takes_places": "sometimes"}, "reason": "x"}
    assert oni.send(f"{PRACTICE}settings/", wrong).status_code == 422


def test_a_phase_is_extended_as_it_was_seen(world: World) -> None:
    oni = world.callers["oni"]
    phase = Phase.objects.get(round=world.round, kind="anonymise")
    later = phase.ends_at + datetime.timedelta(hours=1)
    order = {"act": "extend", "ends_at": later.isoformat(), "reason": "a holiday"}
    order["seen_ends_at"] = phase.ends_at.isoformat()
    path = f"{DEMO}phases/{phase.pk}/"
    assert oni.send(path, order).status_code == 200
    phase.refresh_from_db()
    assert phase.ends_at == later
    assert error_of(oni.send(path, order)) == "changed-meanwhile"
    assert oni.send(path, {"act": "extend", "reason": "no end"}).status_code == 422
    assert oni.send(path, {"act": "close", "reason": "enough"}).status_code == 200
    assert error_of(oni.send(f"{PRACTICE}publish/", {})) == "not-counted"


def test_rounds_and_phases_come_and_go(world: World) -> None:
    oni = world.callers["oni"]
    version = oni.get(f"{DEMO}settings/").json()["version"]
    day = datetime.timedelta(days=1)
    starts = timezone.now().replace(microsecond=0) + day
    order = {"like": "round/practice", "name": "Second", "slug": "second", "starts_at": starts.isoformat()}
    order |= {"version": version, "reason": "more to play"}
    seen = oni.send(f"{DEMO}rounds/", {**order, "preview": True})
    assert (seen.status_code, seen.json()["consequences"][0]["code"]) == (200, "phase-anonymise")
    assert Round.objects.filter(contest__slug="demo").count() == 1
    assert oni.send(f"{DEMO}rounds/", order).status_code == 201
    assert error_of(oni.send(f"{DEMO}rounds/", {**order, "slug": "third"})) == "changed-meanwhile"
    assert oni.send(f"{DEMO}rounds/", {**order, "slug": "teams"}).status_code == 422
    assert error_of(oni.send(f"{DEMO}rounds/", {**order, "like": "round/none"})) == "no-source"
    second = f"{DEMO}rounds/second/"
    for role, slugs in {
        "tanuki": ["practice"],
        "visitor": ["practice"],
        "oni": ["practice", "second"],
    }.items():
        caller = world.callers[role]
        assert [row["slug"] for row in caller.get(f"{DEMO}rounds/").json()["results"]] == slugs
        assert [row["slug"] for row in caller.get(DEMO).json()["rounds"]] == slugs
        assert caller.get(second).status_code == (200 if role == "oni" else 404)
    phase = {"version": 1, "kind": "registration", "reason": "sign up first"}
    phase |= {"starts_at": (starts - day / 2).isoformat(), "ends_at": starts.isoformat()}
    assert error_of(oni.send(f"{second}phases/", {**phase, "kind": "attack"})) == "phase-twice"
    made = oni.send(f"{second}phases/", phase)
    assert (made.status_code, made.json()["kind"]) == (201, "registration")
    assert error_of(oni.send(f"{second}phases/", {**phase, "kind": "handover"})) == "changed-meanwhile"
    remove = {"act": "remove", "reason": "too long", "seen_ends_at": starts.isoformat()}
    assert oni.send(f"{DEMO}phases/{made.json()['id']}/", remove).json()["kind"] == "registration"
    assert not Phase.objects.filter(pk=made.json()["id"]).exists()
    version = oni.get(f"{second}settings/").json()["version"]
    gone = {"version": version, "reason": "one is enough"}
    assert (
        oni.send(f"{second}remove/", {**gone, "preview": True}).json()["consequences"][0]["code"] == "phases"
    )
    assert error_of(oni.send(f"{second}remove/", {**gone, "version": 1})) == "changed-meanwhile"
    assert oni.send(f"{second}remove/", gone).status_code == 200
    assert error_of(oni.send(f"{PRACTICE}remove/", gone)) == "round-begun"
    assert [round_.slug for round_ in Round.objects.filter(contest__slug="demo")] == ["practice"]


def test_entries_and_teams_are_repaired(world: World) -> None:
    oni = world.callers["oni"]
    order = {"entries": [world.entry.pk], "act": "void", "reason": "another data set"}
    assert [row["mark"] for row in oni.send(f"{DEMO}repairs/", order).json()["entries"]] == ["void"]
    assert error_of(oni.send(f"{DEMO}repairs/", order)) == "no-change"
    assert oni.send(f"{DEMO}repairs/", {**order, "entries": [10**9]}).status_code == 404
    lock = {"teams": [world.tanuki.pk], "act": "lock", "reason": "two accounts"}
    assert [row["status"] for row in oni.send(f"{DEMO}teams/", lock).json()["teams"]] == ["locked"]
    merge = {"teams": [world.tanuki.pk], "act": "merge", "reason": "they asked"}
    assert oni.send(f"{DEMO}teams/", merge).status_code == 422
    assert oni.send(f"{DEMO}teams/", {**merge, "into": world.kitsune.pk}).status_code == 200
    assert Team.objects.get(pk=world.tanuki.pk).merged_into == world.kitsune
    listed = {row["name"]: row["status"] for row in oni.get(f"{DEMO}teams/").json()["results"]}
    assert listed == {"Tanuki": "removed", "Kitsune": "active"}


def test_limits_are_previewed_and_applied(world: World) -> None:
    oni = world.callers["oni"]
    limits = [{"measure": "ut-jaccard", "limit": 0.0001}]
    made = oni.send(f"{PRACTICE}rescores/", {"limits": limits, "reason": "too lenient"})
    assert made.status_code == 201
    row = made.json()
    assert row["state"] == "ready"
    states = {entry["entry"]: entry["after"]["state"] for entry in row["preview"]}
    path = f"{DEMO}rescores/{row['id']}/"
    assert oni.get(path).json() == row
    assert oni.send(path, {"act": "apply"}).json()["state"] == "applied"
    assert {pk: Entry.objects.get(pk=pk).state for pk in states} == states
    assert error_of(oni.send(path, {"act": "discard"})) == "already-decided"
    twice = {"limits": limits * 2, "reason": "x"}
    assert oni.send(f"{PRACTICE}rescores/", twice).status_code == 422
    assert Rescore.objects.count() == 1


def test_capacity_and_explanations_are_numbers(world: World) -> None:
    oni = world.callers["oni"]
    load = oni.get(f"{PRACTICE}capacity/", workers=4).json()
    assert (load["workers"], load["n_targets"], load["estimate_seconds"], load["fits"]) == (4, 2, 0.0, True)
    assert oni.get(f"{PRACTICE}capacity/", workers=0).status_code == 422
    how = oni.get(f"{PRACTICE}entries/{world.entry.pk}/how/hits/").json()
    world.entry.refresh_from_db()
    assert how["value"] == world.entry.hits
    assert max(item["value"] for item in how["inputs"]) == world.entry.hits


def test_file_rules_that_make_no_sense_are_refused(world: World) -> None:
    """They were accepted with 200, and then every upload failed with "at most -5 bytes"."""
    oni = world.callers["oni"]
    version = oni.get(f"{PRACTICE}settings/").json()["version"]
    rules = {"vanished": "banana", "least_kept": 7.0, "max_bytes": -5}
    order = {"version": version, "settings": {"file_rules": rules}, "reason": "x"}
    answer = oni.send(f"{PRACTICE}settings/", order)
    assert answer.status_code == 422
    del rules["least_kept"]
    answer = oni.send(f"{PRACTICE}settings/", order)
    found = answer.json()["error"]["detail"]
    assert {key: fault[0]["message"] for key, fault in found.items()} == {
        "settings.file_rules.vanished": "Got 'banana', expected one of charge, ignore.",
        "settings.file_rules.max_bytes": "Got '-5', expected an integer from 1 to 17179869184.",
    }
    # What the API shows of a round can be sent back as it is.
    shown = oni.get(f"{PRACTICE}settings/").json()
    same = {"version": version, "settings": shown["settings"], "reason": "the same"}
    assert oni.send(f"{PRACTICE}settings/", {**same, "preview": True}).status_code == 200


def test_a_rule_that_is_not_named_stays_as_it_is(world: World) -> None:
    """One rule sent alone put all others back to their defaults."""
    oni = world.callers["oni"]
    Round.objects.filter(pk=world.round.pk).update(file_rules={"foreign_items": True, "max_bytes": 4096})
    for rule in ("foreign_dates", "foreign_countries"):
        version = oni.get(f"{PRACTICE}settings/").json()["version"]
        order = {"version": version, "settings": {"file_rules": {rule: True}}, "reason": "more room"}
        assert oni.send(f"{PRACTICE}settings/", order).status_code == 200
    world.round.refresh_from_db()
    allowed = FileRules(foreign_items=True, foreign_dates=True, foreign_countries=True, max_bytes=4096)
    assert FileRules(**world.round.file_rules) == allowed
    assert (
        FileRules(**AuditEvent.objects.filter(verb="round.changed").latest("pk").after["file_rules"])
        == allowed
    )


def test_settings_that_do_not_exist_are_refused_in_the_words_of_bundles(world: World) -> None:
    """They were accepted with 200 and nothing was saved."""
    oni = world.callers["oni"]
    problems = check_bundle("titel: Small\n").problems
    (misspelt,) = [str(problem.expected) for problem in problems if problem.code == "unknown-key"]
    assert misspelt.startswith("title, or another one of ")
    start = timezone.now() + datetime.timedelta(days=9)
    round_order = {"like": "round/practice", "name": "Final", "slug": "final", "starts_at": start.isoformat()}
    change = {"version": 1, "reason": "x"}
    wrong = {
        "settings/": ({**change, "settings": {"titel": "Small"}}, "settings.titel", "title"),
        "rounds/practice/settings/": (
            {**change, "settings": {"rankin": "2026"}},
            "settings.rankin",
            "ranking",
        ),
        "rounds/": ({**change, **round_order, "weigt": 2, "preveiw": True}, "preveiw", "preview"),
    }
    for path, (order, place, meant) in wrong.items():
        answer = oni.send(f"{DEMO}{path}", order)
        assert (answer.status_code, error_of(answer)) == (422, "invalid-request"), path
        (fault,) = answer.json()["error"]["detail"][place]
        assert fault["code"] == "unknown-key"
        key = place.split(".")[-1]
        assert fault["message"].startswith(f"Got '{key}', expected {meant}, or another one of ")
    both = {"version": 0, "settings": {"titel": "Small", "time_zone": "Moon"}}
    told = oni.send(f"{DEMO}settings/", both).json()["error"]["detail"]
    assert set(told) == {"version", "reason", "settings.titel", "settings.time_zone"}
    assert not AuditEvent.objects.filter(
        verb__in=["contest.changed", "round.changed", "round.created"]
    ).filter(reason="x")


@pytest.mark.parametrize(("format_name", "measure"), [("2017", "e1"), ("2017", "e6"), ("2018", "ut-il")])
def test_limits_are_those_of_the_rounds_format(world: World, format_name: str, measure: str) -> None:
    oni = world.callers["oni"]
    Dataset.objects.filter(pk=world.round.dataset_id).update(format=format_name)
    order = {"limits": [{"measure": measure, "operator": "<=", "limit": 0.5}], "reason": "stricter"}
    assert oni.send(f"{PRACTICE}rescores/", order).status_code == 201
    order["limits"] = [{"measure": "rfm", "limit": 0.5}]
    answer = oni.send(f"{PRACTICE}rescores/", order)
    assert answer.status_code == 422
    (fault,) = answer.json()["error"]["detail"].values()
    assert fault[0]["code"] == "unknown-measure"
