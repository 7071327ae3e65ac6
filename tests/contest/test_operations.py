"""The operations pages: queues, workers, failures with their tracebacks, for those who may see them."""

from __future__ import annotations

import datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.jobs.heartbeats import beat
from contest.models import Heartbeat, Job
from contest.operations import overview
from tests.factories import make_contest, make_entry, make_round, make_team, make_user

pytestmark = pytest.mark.django_db


def test_queues_tell_length_age_and_who_listens() -> None:
    round_ = make_round()
    for _ in range(3):
        make_entry(round_, make_team(round_.contest))
    now = timezone.now()
    first = Job.objects.filter(kind=Job.Kind.CHECK).order_by("pk")[0]
    Job.objects.filter(pk=first.pk).update(created_at=now - datetime.timedelta(hours=3))
    beat("one", Heartbeat.Kind.WORKER, ["checks"], now)
    queues = {queue.name: queue for queue in overview.queues()}
    assert (queues["checks"].waiting, queues["checks"].running, queues["checks"].workers) == (3, 0, 1)
    assert queues["checks"].oldest == now - datetime.timedelta(hours=3)
    assert queues["attacks"].workers == 0
    assert queues["attacks"].oldest is None


def test_a_failure_is_shown_with_its_traceback_to_the_organisers_of_its_contest_only(client: Client) -> None:
    oni, other = make_user(), make_user()
    contest = make_contest(oni)
    round_ = make_round(contest)
    team = make_team(contest)
    entry = make_entry(round_, team)
    trace = "Traceback (most recent call last): <boom>"
    broken = {"state": Job.State.FAILED, "error": trace, "reason": "An error on our side."}
    Job.objects.filter(entry=entry).update(**broken)
    foreign = make_contest(other)
    client.force_login(oni)
    page = client.get(reverse("organise_operations", args=[contest.slug])).content.decode()
    assert "Traceback (most recent call last): &lt;boom&gt;" in page
    client.force_login(other)
    assert client.get(reverse("organise_operations", args=[contest.slug])).status_code == 404
    page = client.get(reverse("organise_operations", args=[foreign.slug])).content.decode()
    assert "boom" not in page
    client.force_login(team.memberships.get().user)
    assert client.get(reverse("organise_operations", args=[contest.slug])).status_code == 404


def test_a_silent_worker_is_shown_as_silent_and_one_that_stopped_not_at_all(client: Client) -> None:
    now = timezone.now()
    for name in ("alive", "silent", "stopped"):
        beat(name, Heartbeat.Kind.WORKER, ["checks"], now)
    Heartbeat.objects.filter(name="silent").update(beat_at=now - datetime.timedelta(minutes=30))
    Heartbeat.objects.filter(name="stopped").update(beat_at=datetime.datetime.fromtimestamp(0, datetime.UTC))
    assert {it.heartbeat.name: it.is_late for it in overview.processes()} == {
        "alive": False,
        "silent": True,
    }


def test_the_sites_page_is_for_staff_alone_and_says_what_is_wrong(client: Client) -> None:
    url = reverse("operations")
    assert client.get(url).status_code == 302
    client.force_login(make_user())
    assert client.get(url).status_code == 404
    client.force_login(make_user(is_staff=True))
    page = client.get(url).content.decode()
    assert "No worker has sent a heartbeat" in page
    assert client.post(url).status_code == 405


@pytest.mark.parametrize(("counted_by", "is_told"), [("none", True), ("v2", False)])
def test_organisers_and_staff_are_told_loudly_that_programs_are_not_counted(
    counted_by: str, is_told: bool, client: Client
) -> None:
    oni = make_user(is_staff=True)
    contest = make_contest(oni)
    beat("sandboxes", Heartbeat.Kind.WORKER, ["programs"], timezone.now(), counted_by=counted_by)
    client.force_login(oni)
    for address in (reverse("organise_operations", args=[contest.slug]), reverse("operations")):
        page = client.get(address).content.decode()
        assert ("no control group counts what they use (sandboxes)" in page) == is_told
        assert ('<p class="note error" role="alert">' in page) == is_told
