"""``kakurenbo game``: the games that are installed, what they declare, a new one, and the laws on one."""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from datasets.archive import ArchiveError
from games import skeleton
from games.cache import FolderAnswers
from games.contract.broken import BrokenGame
from games.contract.declaration import Declaration, File, in_language
from games.contract.reading import FILE, NAME, BadGame
from games.contract.sentences import sentences
from games.findings import Finding
from games.laws import checked
from games.loading import GROUP, NoGame, find_folder, installed_games, read_completed, read_folder
from games.sandboxed import NotIsolated, SandboxedGame
from games.zips import GameZip, pack, read_zip
from kakurenbo import round_commands
from kakurenbo.main import UsageError
from kakurenbo.output import write_bytes, write_text

PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "kakurenbo-game-{name}"
version = "1.0"
dependencies = ["kakurenbo"]

[project.entry-points."{group}"]
{name} = "{package}"

[tool.setuptools]
packages = ["{package}"]

[tool.setuptools.package-data]
{package} = ["**/*"]
"""

MOST_REMEMBERED = 256 << 20
"""Bytes of the answers that a test remembers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="List the games that are installed.")
    show = actions.add_parser("show", help="Show what a game declares.")
    test = actions.add_parser("test", help="Run a game's examples and the laws that hold for every game.")
    for command in (show, test):
        command.add_argument("game", help="the name of an installed game, or the folder or zip of one")
        command.add_argument("--json", action="store_true", help="print JSON")
    test.add_argument(
        "--trust", action="store_true", help="run the code of a zip without the sandbox, as that of a folder"
    )
    packing = actions.add_parser("pack", help="Write a game's folder as a zip, as organisers upload it.")
    packing.add_argument("game", help="the name of an installed game, or the folder of one")
    packing.add_argument("--out", type=Path, help="the zip to write (default: NAME-VERSION.zip)")
    new = actions.add_parser("new", help="Write a game to start from, which passes `game test`.")
    new.add_argument("name", help="small letters, digits and hyphens")
    new.add_argument("--folder", type=Path, default=Path(), help="where to put it (default: here)")
    round_commands.add_game_arguments(actions)


def run(arguments: argparse.Namespace) -> int:
    try:
        return ACTIONS[arguments.action](arguments)
    except BadGame as error:
        raise UsageError(f"The game cannot be used.\n{error}") from error
    except ArchiveError as error:
        raise UsageError(f"The zip cannot be used.\n{error}") from error
    except NotIsolated as error:
        raise UsageError(f"{error} With --trust the game runs without it, with all your rights.") from error
    except NoGame as error:
        raise UsageError(str(error)) from error


def _list(arguments: argparse.Namespace) -> int:
    games = installed_games()
    if not games:
        print("No game is installed. `kakurenbo game new NAME` writes one to start from.")
    for name, folder in games.items():
        try:
            declared = read_folder(folder)
            print(f"{name:<16}{declared.version:<8}{in_language(declared.title, 'en')}")
        except (BadGame, NoGame) as error:
            print(f"{name:<16}cannot be used: {str(error).splitlines()[0]}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    declared = _declared(arguments.game)
    shown = _described(declared)
    if arguments.json:
        print(json.dumps(shown, indent=2, ensure_ascii=False))
        return 0
    print(f"{declared.name} {declared.version}: {shown['title']}")
    for part, lines in shown.items():
        if isinstance(lines, dict) and lines:
            print(f"\n{part}")
            width = max(map(len, lines)) + 2
            for name, text in lines.items():
                print(f"  {name:<{width}}{text}")
    return 0


def _described(declared: Declaration) -> dict[str, str | dict[str, str]]:
    """The parts of a game as names with one line each."""
    names = [file.name for file in declared.files]
    files = {
        f"{file.name} ({file.scope})" if names.count(file.name) > 1 else file.name: _in_short(file)
        for file in declared.files
    }
    return {
        "name": declared.name,
        "version": declared.version,
        "title": in_language(declared.title, "en"),
        "files": files,
        "uploads": {
            file.name: " ".join(map(str, sentences(file))) for file in declared.files if file.made == "upload"
        },
        "measures": {one.name: in_language(one.title, "en") for one in declared.measures},
        "challenges": {one.name: in_language(one.question, "en") for one in declared.challenges},
        "rules": {one.name: in_language(one.formula, "en") for one in declared.rules},
        "methods": {one.name: in_language(one.title, "en") for one in declared.methods},
        "attacks": {one.name: in_language(one.title, "en") for one in declared.attacks},
        "parameters": {one.name: f"{one.expected} (default: {one.default})" for one in declared.parameters},
    }


def _in_short(file: File) -> str:
    return f"{file.scope}, {file.made}: " + (", ".join(one.name for one in file.columns) or "bytes")


def _declared(game: str) -> Declaration:
    if _is_zip(game):
        return _zip_of(game).declaration
    folder = find_folder(game)
    # An installed game is trusted; a folder from elsewhere is shown without running any of its code.
    return read_completed(folder) if game in installed_games() else read_folder(folder)


def _is_zip(game: str) -> bool:
    return game.endswith(".zip")


def _zip_of(game: str) -> GameZip:
    try:
        with Path(game).open("rb") as file:
            return read_zip(file, Path(game).name)
    except OSError as error:
        raise UsageError(f"Cannot read {game}: {error.strerror}.") from error


def _findings(arguments: argparse.Namespace) -> list[Finding]:
    """The laws on a game; the code of a zip runs in the sandbox alone, or not at all."""
    if not _is_zip(arguments.game):
        return checked(find_folder(arguments.game))
    zipped = _zip_of(arguments.game)
    with tempfile.TemporaryDirectory() as place:
        folder = zipped.unpack(Path(place, "game"))
        if arguments.trust:
            return checked(folder)
        print("Every verb runs in the sandbox.", file=sys.stderr)
        return checked(folder, made=lambda: _sandboxed(zipped, folder))


def _sandboxed(zipped: GameZip, folder: Path) -> SandboxedGame:
    """A game that remembers its calls; a second one of the same zip makes them again.

    Whoever tests a game here has chosen it, so control groups are not required.
    """
    from attacks.sandbox import run_files

    run = partial(run_files, accept_uncounted=True)
    answers = FolderAnswers(Path(tempfile.mkdtemp(dir=folder.parent)), MOST_REMEMBERED)
    return SandboxedGame(folder, zipped.declaration, run, answers=answers, identity=zipped.sha256)


def _test(arguments: argparse.Namespace) -> int:
    try:
        findings = _findings(arguments)
    except BrokenGame as error:
        print(f"BROKEN     {error.sentence} [{error.code}]")
        print(error.log, end="", file=sys.stderr)
        return 1
    failed = [finding for finding in findings if finding.holds is False]
    if arguments.json:
        print(json.dumps([finding.as_dict() for finding in findings], indent=2, ensure_ascii=False))
        return 1 if failed else 0
    words = {True: "holds", False: "BROKEN", None: "not tried"}
    for finding in findings:
        print(f"{words[finding.holds]:<11}{finding.law:<25}{finding.text or finding.meaning}")
    print("All laws hold." if not failed else f"{len(failed)} of {len(findings)} laws are broken.")
    return 1 if failed else 0


def _new(arguments: argparse.Namespace) -> int:
    name = arguments.name
    if not NAME.fullmatch(name):
        raise UsageError(
            f"name: got {name!r}, expected 1 to 50 small letters, digits and hyphens, a letter first."
        )
    project, package = arguments.folder / name, name.replace("-", "_")
    if project.exists():
        raise UsageError(f"{project} exists already; nothing was written.")
    folder = project / package
    try:
        shutil.copytree(Path(skeleton.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    except OSError as error:
        raise UsageError(f"Cannot write {folder}: {error.strerror}.") from error
    declaration = (folder / FILE).read_text(encoding="utf-8")
    titled = re.sub(r"(?m)^title: .*$", f"title: {{en: {name}}}", declaration)
    write_text(folder / FILE, re.sub(r"(?m)^name: .*$", f"name: {name}", titled, count=1))
    write_text(folder / "__init__.py", f'"""The game {name}."""\n')
    write_text(project / "pyproject.toml", PROJECT.format(name=name, package=package, group=GROUP))
    print(f"Written to {project}. Try it: kakurenbo game test {folder}")
    return 0


def _pack(arguments: argparse.Namespace) -> int:
    folder = find_folder(arguments.game)
    declared = read_folder(folder)
    out = arguments.out or Path(f"{declared.name}-{declared.version}.zip")
    content = pack(folder)
    known = read_zip(io.BytesIO(content), out.name)
    write_bytes(out, content)
    print(f"{out}: {len(known.files)} files, {len(content)} bytes, sha256 of the content {known.sha256}")
    return 0


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list, "show": _show, "test": _test, "new": _new, "pack": _pack, "build": round_commands.build,
    "hand-out": round_commands.hand_out, "board": round_commands.board,
}  # fmt: skip
