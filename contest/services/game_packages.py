"""Games that organisers upload with a contest: stored, tried in the sandbox, chosen for rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any, BinaryIO

from django.db import transaction
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.jobs import queue
from contest.language.translation import say
from contest.models import Contest, GamePackage, Job, Round, User
from contest.models.round import BuildState
from contest.records import audit
from datasets.archive import ArchiveError
from games.contract.reading import FILE, BadGame
from games.loading import NoGame
from games.zips import GameZip, read_zip

MAX_ZIP_BYTES = 64 * 1024 * 1024
MOST_PACKAGES = 50
"""Versions that a contest may hold; each may be tried again at any time."""


def upload_game(contest: Contest, user: User | None, file: IO[bytes]) -> GamePackage:
    """Take the zip of a game, or a Codabench bundle, and let a worker try its examples and the laws.

    Nothing of its code runs here. The same files uploaded again are the same game.
    """
    stored = vault.keep_game(file, MAX_ZIP_BYTES)
    with vault.open_game(stored.sha256) as opened:
        zipped = _read(opened)
    with transaction.atomic():
        if GamePackage.objects.filter(contest=contest).count() >= MOST_PACKAGES:
            text = _("A contest holds at most %(n)s versions of games.")
            raise Refused("too-many-games", text % {"n": MOST_PACKAGES})
        package, created = GamePackage.objects.get_or_create(
            contest=contest,
            origin=GamePackage.Origin.UPLOADED,
            sha256=zipped.sha256,
            defaults={
                "name": zipped.declaration.name[:60],
                "version": zipped.declaration.version[:40],
                "zip_sha256": stored.sha256,
                "declaration": zipped.files[FILE].decode("utf-8"),
                "uploaded_by": user,
            },
        )
        if created:
            after = {"name": package.name, "version": package.version, "sha256": package.sha256}
            audit.record("game.uploaded", package, contest=contest, actor=user, after=after)
            queue.enqueue_job(Job.Kind.GAME, game=package)
    return package


def _read(file: BinaryIO) -> GameZip:
    try:
        return read_zip(file)
    except ArchiveError as error:
        raise Refused("bad-game", say(error.verdict.problems[0].message)) from None
    except (BadGame, NoGame) as error:
        raise Refused("bad-game", str(error)) from None


def try_again(package: GamePackage, user: User) -> None:
    """Run the examples and laws once more."""
    with transaction.atomic():
        if Job.objects.filter(game=package, state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists():
            raise Refused("under-way", _("The game is being tried already."))
        GamePackage.objects.filter(pk=package.pk).update(state=GamePackage.State.WAITING)
        audit.record("game.tried_again", package, contest=package.contest, actor=user)
        queue.enqueue_job(Job.Kind.GAME, game=package)


def record_findings(
    claim: queue.Claim, package: GamePackage, findings: Sequence[dict[str, Any]], log: str
) -> None:
    """What its examples and the laws gave."""
    broken = any(finding["holds"] is False for finding in findings)
    state = GamePackage.State.BROKEN if broken else GamePackage.State.READY
    with claim.finish():
        GamePackage.objects.filter(pk=package.pk).update(
            state=state, findings=list(findings), log=log[:100_000]
        )
        audit.record("game.tried", package, contest=package.contest, after={"state": state})
        _continue_rounds(package)


def _continue_rounds(package: GamePackage) -> None:
    """Rounds whose data wait for the game are built now, or fail with it."""
    waiting = Round.objects.filter(game=package, build_state=BuildState.WAITING)
    for round_id in waiting.values_list("pk", flat=True):
        queue.enqueue_once(Job.Kind.BUILD, round_id)


def fail_package(package_id: int, error: str) -> None:
    """It could not be tried at all; its organisers can see why."""
    package = GamePackage.objects.select_related("contest").get(pk=package_id)
    GamePackage.objects.filter(pk=package_id).update(state=GamePackage.State.BROKEN, log=error[:100_000])
    audit.record("game.tried", package, contest=package.contest, after={"state": GamePackage.State.BROKEN})
    _continue_rounds(package)


def require_usable(package: GamePackage) -> None:
    """Refuse to play by a game that breaks a law. The data of a round wait for one that is being tried."""
    state = GamePackage.objects.values_list("state", flat=True).get(pk=package.pk)
    if state == GamePackage.State.BROKEN:
        text = _("%(game)s cannot be played: %(state)s.")
        shown = GamePackage.State(state).label
        raise Refused("game-not-ready", text % {"game": package, "state": shown})
