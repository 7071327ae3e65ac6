"""From the folder of a game to its code. Only for games that a site trusts; no uploaded one is imported."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType

from games.contract.declaration import Declaration
from games.contract.game import Game
from games.contract.reading import FILE, check_completed, read_declaration

CODE = "game.py"
VARIABLE = "KAKURENBO_GAMES"
COMPLETION = "declare.py"
"""Beside `game.yaml`, for games that a site trusts: its function `completed` adds what registries know."""
GROUP = "kakurenbo.games"
"""The entry points by which an installed package says that it is a game; the value names the package."""


class NoGame(LookupError):
    """A folder, a package or a name that is no game; the text says why."""


def read_folder(folder: Path) -> Declaration:
    """What the game in a folder declares, without running it."""
    file = folder / FILE
    if not file.is_file():
        raise NoGame(f"There is no {FILE} in {folder.name}.")
    return declared_in(file.read_bytes(), folder.name)


def declared_in(content: bytes, place: str) -> Declaration:
    """What the bytes of a `game.yaml` declare."""
    try:
        return read_declaration(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NoGame(f"{FILE} in {place} is not UTF-8: {error.reason} at byte {error.start}.") from None


def read_completed(folder: Path) -> Declaration:
    """What a trusted game declares, with what the Python beside its `game.yaml` adds."""
    declaration = read_folder(folder)
    if not (folder / COMPLETION).is_file():
        return declaration
    added: Declaration = _imported(folder.resolve(), COMPLETION).completed(declaration)
    check_completed(added, (folder / FILE).read_text(encoding="utf-8"))
    return added


def load_folder(folder: Path, declaration: Declaration | None = None) -> Game:
    """Import the code of a game: the class `Game` of its `game.py`, which may import what is beside it.

    Without a declaration the game has all that its `game.yaml` and its `declare.py` say.
    """
    declaration = declaration or read_completed(folder)
    module = _imported(folder.resolve(), CODE)
    made = getattr(module, "Game", None)
    if not (isinstance(made, type) and issubclass(made, Game)) or made is Game:
        raise NoGame(f"{CODE} in {folder.name} has no class Game that is a game.")
    game: Game = made()
    game.declaration = declaration
    return game


def _imported(folder: Path, file: str) -> ModuleType:
    if not (folder / file).is_file():
        raise NoGame(f"There is no {file} in {folder.name}.")
    package = f"kakurenbo_game_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    if package not in sys.modules:
        holder = ModuleType(package)
        holder.__path__ = [str(folder)]
        sys.modules[package] = holder
    return importlib.import_module(f"{package}.{Path(file).stem}")


def installed_games() -> dict[str, Path]:
    """The folders of all games that are installed as packages, by the names of their entry points, and of
    those in the folders that `KAKURENBO_GAMES` lists."""
    listed = map(Path, filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
    found = {read_folder(folder).name: folder for folder in listed}
    for point in metadata.entry_points(group=GROUP):
        try:
            spec = importlib.util.find_spec(point.value)
        except ModuleNotFoundError:
            continue
        if spec is not None and spec.submodule_search_locations:
            found[point.name] = Path(next(iter(spec.submodule_search_locations)))
    return dict(sorted(found.items()))


def find_folder(name: str) -> Path:
    """The folder of an installed game, or one that is named by its path."""
    games = installed_games()
    if name in games:
        return games[name]
    if (Path(name) / FILE).is_file():
        return Path(name)
    known = ", ".join(games) or "none"
    raise NoGame(f"There is no game {name!r}, neither installed nor as a folder. Installed are: {known}.")
