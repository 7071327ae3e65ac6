"""From the row of a game to its declaration and its code. That of an uploaded game runs in the sandbox."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import lru_cache, partial
from pathlib import Path
from typing import cast

from django.conf import settings
from django.utils.translation import gettext as _

import games
from contest.errors import Refused
from contest.files import vault
from contest.models import GamePackage
from games.cache import FolderAnswers
from games.contract.declaration import Declaration
from games.contract.game import Game
from games.contract.presets import Preset, read_presets
from games.loading import (
    COMPLETION,
    VARIABLE,
    NoGame,
    declared_in,
    find_folder,
    installed_games,
    load_folder,
    read_completed,
)
from games.round_folder import read_files
from games.sandboxed import Sandbox, SandboxedGame
from games.stage import SOURCES
from games.zips import LITTER, read_zip

MOST_TEXT_BYTES = 200_000
REMEMBERED_BYTES = 512 << 20
"""Answers of uploaded games that a machine remembers."""


def declaration_of(package: GamePackage) -> Declaration:
    """What a game declares; none of an uploaded game's code runs for it."""
    if package.is_uploaded:
        return _declared(package.declaration)
    declared = _installed_declaration(package.name, os.environ.get(VARIABLE, ""))
    _require_version(package, declared)
    return declared


def game_of(package: GamePackage) -> Game:
    """The verbs of a game: its code where the site has installed it, otherwise the sandbox."""
    if package.is_uploaded:
        return _sandboxed(package.sha256, package.zip_sha256, package.declaration)
    game = _installed_game(package.name, os.environ.get(VARIABLE, ""))
    _require_version(package, game.declaration)
    return game


def game_text(package: GamePackage, name: str) -> str:
    """A text file of a game, such as its rules in Markdown; nothing where it has no such file."""
    folder = _place(package)
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MOST_TEXT_BYTES).decode("utf-8", "replace")


def presets_of(package: GamePackage) -> list[Preset]:
    """The presets of a game that can be read, in the order in which it names them."""
    declared = declaration_of(package)
    return list(read_presets(declared, partial(game_text, package)).values())


def open_files(package: GamePackage) -> dict[str, bytes] | None:
    """The files of a game that teams may have, with which its verbs run on their machines; None where its
    authors keep the code. What organisers would bring is never among them."""
    folder = _place(package)
    is_of_house = folder.resolve().is_relative_to(Path(games.__file__).resolve().parent)
    if not (is_of_house or declaration_of(package).open_code):
        return None
    # Of an uploaded game the platform ignores what Python would add to the declaration.
    left_out = {SOURCES, COMPLETION} if package.is_uploaded else {SOURCES}
    return {
        name: content
        for name, content in read_files(folder).items()
        if name.split("/")[0] not in left_out and not set(name.split("/")) & set(LITTER)
    }


def _place(package: GamePackage) -> Path:
    if package.is_uploaded:
        return _unpacked(package.sha256, package.zip_sha256)
    return find_folder(package.name)


def installed_package(name: str) -> GamePackage:
    """The row of an installed game, in the version that is installed now."""
    try:
        declared = _installed_declaration(name, os.environ.get(VARIABLE, ""))
    except NoGame as error:
        raise Refused("no-such-game", str(error)) from None
    package, _made = GamePackage.objects.get_or_create(
        name=declared.name,
        version=declared.version,
        origin=GamePackage.Origin.INSTALLED,
        defaults={"state": GamePackage.State.READY},
    )
    return package


def installed_declarations() -> list[Declaration]:
    """What all installed games declare. Each is read once, because anybody may ask for all of them."""
    listed = os.environ.get(VARIABLE, "")
    return [_installed_declaration(name, listed) for name in installed_games()]


def installed_presets(name: str) -> list[Preset]:
    """The presets of an installed game; each is read once, as its declaration is."""
    return list(_installed_presets(name, os.environ.get(VARIABLE, "")))


def _require_version(package: GamePackage, declared: Declaration) -> None:
    if declared.version != package.version:
        text = _("This round is played by version %(wanted)s of %(name)s; installed is %(got)s.")
        values = {"wanted": package.version, "name": package.name, "got": declared.version}
        raise Refused("other-version", text % values)


@lru_cache(maxsize=64)
def _declared(text: str) -> Declaration:
    return declared_in(text.encode(), "the game")


@lru_cache(maxsize=32)
def _installed_declaration(name: str, listed: str) -> Declaration:
    return read_completed(find_folder(name))


@lru_cache(maxsize=32)
def _installed_presets(name: str, listed: str) -> tuple[Preset, ...]:
    folder, declared = find_folder(name), _installed_declaration(name, listed)
    found = read_presets(declared, lambda file: (folder / file).read_text(encoding="utf-8"))
    return tuple(found.values())


@lru_cache(maxsize=32)
def _installed_game(name: str, listed: str) -> Game:
    return load_folder(find_folder(name))


@lru_cache(maxsize=16)
def _sandboxed(sha256: str, zip_sha256: str, declaration: str) -> Game:
    # What answers are remembered by names the whole call, so several contests may share them.
    answers = FolderAnswers(_folder() / "answers", REMEMBERED_BYTES)
    folder = _unpacked(sha256, zip_sha256)
    return SandboxedGame(folder, _declared(declaration), sandbox(), answers=answers, identity=sha256)


def sandbox() -> Sandbox:
    """Where uploaded games run, as the settings say."""
    from attacks.sandbox import run_files

    run = partial(run_files, backend=settings.SANDBOX, accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS)
    return cast(Sandbox, run)


def _folder() -> Path:
    place = settings.VAR / "games"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def _unpacked(sha256: str, zip_sha256: str) -> Path:
    """The files of an uploaded game, which appear whole or not at all."""
    place = _folder() / sha256
    if not place.is_dir():
        part = Path(tempfile.mkdtemp(prefix="part-", dir=_folder()))
        with vault.open_game(zip_sha256) as file:
            read_zip(file).unpack(part / "game")
        try:
            (part / "game").chmod(0o755)
            (part / "game").rename(place)
            place.chmod(0o555)
        except OSError:
            # Another process was faster; its files are the same.
            if not place.is_dir():
                raise
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return place
