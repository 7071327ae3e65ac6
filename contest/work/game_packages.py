"""Trying an uploaded game: its examples and the laws, with every verb in the sandbox."""

from __future__ import annotations

import tempfile
from pathlib import Path

from contest.files import vault
from contest.jobs.queue import IN_SANDBOX, Claim
from contest.models import GamePackage
from contest.play.packages import sandbox
from contest.services import game_packages
from games.cache import FolderAnswers
from games.contract.broken import BrokenGame
from games.laws import checked
from games.sandboxed import SandboxedGame
from games.zips import GameZip, read_zip

REMEMBERED_BYTES = 256 << 20


def try_game(claim: Claim) -> None:
    package = GamePackage.objects.select_related("contest").get(jobs=claim.job)
    claim.report(10, IN_SANDBOX())
    with vault.open_game(package.zip_sha256) as file:
        zipped = read_zip(file)
    with tempfile.TemporaryDirectory(prefix="kakurenbo-game-") as place:
        try:
            findings = checked(
                folder := zipped.unpack(Path(place, "game")), made=lambda: _caged(zipped, folder)
            )
        except BrokenGame as error:
            found = {"law": error.verb or "game", "holds": False, "detail": error.sentence.as_data()}
            game_packages.record_findings(claim, package, [found], error.log)
            return
        finally:
            _writable(Path(place))
    game_packages.record_findings(claim, package, [finding.as_data() for finding in findings], "")


def _caged(zipped: GameZip, folder: Path) -> SandboxedGame:
    """A game that remembers its calls; a second one of the same zip makes them again."""
    answers = FolderAnswers(Path(tempfile.mkdtemp(dir=folder.parent)), REMEMBERED_BYTES)
    return SandboxedGame(folder, zipped.declaration, sandbox(), answers=answers, identity=zipped.sha256)


def _writable(folder: Path) -> None:
    """An unpacked game is read-only, also for who removes it."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)
