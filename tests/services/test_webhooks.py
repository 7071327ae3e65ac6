"""Webhooks: what is sent to whom, how it is signed and tried again, and what no address may reach."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import http.server
import json
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.errors import Refused
from contest.models import AuditEvent, Delivery, Job, Round, Team, User, Webhook
from contest.outside import safe_http, webhooks
from contest.services.contests import announce
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.once]


class Receiver:
    """A web server that keeps what it gets and answers with the statuses it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/news?x=1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    started = Receiver()
    yield started
    started.stop()


@pytest.fixture
def inner(settings: Any) -> None:
    settings.WEBHOOKS_MAY_REACH_PRIVATE = True


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest())


def organiser(round_: Round) -> User:
    return round_.contest.organisers.select_related("user").get().user


def member(team: Team) -> User:
    return team.memberships.select_related("user").get().user


def send_all() -> None:
    webhooks.queue_deliveries()
    work_off()


def test_news_are_sent_once_signed_with_the_secret_that_was_shown(
    inner: None, receiver: Receiver, round_: Round
) -> None:
    _, secret = webhooks.create_webhook(round_.contest, organiser(round_), receiver.url)
    announce(round_.contest, organiser(round_), "Hello", "World")
    send_all()
    send_all()
    ((headers, body),) = receiver.got
    assert json.loads(body)["facts"] == {"title": "Hello"}
    assert headers["Kakurenbo-Event"] == "announcement"
    parts = dict(part.split("=", 1) for part in headers["Kakurenbo-Signature"].split(","))
    signed = f"{parts['t']}.".encode() + body
    assert parts["v1"] == hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.tries) == (Delivery.State.DONE, 204, 1)
    assert not [field for field in Webhook.objects.values().get().values() if field == secret]
    assert secret not in json.dumps(list(AuditEvent.objects.values("before", "after", "reason")))


def test_an_event_that_comes_to_light_late_is_delivered_with_the_next(round_: Round) -> None:
    """As when two transactions end in another order than they began: a number is given after the end."""
    webhooks.create_webhook(round_.contest, organiser(round_), "https://example.org/")
    announce(round_.contest, organiser(round_), "First", "")
    announce(round_.contest, organiser(round_), "Second", "")
    first = AuditEvent.objects.filter(verb="announcement.published").earliest("pk")
    AuditEvent.objects.filter(pk=first.pk).update(contest=None, number=10**6)
    webhooks.queue_deliveries()
    assert Delivery.objects.count() == 1
    AuditEvent.objects.filter(pk=first.pk).update(contest=round_.contest, number=None)
    announce(round_.contest, organiser(round_), "Third", "")
    webhooks.queue_deliveries()
    titles = [json.loads(row.body)["facts"]["title"] for row in Delivery.objects.order_by("event")]
    assert titles == ["Second", "First", "Third"]


def test_a_team_is_told_of_its_own_entries_and_nobody_else_of_them(
    inner: None, receiver: Receiver, round_: Round
) -> None:
    mine, other = make_team(round_.contest), make_team(round_.contest)
    for team in (mine, other):
        webhooks.create_webhook(round_.contest, member(team), receiver.url, team)
    entry = make_entry(round_, mine, {**entry_files(), "P.csv": b"1\n" * 12})
    work_off()
    webhooks.queue_deliveries()
    webhooks.queue_deliveries()
    (delivery,) = Delivery.objects.filter(kind="own-entry")
    assert delivery.webhook.team == mine
    assert json.loads(delivery.body)["facts"] == {"entry_id": entry.pk, "number": 1, "state": "invalid"}


def test_what_fails_is_tried_again_later_and_given_up_in_the_end(
    inner: None, receiver: Receiver, round_: Round
) -> None:
    """Also a redirect is a failure: it is not followed."""
    webhook, _ = webhooks.create_webhook(round_.contest, organiser(round_), receiver.url)
    announce(round_.contest, organiser(round_), "Hello", "")
    receiver.answers = [302, 500, 500, 500, 500, 500]
    for tries in range(1, 7):
        send_all()
        send_all()
        delivery = Delivery.objects.get()
        assert delivery.tries == len(receiver.got) == tries
        Delivery.objects.update(next_try_at=timezone.now() - datetime.timedelta(seconds=1))
    assert (delivery.state, delivery.status) == (Delivery.State.FAILED, 500)
    webhook.refresh_from_db()
    assert webhook.failures == 1
    Webhook.objects.update(failures=webhooks.MAX_FAILURES - 1)
    announce(round_.contest, organiser(round_), "Again", "")
    webhooks.queue_deliveries()
    Delivery.objects.filter(state="waiting").update(tries=len(webhooks.PAUSES))
    receiver.answers = [500]
    work_off()
    webhook.refresh_from_db()
    assert webhook.ended_at is not None
    assert AuditEvent.objects.filter(verb="webhook.ended").count() == 1


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
)  # fmt: skip
def test_no_inner_address_is_reached(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a host with a public and an inner address neither."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET

    def answer(*arguments: Any, **options: Any) -> list[Any]:
        public = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443))
        return [public, (family, socket.SOCK_STREAM, 6, "", (address, 443))]

    def connect(*arguments: Any) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    monkeypatch.setattr(socket.socket, "connect", connect)
    assert not safe_http.is_public(address)
    with pytest.raises(safe_http.Unreachable, match="open network"):
        safe_http.post("https://example.org/", b"{}", {})


def test_the_connection_goes_to_the_address_that_was_looked_at(
    inner: None, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    port = receiver.server.server_port

    def answer(host: str, *arguments: Any, **options: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert safe_http.post(f"http://news.example:{port}/", b"{}", {}) == 204
    assert asked == ["news.example"]
    assert receiver.got[0][0]["Host"] == f"news.example:{port}"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/", "ftp://example.org/", "https://", "https://user:pw@example.org/",
        "//example.org", "https://exa mple.org/", "https://example.org:99999/", "javascript:1",
        "https://example.org/" + "x" * 500,
        "https://example.org/\r\nX: y", "https://example.org\\@127.0.0.1/", "https://[::1/",
    ],
)  # fmt: skip
def test_what_is_no_public_web_address_is_refused(url: str, round_: Round) -> None:
    with pytest.raises(Refused):
        webhooks.create_webhook(round_.contest, organiser(round_), url)
    assert not Webhook.objects.exists()


def test_a_server_that_drips_is_hung_up_on(inner: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_http, "SECONDS", 0.5)
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                while not stop.wait(0.1):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            with pytest.raises(safe_http.Unreachable, match="in time"):
                safe_http.post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", {})
        finally:
            stop.set()
            thread.join()


def test_a_name_whose_resolver_hangs_is_given_up_in_time(
    inner: None, receiver: Receiver, round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker waited for the resolver as long as that liked."""
    let_go, answered = threading.Event(), threading.Event()

    def answer(*arguments: Any, **options: Any) -> list[Any]:
        let_go.wait()
        answered.set()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", receiver.server.server_port))]

    monkeypatch.setattr(safe_http, "SECONDS", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", answer)
    webhooks.create_webhook(round_.contest, organiser(round_), receiver.url)
    announce(round_.contest, organiser(round_), "Hello", "World")
    # Were nothing else to end the wait, this would, and the delivery would succeed.
    relief = threading.Timer(20, let_go.set)
    relief.start()
    try:
        send_all()
        assert not answered.is_set()
        delivery = Delivery.objects.get()
        assert (delivery.state, delivery.tries) == (Delivery.State.WAITING, 1)
        assert "in time" in delivery.reason
    finally:
        relief.cancel()
        let_go.set()
    assert answered.wait(20)
    assert receiver.got == []


def test_what_the_resolver_leaves_of_the_time_is_what_the_rest_may_take(
    inner: None, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 107.0])
    limits = []
    timer = threading.Timer

    def watch(seconds: float, *arguments: Any) -> threading.Timer:
        limits.append(seconds)
        return timer(seconds, *arguments)

    monkeypatch.setattr(safe_http, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(threading, "Timer", watch)
    assert safe_http.post(receiver.url, b"{}", {}) == 204
    assert limits == [safe_http.SECONDS - 7]


def test_the_page_shows_the_secret_once_and_strangers_see_nothing(round_: Round) -> None:
    team = make_team(round_.contest)
    client = Client()
    client.force_login(member(team))
    url = reverse("webhooks", args=[round_.contest.slug])
    assert client.post(url, {"url": "http://127.0.0.1/"}).status_code == 422
    assert client.post(url, {"url": "https://example.org/news"}).status_code == 302
    webhook = Webhook.objects.get()
    assert webhook.team == team
    assert webhooks.secret_of(webhook) in client.get(url).content.decode()
    assert webhooks.secret_of(webhook) not in client.get(url).content.decode()
    end = reverse("webhook_end", args=[round_.contest.slug, webhook.pk])
    for stranger in (make_user(), member(make_team(round_.contest)), organiser(round_)):
        other = Client()
        other.force_login(stranger)
        assert other.post(end).status_code == 404
    assert client.get(end).status_code == 405
    client.post(end)
    webhook.refresh_from_db()
    assert webhook.ended_at is not None
    announce(round_.contest, organiser(round_), "Hello", "")
    assert webhooks.queue_deliveries() == 0
    assert not Job.objects.filter(kind=Job.Kind.WEBHOOK).exists()
