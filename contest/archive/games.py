"""The games of an imported contest: whether they are what the archive says, and whether they are here."""

from __future__ import annotations

from django.utils.translation import gettext as _

from contest.archive.rows import require_plain
from contest.errors import Refused
from contest.files import vault
from contest.models import Contest, Entry, GamePackage, Sealed
from contest.models.sealed import SEED
from contest.play.packages import declaration_of
from contest.records.verify import BadArchive
from datasets.archive import ArchiveError
from games.contract.guard import TARGET
from games.contract.reading import FILE, BadGame
from games.loading import NoGame
from games.zips import read_zip


def require_sound_games(contest: Contest) -> None:
    """Refuse a game that is not the one of its zip, and names that could lead out of a folder."""
    for package in GamePackage.objects.filter(contest=contest):
        _require_same_game(package)
    keys = Entry.objects.filter(round__contest=contest).exclude(key="").values_list("key", flat=True)
    for key in keys:
        if not TARGET.fullmatch(key):
            raise BadArchive(f"rows/entry.jsonl: got the key {key!r}, expected the name of a target.")
    sealed = Sealed.objects.filter(round__contest=contest).exclude(name=SEED)
    for name in sealed.values_list("name", flat=True).distinct():
        require_plain(name, "rows/sealed.jsonl")


def _require_same_game(package: GamePackage) -> None:
    """Folders and remembered answers are found by the hash of a game, so an archive cannot just state it."""
    where = f"rows/gamepackage.jsonl, {package}"
    try:
        with vault.open_game(package.zip_sha256) as file:
            zipped = read_zip(file)
    except (OSError, ArchiveError, BadGame, NoGame) as error:
        raise BadArchive(f"{where}: no game can be read from its zip ({error}).") from None
    declared = zipped.declaration
    found = (zipped.sha256, declared.name[:60], declared.version[:40], zipped.files[FILE].decode("utf-8"))
    if found != (package.sha256, package.name, package.version, package.declaration):
        raise BadArchive(f"{where}: its zip holds another game, {declared.name} {declared.version}.")


def absent_games(contest: Contest) -> list[str]:
    """Why games of a contest cannot be played here, in sentences; everything else of it is here."""
    said = []
    packages = GamePackage.objects.filter(rounds__contest=contest, origin=GamePackage.Origin.INSTALLED)
    for package in packages.distinct().order_by("pk"):
        try:
            declaration_of(package)
        except NoGame:
            text = _("The game %(game)s is not installed here: its rounds can be read, not counted again.")
            said.append(text % {"game": package})
        except Refused as refusal:
            said.append(refusal.text)
    return said
