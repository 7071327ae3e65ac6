"""Every page of a round that is played by a game: for everybody, in both languages, in every phase.

What is secret is replaced by poison before the pages are read: neither it nor its hash may come out, unless
the game declares that this reader may have it now. Who may is written here once more, from the declaration.
"""

from __future__ import annotations

import datetime
import io
import itertools
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import single_flight_cache
from contest.files import vault
from contest.models import Attack, Entry, Phase, Round, Sealed, Seat, Team, User
from contest.models.sealed import SEED
from contest.play.packages import declaration_of
from contest.play.table import Table
from contest.urls import ROUND, urlpatterns
from games.contract.declaration import Shown
from tests.factories import as_zip, make_entry, make_team, make_user, work_off
from tests.game_rounds import (
    TOYS,
    answer,
    attack_files,
    game_contest,
    make_game_round,
    method_files,
    sources_of,
)
from tests.security.crawl import crawl

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)
PHASES = ("before", "anonymise", "attack", "results", "revealed")
MOMENTS = ("open", "publish", "reveal", "never")
SHOP = re.compile(
    r"\b(?:customers?|receipts?|purchases?|baskets?|[MTPQ]\.csv)\b|顧客|レシート|購入|買い物かご|商品",
    re.IGNORECASE,
)
IN_ENGLISH = (("attack", "haru"), ("results", "visitor"))
"""The looks that are taken in English, too."""
GAMES = [*TOYS, "seek-only"]


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


@dataclass
class World:
    """A played round with its people."""

    round: Round
    people: dict[str, User | None]
    teams: dict[str, Team]

    def client(self, role: str, language: str) -> Client:
        single_flight_cache.forget_everything()
        cache.clear()
        client = Client(headers={"accept-language": language})
        user = self.people[role]
        if user is not None:
            client.force_login(user)
        return client


def played_world(name: str, feedback: str = "none") -> World:
    """Two teams hide where the round has hiding, one seeks, and so does the house; a third team looks on."""
    folder = TOYS["pool" if name == "seek-only" else name]
    contest, package = game_contest(folder)
    people = {role: make_user(role) for role in ("aki", "haru", "natsu")}
    teams = {role: make_team(contest, role.title(), user) for role, user in people.items()}
    now = timezone.now()
    hiding = [] if name == "seek-only" else [(Phase.Kind.ANONYMISE, now - DAY, now + DAY)]
    later = [
        (Phase.Kind.ATTACK, now + DAY, now + 2 * DAY),
        (Phase.Kind.RESULTS, now + 2 * DAY, now + 3 * DAY),
    ]
    attacks = [attack.name for attack in declaration_of(package).attacks]
    phases = [*hiding, *later]
    round_ = make_game_round(
        contest, package, sources_of(folder), phases=phases, feedback=feedback, attacks=attacks
    )
    organiser = contest.organisers.select_related("user").get().user
    world = World(round_, {"visitor": None, "organiser": organiser, **people}, teams)
    declared = Table(round_).declared
    if hiding:
        methods = [method.name for method in declared.methods]
        for role, method in (("aki", methods[0]), ("haru", methods[-1])):
            files = method_files(round_, teams[role], method)
            make_entry(round_, teams[role], files, slot=declared.slots[0])
    work_off()
    set_phase(world, "attack")
    answer(world.round, teams["haru"], attack_files(world.round, teams["haru"], attacks[0]))
    work_off()
    return world


def set_phase(world: World, kind: str) -> None:
    """Let one phase be open now, and the others be over or to come; the clock has done its work."""
    now, place = timezone.now(), PHASES.index(kind)
    order = [Phase.Kind.ANONYMISE, Phase.Kind.ATTACK, Phase.Kind.RESULTS]
    for number, phase in enumerate(order, start=1):
        start = now + (number - min(place, 3)) * 2 * DAY - DAY
        Phase.objects.filter(round=world.round, kind=phase).update(starts_at=start, ends_at=start + 2 * DAY)
    Round.objects.filter(pk=world.round.pk).update(
        frozen_at=now if place >= 2 else None, revealed_at=now if place >= 4 else None
    )
    world.round = Round.objects.select_related("contest", "dataset", "game").get(pk=world.round.pk)


def poison(world: World) -> dict[int, tuple[bytes, str]]:
    """Every secret file of the round gets a content that is recognised; its key → content and hash."""
    found = {}
    for row in Sealed.objects.filter(round=world.round):
        content = f"poison {row.scope} {row.pk} poison".encode()
        sha256 = vault.keep_secret(content).sha256
        Sealed.objects.filter(pk=row.pk).update(sha256=sha256)
        found[row.pk] = (content, sha256)
    return found


def reached(shown: str, moment: str | None) -> bool:
    return moment is not None and shown != "never" and MOMENTS.index(shown) <= MOMENTS.index(moment)


def moment(world: World, kind: str, role: str) -> str | None:
    has_hiding = Phase.objects.filter(round=world.round, kind=Phase.Kind.ANONYMISE).exists()
    begun = {"before": False, "anonymise": has_hiding}.get(kind, True)
    names = {"before": "open", "anonymise": "open", "attack": "publish", "results": "publish"}
    return names.get(kind, "reveal") if begun or role == "organiser" else None


def may_read(world: World, row: Sealed, kind: str, role: str) -> bool:
    """From the declaration alone: to everybody from a moment on, to its own team from another."""
    if row.name == SEED:
        return False
    file = Table(world.round).declared.file(row.name, row.scope)  # type: ignore[arg-type]
    assert file is not None
    shown: Shown = file.shown
    now = moment(world, kind, role)
    own = row.seat.team_id if row.seat else row.entry.team_id if row.entry else None
    is_own = own is not None and role in world.teams and world.teams[role].pk == own
    return reached(shown.all, now) or (is_own and reached(shown.team, now))


def addresses(world: World) -> Iterator[str]:
    """Every address of a round, with everything that there is and something that there is not."""
    round_ = world.round
    values: dict[str, list[Any]] = {
        "slug": [round_.contest.slug],
        "round_slug": [round_.slug],
        "entry_id": list(Entry.objects.filter(round=round_).values_list("pk", flat=True)[:4]),
        "attack_id": list(Attack.objects.filter(round=round_).values_list("pk", flat=True)),
        "team_order_id": [1],
        "number": list(Seat.objects.filter(round=round_).values_list("number", flat=True)),
        "kind": ["csv", "json", "xml"],
        "cell": ["utility"],
        "challenge": [one.name for one in Table(round_).declared.challenges],
        "form": ["svg"],
        "name": ["data.zip", "mine.zip", "map", "nothing.csv"],
    }
    sealed = Sealed.objects.filter(round=round_).values_list("name", flat=True)
    files = sorted({*sealed, *round_.dataset.files, *(name for one in published(round_) for name in one)})
    patterns: list[Any] = list(urlpatterns)
    for pattern in patterns:
        route = str(getattr(pattern.pattern, "_route", ""))
        if not route.startswith(ROUND):
            continue
        names = re.findall(r"<(\w+):(\w+)>", route)
        choices = [files if kind == "path" else values[name] for kind, name in names]
        for chosen in itertools.product(*choices):
            try:
                yield reverse(
                    pattern.name, kwargs=dict(zip((name for _, name in names), chosen, strict=True))
                )
            except Exception:  # noqa: BLE001  # a name that this address cannot have
                continue


def published(round_: Round) -> list[dict[str, str]]:
    return list(Entry.objects.filter(round=round_).values_list("published", flat=True))


def body_of(answer: Any) -> bytes:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return unpacked(body) if body.startswith(b"PK") else body


def unpacked(content: bytes) -> bytes:
    """All files of a zip, one after the other; what is packed in them needs no second look."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"\n".join(archive.read(name) for name in archive.namelist() if not name.endswith(".whl"))


@pytest.mark.parametrize("name", GAMES)
def test_every_page_of_a_round_in_every_phase_for_everybody(name: str) -> None:
    world = played_world(name)
    secrets = poison(world)
    rows = list(Sealed.objects.filter(round=world.round).select_related("seat", "entry"))
    contest = world.round.contest
    more = [
        "/",
        reverse("contest", args=[contest.slug]),
        reverse("tour", args=[contest.slug]),
        reverse("changes", args=[contest.slug]),
        *(reverse("team", args=[contest.slug, team.pk]) for team in world.teams.values()),
    ]
    faults = []
    for kind in PHASES:
        set_phase(world, kind)
        paths = [*more, *dict.fromkeys(addresses(world))]
        for role in ("visitor", "haru", "natsu", "organiser"):
            hidden = [secrets[row.pk] for row in rows if not may_read(world, row, kind, role)]
            for language in ("en", "ja") if (kind, role) in IN_ENGLISH else ("ja",):
                client = world.client(role, language)
                for path in paths:
                    found = fault_of(client.get(path), hidden)
                    if found:
                        faults.append((kind, role, language, path, found))
    assert faults == []


def fault_of(page: Any, hidden: list[tuple[bytes, str]]) -> object:
    """What is wrong with an answer: its status, a secret in it, or a word of the shops."""
    body = body_of(page)
    if page.status_code not in (200, 302, 404, 405):
        return page.status_code
    for content, sha256 in hidden:
        if content in body or sha256.encode() in body:
            return content
    if page.status_code == 200 and page["Content-Type"].startswith("text/html"):
        said = re.sub(r"<[^>]+>", " ", body.decode())
        return [found.group() for found in SHOP.finditer(said)]
    return None


@pytest.mark.parametrize("name", ["pair", "pool"])
def test_who_may_read_a_file_gets_it(name: str) -> None:
    world = played_world(name)
    secrets = poison(world)
    rows = list(Sealed.objects.filter(round=world.round).select_related("seat", "entry"))
    place = [world.round.contest.slug, world.round.slug]
    given = 0
    for kind in ("anonymise", "revealed"):
        set_phase(world, kind)
        for role in ("visitor", "aki", "haru"):
            client = world.client(role, "en")
            for row in rows:
                if row.scope == "entry":
                    path = reverse("entry_download", args=[*place, row.entry_id, row.name])
                elif row.seat:
                    path = reverse("seat_download", args=[*place, row.seat.number, row.name])
                else:
                    path = reverse("game_download", args=[*place, row.name])
                page = client.get(path)
                allowed = may_read(world, row, kind, role)
                assert page.status_code == (200 if allowed else 404), (kind, role, path)
                if allowed:
                    assert body_of(page) == secrets[row.pk][0]
                    given += 1
    assert given > 0


@pytest.mark.parametrize("name", ["pair", "pool"])
def test_every_link_that_somebody_is_shown_leads_somewhere(name: str) -> None:
    world = played_world(name, "full")
    for role in ("visitor", "aki"):
        client = world.client(role, "en")
        found = crawl(client, (world.round.get_absolute_url(),), most=400)
        inside = [path for path in found if path.startswith(world.round.get_absolute_url())]
        assert len(inside) > 10
        for path in inside:
            page = client.get(path)
            body_of(page)
            assert page.status_code in (200, 302, 405), (role, path)


def uploaded(files: dict[str, bytes]) -> dict[str, Any]:
    return {"archive": SimpleUploadedFile("files.zip", as_zip(files), "application/zip")}


def test_a_team_checks_hands_in_answers_and_pins_by_pages() -> None:
    world = played_world("pool")
    round_, team = world.round, world.teams["natsu"]
    place = [round_.contest.slug, round_.slug]
    set_phase(world, "anonymise")
    client = world.client("natsu", "ja")
    upload = reverse("upload", args=place)
    few = client.post(upload, {**uploaded({"synthetic.csv": b"x\n1\n2\n"}), "check": "1"})
    assert few.status_code == 422
    assert "行以上" in few.content.decode(), "the game's own words, in the reader's language"
    files = method_files(round_, team)
    assert client.post(upload, {**uploaded(files), "check": "1"}).status_code == 200
    assert not Entry.objects.filter(round=round_, team=team).exists(), "a check stores nothing"
    assert client.post(upload, uploaded(files)).status_code == 302
    work_off()
    assert Entry.objects.get(round=round_, team=team).state == Entry.State.VALID
    set_phase(world, "attack")
    answers = attack_files(world.round, team, "nearest")
    sent = client.post(reverse("guesses", args=place), uploaded(answers))
    assert sent.status_code == 302
    work_off()
    attack = Attack.objects.get(round=round_, team=team)
    assert attack.state == Attack.State.JUDGED, attack.problems
    assert client.post(reverse("answer_pin", args=[*place, attack.pk])).status_code == 302
    attack.refresh_from_db()
    assert attack.is_pinned
    other = world.client("haru", "en")
    assert other.post(reverse("answer_pin", args=[*place, attack.pk])).status_code == 404


def test_an_odd_answer_is_read_and_its_page_has_notes_totals_and_links() -> None:
    world = played_world("pool", "full")
    round_, team = world.round, world.teams["natsu"]
    set_phase(world, "attack")
    plain = attack_files(round_, team, "nearest")
    quoted = {
        name: b"".join(
            b",".join(b'"%s"' % cell for cell in line.split(b",")) + b"\n" for line in raw.splitlines()
        )
        for name, raw in plain.items()
    }
    client = world.client("natsu", "en")
    place = [round_.contest.slug, round_.slug]
    assert client.post(reverse("guesses", args=place), uploaded(quoted)).status_code == 302
    work_off()
    attack = Attack.objects.filter(round=round_, team=team).latest("pk")
    assert attack.state == Attack.State.JUDGED, attack.problems
    assert {remark["code"] for remark in attack.remarks} == {"quoted-cells"}
    page = client.get(attack.get_absolute_url()).content.decode()
    assert "The cells are in quotes. They were read without them." in page
    run = attack.runs.select_related("entry__round__contest").first()
    assert run is not None
    assert f'<a href="{run.entry.get_absolute_url()}">' in page
    assert "Highest risk" in page
    seek = client.get(reverse("seek", args=place)).content.decode()
    assert f'<a href="{run.entry.get_absolute_url()}">' in seek
