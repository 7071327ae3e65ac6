"""Rounds of the toy games for tests: made, entered and answered through the services."""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import timezone

from contest.files import vault
from contest.files.storage import submitted
from contest.models import Attack, Contest, GamePackage, Job, Phase, Round, Sealed, Seat, Team
from contest.models.sealed import SEED
from contest.play.house import hide_with, seek_with
from contest.play.packages import installed_package
from contest.play.table import Table
from contest.services.answers import submit_answer
from contest.services.attacks import targets_of
from contest.services.game_packages import upload_game
from contest.services.game_rounds import create_game_round
from games.rehearsal import generator
from games.round_folder import read_files
from games.zips import pack
from tests.conftest import ROOT
from tests.factories import as_zip, make_contest, work_off

TOYS = {name: ROOT / "tests" / "games" / name for name in ("pair", "pool", "locket")}
TOYS["skeleton"] = ROOT / "games" / "skeleton"
DAY = datetime.timedelta(days=1)


def game_contest(
    folder: Path, *, uploaded: bool = False, tried: bool = False, **fields: Any
) -> tuple[Contest, GamePackage]:
    """A contest with a game: installed (KAKURENBO_GAMES names its folder) or uploaded as a zip."""
    contest = make_contest(**fields)
    if not uploaded:
        return contest, installed_package(folder.name)
    organiser = contest.organisers.select_related("user").get().user
    package = upload_game(contest, organiser, io.BytesIO(pack(folder)))
    if not tried:
        # The laws take many runs in the sandbox.
        Job.objects.filter(game=package).delete()
        GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.READY)
    work_off()
    package.refresh_from_db()
    return contest, package


def make_game_round(
    contest: Contest,
    package: GamePackage,
    sources: Mapping[str, bytes] | None = None,
    secret_seed: str = "",
    *,
    is_worked_off: bool = True,
    **fields: Any,
) -> Round:
    """A round in which hiding and seeking are open now, with its data made; from a secret seed, if named."""
    now = timezone.now()
    phases = fields.pop(
        "phases",
        [
            (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
            (Phase.Kind.ATTACK, now - DAY, now + DAY),
            (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
        ],
    )
    round_ = create_game_round(
        contest,
        contest.organisers.select_related("user").get().user,
        package,
        slug=fields.pop("slug", "practice"),
        name=fields.pop("name", "Practice"),
        phases=phases,
        sources={name: io.BytesIO(content) for name, content in (sources or {}).items()},
        feedback=fields.pop("feedback", "full"),
        attacks_in_total=fields.pop("attacks_in_total", None),
        all_targets=fields.pop("all_targets", False),
        seed=fields.pop("seed", 0),
        **fields,
    )
    if secret_seed:
        kept = vault.keep_secret(secret_seed.encode())
        Sealed.objects.filter(round=round_, name=SEED).update(sha256=kept.sha256, bytes=kept.size)
    if is_worked_off:
        work_off()
    round_.refresh_from_db()
    return round_


def sources_of(folder: Path) -> dict[str, bytes]:
    return read_files(folder / "data")


def method_files(round_: Round, team: Team, method: str = "", seed: str = "entry") -> dict[str, bytes]:
    """The files of an entry that a team makes with a house method from what it may read."""
    table = Table(round_)
    described = next(one for one in table.declared.methods if not method or one.name == method)
    params = {setting.name: setting.default for setting in described.parameters}
    row = Seat.objects.select_related("team").get(round=round_, team=team)
    return hide_with(table, row, described.name, params, generator(seed, team.name))


def attack_files(round_: Round, team: Team, attack: str, seed: str = "answer") -> dict[str, bytes]:
    """The files of an answer that a team makes with a house attack from what it may read."""
    row = Seat.objects.select_related("team").get(round=round_, team=team)
    rng = generator(seed, team.name)
    return seek_with(Table(round_), row, targets_of(round_, team), attack, rng)


def answer(round_: Round, team: Team, files: Mapping[str, bytes]) -> Attack:
    stored = submitted.put(io.BytesIO(as_zip(dict(files))))
    return submit_answer(round_, team, team.memberships.select_related("user").get().user, stored)
