"""Organisers through the API: colleagues, attacks, letters, addresses, the log, signals and the archive."""

from __future__ import annotations

import io
import zipfile

from django.core import mail

from contest.jobs.queues import QUEUES
from contest.models import AuditEvent, Delivery, Job, Webhook
from contest.outside.webhooks import queue_deliveries, secret_of
from tests.api.conftest import Caller, World, user
from tests.factories import work_off

DEMO, PRACTICE = "contests/demo/", "contests/demo/rounds/practice/"


def error_of(answer) -> str:
    return answer.json()["error"]["code"]


def test_an_announcement_goes_out_by_mail_when_asked_to(world: World) -> None:
    oni = world.callers["oni"]
    made = oni.send(f"{DEMO}announcements/", {"title": "Rain", "by_mail": True})
    assert (made.status_code, made.json()["by_mail"]) == (201, True)
    work_off()
    assert sorted(to for letter in mail.outbox for to in letter.to) == [
        "kitsune@example.org",
        "tanuki@example.org",
    ]
    assert oni.send(f"{DEMO}announcements/", {"title": "Sun"}).json()["by_mail"] is False
    work_off()
    assert len(mail.outbox) == 2


def test_organisers_take_in_others_and_one_always_stays(world: World) -> None:
    oni, neko = world.callers["oni"], world.callers["neko"]
    assert neko.get(f"{DEMO}organisers/").status_code == 404
    changed = oni.send(f"{DEMO}organisers/", {"act": "add", "username": "Neko"})
    assert changed.json() == {"organisers": [{"name": "oni"}, {"name": "neko"}]}
    assert [row["name"] for row in neko.get(f"{DEMO}organisers/").json()["results"]] == ["oni", "neko"]
    assert error_of(oni.send(f"{DEMO}organisers/", {"act": "add", "username": "neko"})) == "no-change"
    assert error_of(oni.send(f"{DEMO}organisers/", {"act": "add", "username": "tanuki"})) == "plays"
    unknown = oni.send(f"{DEMO}organisers/", {"act": "add", "username": "nobody"})
    assert unknown.status_code == 422
    assert list(unknown.json()["error"]["detail"]) == ["username"]
    assert neko.send(f"{DEMO}organisers/", {"act": "remove", "username": "oni"}).status_code == 200
    assert oni.get(f"{DEMO}organisers/").status_code == 404
    last = neko.send(f"{DEMO}organisers/", {"act": "remove", "username": "neko"})
    assert (last.status_code, error_of(last)) == (409, "last-organiser")


def test_a_house_attack_takes_part_and_the_attacks_say_how_far_they_are(world: World) -> None:
    oni = world.callers["oni"]
    before = oni.get(f"{DEMO}attacks/").json()["results"]
    assert [(row["round"], row["n_runs"], row["n_done"], row["n_failed"]) for row in before] == [
        ("practice", 2, 2, 0)
    ]
    made = oni.send(f"{DEMO}attacks/", {"round": "practice", "attack": "re-totals"})
    assert made.status_code == 201, made.content
    rows = {row["id"]: row for row in oni.get(f"{DEMO}attacks/").json()["results"]}
    assert (rows[made.json()["id"]]["n_runs"], rows[made.json()["id"]]["n_done"]) == (2, 0)
    assert AuditEvent.objects.filter(verb="attack.added", actor=user("oni")).exists()
    assert oni.send(f"{DEMO}attacks/", {"round": "practice", "attack": "magic"}).status_code == 422
    assert oni.send(f"{DEMO}attacks/", {"round": "no-such", "attack": "re-totals"}).status_code == 404
    other = oni.send(f"{DEMO}attacks/", {"round": "practice", "attack": "re-cells"})
    assert error_of(other) == "attack-of-another-format"
    assert world.callers["tanuki"].get(f"{DEMO}attacks/").status_code == 404


def check_addresses(owner: Caller, foreign: Caller, place: str) -> Webhook:
    """An address is registered, its secret shown once, its deliveries listed, and it is ended."""
    made = owner.send(f"{DEMO}{place}webhooks/", {"url": "https://example.org/news"})
    assert made.status_code == 201, made.content
    webhook = Webhook.objects.get(pk=made.json()["id"])
    secret = made.json()["secret"]
    assert secret == secret_of(webhook)
    listed = owner.get(f"{DEMO}{place}webhooks/")
    assert [row["url"] for row in listed.json()["results"]] == ["https://example.org/news"]
    assert secret not in listed.content.decode()
    one = f"{DEMO}{place}webhooks/{webhook.pk}/"
    assert foreign.delete(one).status_code == 404
    return webhook


def test_organisers_have_addresses_for_news(world: World) -> None:
    oni = world.callers["oni"]
    webhook = check_addresses(oni, world.callers["tanuki"], "")
    assert webhook.team is None
    oni.send(f"{DEMO}announcements/", {"title": "Hello"})
    queue_deliveries()
    sent = oni.get(f"{DEMO}deliveries/").json()["results"]
    assert [(row["webhook_id"], row["kind"], row["state"]) for row in sent] == [
        (webhook.pk, "announcement", "waiting")
    ]
    assert Delivery.objects.get().pk == sent[0]["id"]
    bad = oni.send(f"{DEMO}webhooks/", {"url": "http://example.org/"})
    assert (bad.status_code, error_of(bad)) == (422, "bad-address")
    assert oni.get(f"{DEMO}team/webhooks/").status_code == 404
    assert oni.delete(f"{DEMO}webhooks/{webhook.pk}/").status_code == 204
    (row,) = oni.get(f"{DEMO}webhooks/").json()["results"]
    assert row["ended_at"] is not None


def test_a_team_has_addresses_of_its_own(world: World) -> None:
    tanuki, kitsune = world.callers["tanuki"], world.callers["kitsune"]
    webhook = check_addresses(tanuki, kitsune, "team/")
    assert webhook.team == world.tanuki
    assert kitsune.get(f"{DEMO}team/webhooks/").json()["results"] == []
    assert tanuki.get(f"{DEMO}team/deliveries/").json()["results"] == []
    assert tanuki.get(f"{DEMO}webhooks/").status_code == 404
    assert world.callers["oni"].delete(f"{DEMO}webhooks/{webhook.pk}/").status_code == 404
    assert tanuki.delete(f"{DEMO}team/webhooks/{webhook.pk}/").status_code == 204


def test_the_log_is_searched_and_its_chain_computed_again(world: World) -> None:
    oni = world.callers["oni"]
    oni.send(f"{DEMO}announcements/", {"title": "Hello"})
    found = oni.get(f"{DEMO}audit/", verb="announcement.published").json()["results"]
    assert [(row["actor"], row["after"]["title"]) for row in found] == [("oni", "Hello")]
    assert oni.get(f"{DEMO}audit/", words="no-such-word").json()["count"] == 0
    wrong = oni.get(f"{DEMO}audit/", since="yesterday")
    assert (wrong.status_code, list(wrong.json()["error"]["detail"])) == (422, ["since"])
    total = oni.get(f"{DEMO}audit/").json()["count"]
    assert oni.send(f"{DEMO}audit/check/").json() == {"rows": total, "problem": ""}
    AuditEvent.objects.filter(verb="announcement.published").update(reason="changed behind our backs")
    broken = oni.send(f"{DEMO}audit/check/").json()
    assert broken["rows"] < total and "announcement.published" in broken["problem"]
    assert world.callers["tanuki"].get(f"{DEMO}audit/").status_code == 404


def test_signals_are_looked_for_by_a_worker_and_shown_to_organisers(world: World) -> None:
    oni = world.callers["oni"]
    asked = oni.send(f"{PRACTICE}signals/")
    assert (asked.status_code, asked.json()["kind"]) == (201, "signals")
    assert error_of(oni.send(f"{PRACTICE}signals/")) == "under-way"
    waiting = {row["name"]: row["waiting"] for row in oni.get(f"{DEMO}queues/").json()["results"]}
    assert waiting[QUEUES[Job.Kind.SIGNALS]] == 1
    assert world.callers["tanuki"].get(f"{DEMO}queues/").status_code == 404
    work_off()
    assert Job.objects.get(pk=asked.json()["id"]).state == "done"
    rows = oni.get(f"{PRACTICE}signals/").json()["results"]
    assert [row["id"] for row in rows] == list(world.round.signals.values_list("pk", flat=True))
    assert world.callers["tanuki"].get(f"{PRACTICE}signals/").status_code == 404


def test_the_archive_is_sent_once_all_work_is_done(world: World) -> None:
    oni = world.callers["oni"]
    asked = oni.send(f"{PRACTICE}signals/")
    assert asked.status_code == 201
    assert oni.send(f"{DEMO}archive/").status_code == 409
    work_off()
    answer = oni.send(f"{DEMO}archive/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        assert "manifest.json" in archive.namelist()
    assert AuditEvent.objects.get(verb="contest.archived").actor == user("oni")
    assert world.callers["tanuki"].send(f"{DEMO}archive/").status_code == 404
