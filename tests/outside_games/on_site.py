"""A script played on a site, through the services: what teams, the house and programs hand in, and what comes
of it. Two sites that play the same script from the same seeds must agree in `everything_of`."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from contest.files.storage import submitted
from contest.models import (
    Attack,
    AttackRun,
    Contest,
    Entry,
    GamePackage,
    Job,
    Round,
    Sealed,
    Seat,
    StoredBoard,
    Team,
)
from contest.models.sealed import SEED
from contest.play.boxes import public_box
from contest.play.counting import HOUSE, cells_of
from contest.play.house import seek_with
from contest.play.table import Table
from contest.services.answers import submit_answer
from contest.services.attacks import targets_of
from contest.work.handlers import work_on
from datasets.zip_writer import zipped
from games.contract.boxes import contents
from tests.factories import make_entry, make_team
from tests.game_rounds import make_game_round
from tests.outside_games.script import Asked, Files, Place, Script, Upload

SECRET_SEED = "5eed" * 16


def work_off_boards_last(most: int = 500) -> None:
    """Do all queued jobs here. A board is counted once nothing else is left, which saves runs of a game."""
    for _ in range(most):
        queued = Job.objects.filter(state=Job.State.QUEUED).order_by("id")
        job = queued.exclude(kind=Job.Kind.TALLY).first() or queued.first()
        if job is None:
            return
        work_on(Job.Kind(job.kind))
    raise AssertionError(f"more than {most} jobs")


class Site:
    """A contest that plays a script."""

    def __init__(self, script: Script, contest: Contest, package: GamePackage, **fields: Any) -> None:
        self.script, self.contest = script, contest
        self.teams = {name: make_team(contest, name) for name in script.teams}
        self.round: Round = make_game_round(
            contest, package, script.sources, SECRET_SEED, params=script.params, **fields
        )
        work_off_boards_last()

    @property
    def table(self) -> Table:
        return Table(Round.objects.select_related("contest", "dataset", "game").get(pk=self.round.pk))

    def given(self, team: str) -> Files:
        """The files of a team's seat that it may read."""
        table = self.table
        row = Seat.objects.select_related("team").get(round=self.round, team=self.teams[team])
        seat = table.seat(row, "team", "open")
        assert seat is not None
        return contents(seat.files)

    def asked(self, team: str) -> Asked:
        """What a team may read of its targets; its own entry is none of them."""
        targets = targets_of(self.round, self.teams[team])
        own = self.given(team)
        return Asked({entry.key: contents(public_box(entry.published)) for entry in targets}, own)

    def enter(self, team: str, upload: Upload) -> Entry:
        files = dict(upload.make(self.given(team)))
        return make_entry(self.round, self.teams[team], files, variant=upload.variant)

    def answer(self, team: str, upload: bytes) -> Attack:
        row = self.teams[team]
        stored = submitted.put(io.BytesIO(upload))
        return submit_answer(self.round, row, row.memberships.select_related("user").get().user, stored)

    def send(self, team: str, files: Files) -> Attack:
        return self.answer(team, zipped(dict(files)))

    def figures(self) -> dict[Place, dict[str, Any]]:
        """The results that count, by attacker, team and challenge."""
        owner = dict(Entry.objects.filter(round=self.round).values_list("key", "team__name"))
        return {
            (cell.attacker.removeprefix(HOUSE), owner[cell.target], cell.challenge): {
                "risk": cell.result.risk, **cell.result.numbers,
            }
            for cell in cells_of(self.round)
        }  # fmt: skip

    def runs(self) -> Iterator[AttackRun]:
        """Everything that was judged."""
        done = AttackRun.objects.filter(attack__round=self.round, state=AttackRun.State.DONE)
        return done.select_related("attack__team", "entry__team").order_by("pk").iterator()

    def answer_of(self, run: AttackRun) -> Files:
        """The files that were judged; an attack of the house makes the same ones again."""
        table, attack = self.table, run.attack
        if attack.kind == Attack.Kind.HOUSE:
            rng = table.public_rng("attack", attack.name, run.entry.key)
            return seek_with(table, table.spare_seat(), [run.entry], attack.name, rng)
        with submitted.open(run.answer_sha256 or attack.upload_sha256) as file:
            archive = zipfile.ZipFile(io.BytesIO(file.read()))
        return {name: archive.read(name) for name in archive.namelist()}

    def secret(self, entry: Entry) -> Files:
        return contents(self.table.target(entry, secret=True).secret)


def boards_of(round_: Round) -> dict[str, list[tuple[str, int | None, Mapping[str, float | None]]]]:
    """The final boards: keys, places and values, attacks of the house by their own names."""
    stored = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
    return {
        board.name: [(_plain(row), row["place"], row["values"]) for row in board.rows]
        for board in stored.order_by("position")
    }


def everything_of(round_: Round) -> dict[str, Any]:
    """Every byte that was made, by its hash, and every number and sentence."""
    round_ = Round.objects.select_related("dataset").get(pk=round_.pk)
    entries, attacks = round_.entries.order_by("pk"), round_.attacks.order_by("pk")
    runs = AttackRun.objects.filter(attack__round=round_).order_by("attack_id", "entry_id", "challenge")
    sealed = Sealed.objects.filter(round=round_).exclude(name=SEED)
    boards = StoredBoard.objects.filter(round=round_).order_by("view", "position")
    return {
        "round": (round_.dataset.files, round_.dataset.facts),
        "sealed": sorted(
            sealed.values_list("scope", "seat__number", "entry__key", "name", "sha256"), key=str
        ),
        "entries": list(
            entries.values_list(
                "key", "team__name", "state", "slot", "variant", "labels", "published", "problems",
                "costs_attempt", "is_official", "measures", "utility", "parts", "because", "risk",
                "numbers", "strongest_attack",
            )
        ),
        "answers": list(
            attacks.values_list(
                "kind", "name", "version", "team__name", "state", "problems", "costs_attempt",
                "is_pinned", "upload_sha256",
            )
        ),
        "runs": list(
            runs.values_list(
                "attack__kind", "attack__name", "attack__version", "entry__key", "challenge", "state",
                "reason", "risk", "numbers", "low", "high", "baseline", "evidence_sha256",
                "answer_sha256",
            )
        ),
        "boards": [
            (board.view, board.name, board.columns, list(map(_without_times, board.rows)), board.shown)
            for board in boards
        ],
    }  # fmt: skip


def _without_times(row: Mapping[str, Any]) -> dict[str, Any]:
    """The chain by which a row is placed ends with when its entry came, which two sites need not share."""
    return {name: value for name, value in row.items() if name != "chain"}


def _plain(row: Mapping[str, Any]) -> str:
    key = str(row["key"])
    return key.removeprefix(HOUSE) if row["kind"] == "attack" else key


def team_named(site: Site, name: str) -> Team:
    """A team that registers while the round is played, and gets a seat."""
    site.teams[name] = make_team(site.contest, name)
    work_off_boards_last()
    return site.teams[name]
