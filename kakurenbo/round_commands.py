"""Commands on a round of any game in a folder: ``check``, ``score``, ``anonymize``, ``attack``, ``judge``.

They are chosen by ``--round DIR``. ``kakurenbo game build`` makes such a folder, ``game hand-out`` writes
what one team may read of it, and ``game board`` shows who leads.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from datasets.lookup import find_by_name, unknown_name
from datasets.problems import BadFiles
from datasets.seeds import secret_seed
from datasets.setting import BadValue, Setting
from games.checks import check_entry
from games.contract.boxes import EMPTY, MemoryBox, NoSuchFile, write_files
from games.contract.broken import BrokenGame
from games.contract.declaration import MOMENTS, Declaration, in_language
from games.contract.files import plain_files
from games.contract.game import Game
from games.contract.presets import Preset, read_preset, read_presets
from games.contract.reading import FILE, BadGame
from games.contract.values import Target
from games.loading import NoGame, find_folder, load_folder, read_folder
from games.rehearsal import Entered, NoSeat, Rehearsal
from games.round_folder import (
    BadRound,
    Facts,
    read_facts,
    read_files,
    read_round,
    require_key,
    write_answer,
    write_entry,
    write_for_team,
    write_round,
)
from kakurenbo.main import UsageError
from kakurenbo.output import whole_folder
from kakurenbo.round_output import figure, say_cells, say_problems
from kakurenbo.round_programs import add_limits, hide_by_program, is_program, seek_by_program

BESIDE = "game"
"""The folder of a kit that holds the game."""
UNKNOWN = "known to the organisers alone"
"""What a measure is that needs a secret, in a folder without secrets."""


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=Path, required=True, metavar="DIR", help="the folder of a round")
    parser.add_argument("--game", metavar="GAME", help="its game, where that is not installed: a folder")
    parser.add_argument("--seat", type=int, metavar="N", help="whose data are used (default: the first here)")
    parser.add_argument("--json", action="store_true", help="print JSON")


@contextmanager
def _explained() -> Iterator[None]:
    """Every failure as a sentence."""
    try:
        yield
    except (NoGame, BadGame, BadRound, BrokenGame, NoSeat) as error:
        raise UsageError(str(error)) from error
    except NoSuchFile as error:
        raise UsageError(f"{error} Perhaps only the organisers have it.") from error
    except BadFiles as error:
        raise UsageError(f"The input is not valid. First problem: {error.verdict.problems[0]}") from error
    except OSError as error:
        raise UsageError(f"Cannot read or write {error.filename}: {error.strerror}.") from error


def _opened(arguments: argparse.Namespace) -> Rehearsal:
    facts = read_facts(arguments.round)
    if arguments.seat is None:
        arguments.seat = facts.seats[0] if facts.seats else 0
    return read_round(arguments.round, load_folder(_game_folder(arguments, facts)))


def _game_folder(arguments: argparse.Namespace, facts: Facts) -> Path:
    """The game that is named, else the one that lies beside the round, as in a kit, else an installed one."""
    beside = arguments.round.resolve().parent / BESIDE
    if arguments.game is None and (beside / FILE).is_file():
        declared = read_folder(beside)
        if (declared.name, declared.version) == (facts.game, facts.version):
            return beside
    return find_folder(arguments.game or facts.game)


def _upload(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    return read_files(folder)


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument("--entry", type=Path, required=True, metavar="DIR", help="the folder of the upload")
    parser.add_argument("--slot", default="", help="which of its entries it is, where a game has several")
    parser.add_argument(
        "--variant", type=int, default=0, metavar="N", help="which alternative of the seat it hides, from 0"
    )


def _variant(round_: Rehearsal, arguments: argparse.Namespace) -> int:
    """The alternative that an entry hides, which the game must have."""
    chosen, last = int(arguments.variant), round_.declared.seats.variants - 1
    if not 0 <= chosen <= last:
        raise UsageError(f"There is no alternative {chosen}. Expected a number from 0 to {last}.")
    return chosen


def _check(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        declared = round_.declared.files_of("entry", "upload")
        names = {name: file for file in declared for name in file.names(slot=arguments.slot)}
        contents, remarks = plain_files(names, _upload(arguments.entry))
        box = MemoryBox(contents)
        seat = round_.seat(arguments.seat)
        variant = _variant(round_, arguments)
        entry = Target("mine", arguments.slot, variant, {}, seat, box, EMPTY, EMPTY)
        verdict = check_entry(round_.game, round_.world(), entry, round_.lookup(seat.number))
    say_problems(verdict.problems, arguments.json, verdict.explained(remarks))
    return 1 if verdict.problems else 0


def _score_arguments(parser: argparse.ArgumentParser) -> None:
    _check_arguments(parser)
    parser.add_argument("--as", dest="key", metavar="NAME", help="store it in the round as this target")


def _score(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        key = require_key(arguments.key or "mine")
        variant = _variant(round_, arguments)
        entered = round_.enter(arguments.seat, _upload(arguments.entry), arguments.slot, variant, key)
        if entered.problems:
            say_problems(entered.problems, arguments.json)
            return 1
        if arguments.key and key not in round_.entries:
            raise UsageError(f"--as {key}: what attackers would see is made from secrets of the organisers.")
        if arguments.key:
            write_entry(arguments.round, key, entered)
    _say_score(round_, entered, arguments.json)
    return 1 if entered.verdict.because else 0


def _say_score(round_: Rehearsal, entered: Entered, as_json: bool) -> None:
    verdict = entered.verdict
    if as_json:
        shown = {"measures": dict(entered.measures), **verdict._asdict()}
        print(json.dumps(shown, indent=2, default=float))
        return
    for number in round_.declared.measures:
        value = entered.measures.get(number.name)
        absent = UNKNOWN if number.name not in entered.measures else "undefined"
        words = absent if value is None else f"{value:.{number.decimals}f}"
        print(f"{number.name:<16}{words:>14}  {in_language(number.title, 'en')}")
    utility = UNKNOWN if len(entered.measures) < len(round_.declared.measures) else figure(verdict.utility)
    print(f"breaks: {', '.join(verdict.because)}" if verdict.because else f"utility {utility}")


def _anonymize_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "method",
        metavar="METHOD",
        help="a house method of the game, or the path of an anonymize.py or its zip",
    )
    _common(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    parser.add_argument("--seed", help="same seed, same bytes (default: drawn)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings", help="a parameter"
    )
    parser.add_argument("--slot", default="", help="for a program: which entry it makes")
    parser.add_argument("--variant", type=int, default=0, metavar="N", help="for a program: the alternative")
    add_limits(parser)


def _anonymize(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        if is_program(arguments.method):
            return _hide_by_program(round_, arguments)
        method = _named(round_.declared.methods, arguments.method, "method")
        params = parsed_params(arguments.settings, method.parameters)
        round_.seed = arguments.seed or str(secret_seed())
        files = round_.anonymize(method.name, arguments.seat, params)
        with whole_folder(arguments.out) as draft:
            write_files(draft, files)
    print(f"{arguments.out}: {', '.join(files)} by {method.name}, seed {round_.seed}")
    return 0


def _hide_by_program(round_: Rehearsal, arguments: argparse.Namespace) -> int:
    variant = _variant(round_, arguments)
    files = hide_by_program(round_, arguments, arguments.slot, variant)
    with whole_folder(arguments.out) as draft:
        write_files(draft, files)
    print(f"{arguments.out}: {', '.join(files)} by {arguments.method}")
    seat, box = round_.seat(arguments.seat), MemoryBox(files)
    problems = round_.problems_of(Target("mine", arguments.slot, variant, {}, seat, box, EMPTY, EMPTY))
    say_problems(problems, arguments.json)
    return 1 if problems else 0


def _attack_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="ATTACK", help="a house attack of the game, or the path of a reidentify.py or its zip"
    )
    _common(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder for the answer")
    parser.add_argument("--seed", help="seed of all randomness (default: the round's where known, else 0)")
    _others(parser)
    add_limits(parser)


def _others(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--others", action="store_true", help="leave out the entries of the own seat, as for teams of a site"
    )


def _attack(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        if is_program(arguments.name):
            return _seek_by_program(round_, arguments)
        attack = _named(round_.declared.attacks, arguments.name, "attack")
        round_.seed = arguments.seed or read_facts(arguments.round).house_seed
        is_apart = not round_.has_secrets and all(
            "{target}" in file.name for file in round_.declared.files_of("answer")
        )
        attacked = round_.attack_each if is_apart else round_.attack
        files = attacked(attack.name, arguments.seat, others=arguments.others)
        answered = len(round_.targets(arguments.seat if arguments.others else None))
        with whole_folder(arguments.out) as draft:
            write_files(draft, files)
    print(f"{arguments.out}: {', '.join(files)} by {attack.name} on {answered} targets")
    return 0


def _seek_by_program(round_: Rehearsal, arguments: argparse.Namespace) -> int:
    """As on a site: once per target, without the entries of the own seat where those are left out."""
    targets = round_.targets(arguments.seat if arguments.others else None)
    files, failed = seek_by_program(round_, arguments, targets)
    with whole_folder(arguments.out) as draft:
        write_files(draft, files)
    answered = len(targets) - len(failed)
    print(f"{arguments.out}: {', '.join(files)} by {arguments.name} on {answered} of {len(targets)} targets")
    return 1 if failed else 0


def _judge_arguments(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument("--answer", type=Path, required=True, metavar="DIR", help="the folder of the answer")
    _others(parser)
    parser.add_argument("--as", dest="key", metavar="NAME", help="store it in the round as this attacker's")


def _judge(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        files = _upload(arguments.answer)
        attacker = require_key(arguments.key or round_.seat_name(arguments.seat))
        answered = round_.answer(arguments.seat, files, attacker, others=arguments.others)
        if answered.problems:
            say_problems(answered.problems, arguments.json)
            return 1
        if arguments.key:
            write_answer(arguments.round, attacker, files, answered.cells)
    say_cells(answered.cells, arguments.json)
    return 0


def add_game_arguments(actions: Any) -> None:
    """The actions of ``kakurenbo game`` that are about rounds in folders."""
    build = actions.add_parser("build", help="Make a round of a game in a folder, with all its secrets.")
    build.add_argument("game", help="the name of an installed game, or the folder of one")
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    build.add_argument("--teams", default="", metavar="A,B", help="who plays, in the order of the seats")
    build.add_argument("--from", dest="sources", type=Path, metavar="DIR", help="files that organisers bring")
    build.add_argument("--seed", help="same seed, same bytes (default: drawn, and stored in the folder)")
    build.add_argument("--preset", metavar="NAME", help="parameters by a preset of the game")
    build.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    hand_out = actions.add_parser("hand-out", help="Write what one team may read of a round.")
    board = actions.add_parser("board", help="Show the boards of a round in a folder.")
    for command in (hand_out, board):
        _common(command)
    hand_out.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    hand_out.add_argument("--moment", choices=MOMENTS[:-1], default="publish", help="of the round")
    board.add_argument("--rule", default="", help="another rule than the game's first")


def build(arguments: argparse.Namespace) -> int:
    with _explained():
        folder = find_folder(arguments.game)
        game: Game = load_folder(folder)
        preset = chosen_preset(folder, game.declaration, arguments.preset) if arguments.preset else Preset()
        params = {**preset.parameters, **parsed_params(arguments.settings, game.declaration.parameters)}
        teams = [require_key(name.strip()) for name in arguments.teams.split(",") if name.strip()]
        sources = _upload(arguments.sources) if arguments.sources else {}
        made = Rehearsal(game, sources, teams, params, arguments.seed or str(secret_seed()))
        made.rule = preset.rule
        with whole_folder(arguments.out) as draft:
            write_round(draft, made)
    facts = "".join(f", {name} {value}" for name, value in made.facts.items())
    print(f"{arguments.out}: a round of {game.declaration.name} for {len(teams)} teams{facts}")
    return 0


def hand_out(arguments: argparse.Namespace) -> int:
    with _explained(), whole_folder(arguments.out) as draft:
        round_ = _opened(arguments)
        write_for_team(round_, arguments.seat, arguments.moment, draft)
    print(
        f"{arguments.out}: what {round_.seat_name(arguments.seat)} may read at the moment {arguments.moment}"
    )
    return 0


def board(arguments: argparse.Namespace) -> int:
    with _explained():
        round_ = _opened(arguments)
        if arguments.rule:
            _named(round_.declared.rules, arguments.rule, "rule")
        boards = round_.boards(arguments.rule)
    if arguments.json:
        shown = [{**one._asdict(), "rows": [row._asdict() for row in one.rows]} for one in boards]
        print(json.dumps(shown, indent=2, default=float))
        return 0
    for one in boards:
        print(f"{one.name}\n  {'':<20}" + "".join(f"{name:>12}" for name in one.columns))
        for row in one.rows:
            print(f"  {row.key:<20}" + "".join(f"{figure(row.values[name]):>12}" for name in one.columns))
    return 0


def chosen_preset(folder: Path, declared: Declaration, name: str) -> Preset:
    """A preset by its name; one that cannot be used has the name of its file."""
    found = read_presets(declared, lambda file: (folder / file).read_text(encoding="utf-8"))
    if name in found:
        return found[name]
    files = {Path(file).stem: file for file in declared.presets}
    if name not in files:
        raise UsageError(f"--preset: {unknown_name(found, name, 'preset')}")
    try:
        return read_preset((folder / files[name]).read_text(encoding="utf-8"), files[name], declared)
    except BadGame as error:
        raise UsageError(f"The preset {name} cannot be used. {error}") from None


def parsed_params(texts: list[str], settings: tuple[Setting, ...]) -> dict[str, Any]:
    """``name=value`` texts as checked parameters."""
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set: got {text!r}, expected NAME=VALUE.")
        setting = _named(settings, name.strip(), "parameter")
        typed = {"true": True, "false": False}.get(value) if setting.kind == "flag" else setting.parsed(value)
        try:
            given[setting.name] = setting.checked(typed)
        except BadValue as error:
            raise UsageError(f"--set {setting.name}: {error}") from None
    return given


def _named(known: tuple[Any, ...], name: str, what: str) -> Any:
    try:
        return find_by_name(known, name, what)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None


def _command(add: Callable[[argparse.ArgumentParser], None], run: Callable[..., int]) -> SimpleNamespace:
    return SimpleNamespace(add_arguments=add, run=run)


COMMANDS = {
    "anonymize": _command(_anonymize_arguments, _anonymize),
    "attack": _command(_attack_arguments, _attack),
    "check": _command(_check_arguments, _check),
    "judge": _command(_judge_arguments, _judge),
    "score": _command(_score_arguments, _score),
}
