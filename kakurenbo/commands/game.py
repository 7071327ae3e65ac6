"""``kakurenbo game``: the games that are installed, what they declare, a new one, and the laws on one."""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from games import skeleton
from games.contract.declaration import Declaration, File, in_language
from games.contract.reading import FILE, NAME, BadGame
from games.laws import checked
from games.loading import GROUP, NoGame, find_folder, installed_games, read_completed, read_folder
from kakurenbo.main import UsageError
from kakurenbo.output import write_text

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="List the games that are installed.")
    show = actions.add_parser("show", help="Show what a game declares.")
    test = actions.add_parser("test", help="Run a game's examples and the laws that hold for every game.")
    for command in (show, test):
        command.add_argument("game", help="the name of an installed game, or the folder of one")
        command.add_argument("--json", action="store_true", help="print JSON")
    new = actions.add_parser("new", help="Write a game to start from, which passes `game test`.")
    new.add_argument("name", help="small letters, digits and hyphens")
    new.add_argument("--folder", type=Path, default=Path(), help="where to put it (default: here)")


def run(arguments: argparse.Namespace) -> int:
    try:
        return ACTIONS[arguments.action](arguments)
    except BadGame as error:
        raise UsageError(f"The game cannot be used.\n{error}") from error
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
    folder = find_folder(arguments.game)
    # An installed game is trusted; a folder from elsewhere is shown without running any of its code.
    declared = read_completed(folder) if arguments.game in installed_games() else read_folder(folder)
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
        "measures": {one.name: in_language(one.title, "en") for one in declared.measures},
        "challenges": {one.name: in_language(one.question, "en") for one in declared.challenges},
        "rules": {one.name: in_language(one.formula, "en") for one in declared.rules},
        "methods": {one.name: in_language(one.title, "en") for one in declared.methods},
        "attacks": {one.name: in_language(one.title, "en") for one in declared.attacks},
        "parameters": {one.name: f"{one.expected} (default: {one.default})" for one in declared.parameters},
    }


def _in_short(file: File) -> str:
    return f"{file.scope}, {file.made}: " + (", ".join(one.name for one in file.columns) or "bytes")


def _test(arguments: argparse.Namespace) -> int:
    findings = checked(find_folder(arguments.game))
    failed = [finding for finding in findings if finding.holds is False]
    if arguments.json:
        print(json.dumps([vars(finding) for finding in findings], indent=2, ensure_ascii=False))
        return 1 if failed else 0
    words = {True: "holds", False: "BROKEN", None: "not tried"}
    for finding in findings:
        print(f"{words[finding.holds]:<11}{finding.law:<25}{finding.detail or finding.meaning}")
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


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list, "show": _show, "test": _test, "new": _new,
}  # fmt: skip
