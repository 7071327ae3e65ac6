"""Rounds of a bundle that are played by a game: checked against what the game declares."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import IO, Any

from contest.bundle import expectations as expect
from contest.bundle.declared import ROUND, node_at
from contest.bundle.expectations import one_of
from datasets.archive import ArchiveError
from datasets.documents import Document, Path
from datasets.setting import NOTHING, BadValue, Setting
from games.contract.declaration import Declaration
from games.contract.presets import Preset, attempts_of, read_presets
from games.contract.reading import BadGame
from games.loading import NoGame, installed_games, read_completed
from games.zips import read_zip

NOT_WITH_GAMES = ("data", "rules", "limits", "ranking")
"""What the game itself decides, by its parameters and its rule."""


def check_game_round(document: Document, round_: dict[str, Any], path: Path) -> None:
    """Everything that can be said without the game's zip."""
    game = round_["game"]
    place = (*path, "game")
    for key in NOT_WITH_GAMES:
        if key in round_:
            document.add((*path, key), "not-with-a-game", expect.NOT_WITH_A_GAME(key=key))
    for setting in ROUND:
        if setting.name != "ranking":
            _check(document, setting, node_at(round_, setting.place), (*path, *setting.place))
    if ("name" in game) == ("zip" in game):
        document.add(place, "game-source", expect.ONE_SOURCE(names=["name", "zip"]))
        return
    if "name" not in game:
        return
    known = installed_games()
    if game["name"] not in known:
        document.add((*place, "name"), "unknown-game", one_of(known, game["name"]), game["name"])
        return
    try:
        declared = read_completed(known[game["name"]])
    except (BadGame, NoGame) as error:
        document.add((*place, "name"), "bad-game", expect.A_SOUND_GAME(problem=str(error)), game["name"])
        return
    presets = read_presets(declared, lambda file: (known[game["name"]] / file).read_text(encoding="utf-8"))
    _take_preset(document, round_, presets, path)
    _check_declared(document, round_, declared, path)


def check_zipped_games(document: Document, open_file: Callable[[str], IO[bytes]]) -> None:
    """What the declarations of games beside the bundle say; none of their code runs."""
    for place, round_ in enumerate(document.data["rounds"]):
        game = round_.get("game", {})
        if "zip" not in game:
            continue
        path: Path = ("rounds", place)
        try:
            with open_file(game["zip"]["name"]) as file:
                read = read_zip(io.BytesIO(file.read()))
        except (ArchiveError, BadGame, NoGame) as error:
            expected = expect.A_SOUND_GAME(problem=str(error))
            document.add((*path, "game", "zip"), "bad-game", expected, game["zip"]["name"])
            continue
        presets = read_presets(read.declaration, lambda name, files=read.files: files[name].decode())  # type: ignore[misc]
        _take_preset(document, round_, presets, path)
        _check_declared(document, round_, read.declaration, path)


def _take_preset(
    document: Document, round_: dict[str, Any], presets: Mapping[str, Preset], path: Path
) -> None:
    """Put what a preset says in its place; what the bundle says itself goes before it."""
    name = round_.pop("preset", None)
    if name is None:
        return
    if name not in presets:
        document.add((*path, "preset"), "unknown-preset", one_of(presets, name), name)
        return
    chosen, game = presets[name], round_["game"]
    game["parameters"] = {**chosen.parameters, **game.get("parameters", {})}
    if chosen.rule:
        game.setdefault("rule", chosen.rule)
    for setting in ROUND:
        value = attempts_of(chosen).get(setting.name)
        if value is not None:
            node = round_
            for key in setting.place[:-1]:
                node = node.setdefault(key, {})
            node.setdefault(setting.place[-1], value)


def game_files(round_: Mapping[str, Any], path: Path) -> list[tuple[Path, str, str | None]]:
    """The files beside the bundle that a round's game needs, each with its place and hash."""
    game = round_.get("game", {})
    own = [((*path, "zip"), game["zip"]["name"], game["zip"]["sha256"])] if "zip" in game else []
    brought = game.get("files", {})
    return own + [((*path, "files", name), it["name"], it["sha256"]) for name, it in brought.items()]


def _check_declared(document: Document, round_: Mapping[str, Any], declared: Declaration, path: Path) -> None:
    game, place = round_["game"], (*path, "game")
    rules = [rule.name for rule in declared.rules]
    if "rule" in game and game["rule"] not in rules:
        document.add((*place, "rule"), "unknown-rule", one_of(rules, game["rule"]), game["rule"])
    _check_parameters(document, game.get("parameters", {}), declared.parameters, (*place, "parameters"))
    files = declared.files_of("round", "organiser")
    for name in game.get("files", {}):
        if not any(file.pattern.fullmatch(name) for file in files):
            names = [file.name for file in files]
            document.add((*place, "files", name), "unknown-file", one_of(names, name), name)
    attacks = [attack.name for attack in declared.attacks]
    for number, name in enumerate(round_.get("attacks", [])):
        if name not in attacks:
            document.add((*path, "attacks", number), "unknown-attack", one_of(attacks, name), name)
    methods = {method.name: method for method in declared.methods}
    for number, baseline in enumerate(round_.get("baselines", [])):
        spot, name = (*path, "baselines", number), baseline["method"]
        if name not in methods:
            document.add((*spot, "method"), "unknown-method", one_of(methods, name), name)
        else:
            given = baseline.get("parameters", {})
            _check_parameters(document, given, methods[name].parameters, (*spot, "parameters"))


def _check_parameters(
    document: Document, given: Mapping[str, Any], settings: tuple[Setting, ...], path: Path
) -> None:
    known = {setting.name: setting for setting in settings}
    for name, value in given.items():
        if name not in known:
            document.add((*path, name), "unknown-parameter", one_of(known, name), name)
        elif value is not None:
            _check(document, known[name], value, (*path, name))


def _check(document: Document, setting: Setting, node: Any, path: Path) -> None:
    try:
        if node is not NOTHING:
            setting.checked(node)
    except BadValue as bad:
        document.add(path, bad.code, bad.expected, bad.got)
