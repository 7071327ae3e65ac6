"""A contest of an installed game as people play it: by pages, by the API and by the command line."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import Attack, Contest, Entry, Phase, Round, Seat, Team, User
from contest.play.boxes import sealed_box
from contest.play.table import Table
from contest.services.phase_clock import run_clock
from contest.services.tokens import create_token
from games.contract.boxes import contents, write_files
from games.loading import find_folder, load_folder
from games.rehearsal import Entered, Rehearsal
from games.round_folder import write_entry, write_round
from kakurenbo.client import Client as SiteClient
from kakurenbo.client import LogIn
from kakurenbo.main import main
from tests.factories import as_zip, make_user
from tests.outside_games.on_site import work_off_boards_last

Files = dict[str, bytes]
TEAMS = {"aki": "Aki", "haru": "Haru", "natsu": "Natsu"}
"""The first plays by pages, the second by the API, the third by the command line."""


@dataclass
class PlayedGame:
    """One contest of a game on a served site, with a folder for what people write."""

    game: str
    site: str
    place: Path
    printed: Any
    users: dict[str, User] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def contest(self) -> Contest:
        return Contest.objects.get(slug=self.game)

    @property
    def round(self) -> Round:
        return Round.objects.select_related("contest", "dataset", "game").get(contest__slug=self.game)

    @property
    def table(self) -> Table:
        return Table(self.round)

    def team(self, who: str) -> Team:
        return Team.objects.get(contest__slug=self.game, name=TEAMS[who])

    def seat(self, who: str) -> Seat:
        return Seat.objects.select_related("team").get(round=self.round, team=self.team(who))

    def entry(self, who: str) -> Entry:
        return Entry.objects.select_related("team").get(round=self.round, team=self.team(who))

    def answer(self, who: str) -> Attack:
        return Attack.objects.get(round=self.round, team=self.team(who))

    def browser(self, who: str) -> Client:
        client = Client(headers={"accept-language": "en"})
        client.force_login(self.users[who])
        return client

    def address(self, name: str, *more: object) -> str:
        return reverse(name, args=[self.game, "round-1", *more])

    def api(self, who: str) -> SiteClient:
        return SiteClient(LogIn(self.site, self.tokens[who]))

    def path(self, rest: str) -> str:
        return f"contests/{self.game}/rounds/round-1/{rest}"

    def run(self, *words: object) -> str:
        """What a command prints; it must end well."""
        self.printed.readouterr()
        code = main([str(word) for word in words])
        out, err = self.printed.readouterr()
        assert code == 0, (words, code, out, err)
        return str(out)

    def run_json(self, *words: object) -> Any:
        return json.loads(self.run(*words, "--json"))

    def make_contest(self, methods: list[str], attacks: list[str]) -> None:
        """The organiser fills in the page for a new contest of this game."""
        self.users["oni"] = make_user("oni", is_staff=True)
        client, page = self.browser("oni"), reverse("contest_from_game", args=[self.game])
        form = client.get(page).context["form"]
        given = {name: form.get_initial_for_field(one, name) for name, one in form.fields.items()}
        small = {f"param-{name}": value for name, value in form.declared.rehearsal.items()}
        wanted = {"title": "Played", "slug": self.game, "summary": "A real game.", "is_public": "on"}
        chosen = {"rule": form.declared.rules[0].name, "methods": methods, "attacks": attacks}
        filled = {**given, **small, **wanted, **chosen}
        sent = {
            name: value if isinstance(value, list) else str(value)
            for name, value in filled.items()
            if value is not None and value is not False
        }
        answer = client.post(page, sent)
        assert answer.status_code == 302, answer.context["form"].errors
        work_off_boards_last()
        self.tick()

    def sign_up(self) -> None:
        for who, name in TEAMS.items():
            self.users[who] = make_user(who)
            answer = self.browser(who).post(reverse("team_create", args=[self.game]), {"name": name})
            assert answer.status_code == 302
            self.tokens[who] = create_token(self.users[who], "laptop", ["read", "submit"], 7)
        work_off_boards_last()
        self.run("login", self.site, "--token", self.tokens["natsu"], "--contest", self.game)

    def move(self, kind: Phase.Kind, act: str) -> None:
        """The organiser closes or opens a phase on the timeline; the clock does what follows."""
        phase = Phase.objects.get(round=self.round, kind=kind)
        seen = {
            "seen_starts": phase.starts_at.isoformat(),
            "seen_ends": phase.ends_at.isoformat(),
            "reason": "as planned",
        }
        client = self.browser("oni")
        client.post(reverse("organise_phase", args=[self.game, phase.pk, act]), seen)
        self.tick()
        phase.refresh_from_db()
        assert (phase.closed_at if act == "close" else phase.opened_at) is not None, (kind, act)

    def tick(self) -> None:
        """Let the clock and the workers take turns until nothing moves."""
        while run_clock(timezone.now()):
            work_off_boards_last()

    def downloaded_by_page(self, who: str) -> tuple[Files, Files]:
        """The files of the round and of the own seat, from the two zips of the data page."""
        client = self.browser(who)
        pages = [client.get(self.address("dataset_download", name)) for name in ("data.zip", "mine.zip")]
        return tuple(_members(page) if page.status_code == 200 else {} for page in pages)  # type: ignore[return-value]

    def downloaded_by_api(self, who: str) -> tuple[Files, Files]:
        api, mine = self.api(who), self.seat(who).number
        files: tuple[Files, Files] = ({}, {})
        for row in api.pages(self.path("files/")):
            name = row["name"]
            if row["seat"] is None:
                files[0][name] = api.read(self.path(f"files/{name}"))
            elif row["seat"] == mine:
                files[1][name] = api.read(self.path(f"seats/{mine}/files/{name}"))
        return files

    def fetched(self, name: str) -> Path:
        """The folder that the command line makes of what its team may read."""
        self.run("fetch", "--out", self.place / name)
        return self.place / name

    def written(self, name: str, files: Files) -> Path:
        write_files(self.place / name, files)
        return self.place / name

    def upload_by_page(self, who: str, view: str, files: Files, **fields: object) -> None:
        archive = SimpleUploadedFile("files.zip", as_zip(files), "application/zip")
        answer = self.browser(who).post(self.address(view), {"archive": archive, **fields})
        assert answer.status_code == 302, answer.context["form"].errors

    def upload_by_api(self, who: str, rest: str, files: Files, **fields: str) -> None:
        path = self.place / f"{who}.zip"
        path.write_bytes(as_zip(files))
        self.api(who).upload(self.path(rest), {"archive": path}, fields)

    def organisers_folder(self, name: str) -> Path:
        """The whole round as a folder: every file with its secrets, and every target that counts."""
        table, declared = self.table, self.table.declared
        sealed = {row.name: row for row in table._sealed("round")}
        kept = contents(sealed_box([row for row in sealed.values() if declared.file(row.name, "round")]))
        seats = {seat.number: seat for seat in Seat.objects.filter(round=self.round).select_related("team")}
        files = {}
        for number, seat in seats.items():
            judged = table.seat(seat)
            assert judged is not None
            files[number] = contents(judged.files) | contents(judged.secret)
        names = [seats[n].team.name if n in seats and seats[n].team else "" for n in range(max(seats) + 1)]  # type: ignore[union-attr]
        round_files = contents(table.world(secret=False).public) | kept
        game = load_folder(find_folder(self.game))
        made = Rehearsal.restored(game, names, table.params, table.seed, round_files, files)
        write_round(self.place / name, made)
        for entry in Entry.objects.filter(round=self.round, is_official=True).select_related("team"):
            target = table.target(entry, secret=True, reader="judge")
            write_entry(self.place / name, entry.key, Entered(target=target))
        return self.place / name


def _members(page: Any) -> Files:
    with zipfile.ZipFile(io.BytesIO(b"".join(page.streaming_content))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
