"""A game's declaration from its `game.yaml`: every fault with its line, none of the game's code run."""

from __future__ import annotations

import re
import types
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from datasets.documents import Document, DocumentProblem, Path
from datasets.lookup import unknown_name
from datasets.messages import Message, Template
from datasets.setting import BadValue, Setting
from games.contract.boxes import is_plain
from games.contract.declaration import VISIBILITIES, Declaration, File, Picture, Shown

FILE = "game.yaml"
NAME = re.compile(r"[a-z][a-z0-9-]{0,49}")
VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")
REMEMBERED = 32
"""Declarations that are not read again: every verb that runs apart asks for its game's."""
PLACEHOLDER = re.compile(r"\{[^}]*\}")
MOST_CHARACTERS = 100_000
"""Of a declaration; the platform reads it before it knows anything about the game."""
BOUNDS: Mapping[str, tuple[float, float]] = {
    "count": (0, 1000),
    "decimals": (0, 17),
    "longest": (1, 65_536),
    "max-bytes": (0, 1 << 34),
    "rows": (0, 100_000_000),
    "spare": (0, 100),
    "variants": (1, 100),
}
"""The numbers that decide how much the platform does for a game, by key, wherever they stand."""
NAMED = (
    "files", "challenges", "terms", "measures", "rules", "boards", "parameters", "methods", "attacks",
    "pictures", "examples",
)  # fmt: skip
"""Lists of things with names, each of which is used once."""
LARGEST = 10**18
MOST_ITEMS = 500
"""Of any list: files, columns, challenges, legal values."""

A_GAME = Template("game.mapping", "a mapping that describes a game")
A_MAPPING = Template("game.a-mapping", "a mapping")
A_LIST = Template("game.a-list", "a list")
A_WORD = Template("game.text", "a text")
A_TEXT_BY_LANGUAGE = Template("game.texts", "a text, or one per language, such as {en: …, ja: …}")
A_WHOLE_NUMBER = Template("game.integer", "an integer")
A_NUMBER = Template("game.number", "a number")
YES_OR_NO = Template("game.flag", "true or false")
ONE_OF = Template("game.one-of", "one of %(names)s")
KNOWN_KEYS = Template("game.keys", "only these keys: %(names)s")
A_KEY = Template("game.key", "a key '%(key)s'")
A_BOUNDED_NUMBER = Template("game.bounded", "a number from %(low)s to %(high)s")
A_SMALLER_INTEGER = Template("game.smaller-integer", "an integer of at most 18 digits")
AT_MOST_ITEMS = Template("game.items", "at most %(n)s items")
TWO_BOUNDS = Template("game.bounds", "two numbers, the smaller first")
A_NAME = Template("game.name", "a name of 1 to 50 small letters, digits and hyphens, a letter first")
A_VERSION = Template("game.version", "a version such as 1.0")
A_FILE_NAME = Template("game.file-name", "a plain path; {i}, {slot} and {target} may stand in it")
ONCE = Template("game.once", "a name that is not used before")
A_KNOWN = Template("game.known", "something that is declared: %(problem)s")
A_SALT = Template(
    "game.salt",
    "the name of a file of the round that is committed and shown when entries are handed over or later",
)
ONLY_BY_HASH = Template("game.only-by-hash", "no salt, because teams are not placed by a hash")
SEATS_TO_PLACE = Template("game.seats-to-place", "at least one seat, because teams are placed by a hash")
A_DEFAULT = Template("game.default", "a default that is %(expected)s")


class BadGame(ValueError):
    """A declaration that cannot be used. ``problems`` are all of them."""

    def __init__(self, problems: Iterable[DocumentProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


@lru_cache(maxsize=REMEMBERED)
def read_declaration(text: str, file: str = FILE) -> Declaration:
    """Read a declaration, or raise `BadGame` with everything that is wrong with it."""
    document = Document(text, file, A_GAME(), MOST_CHARACTERS)
    found = read_record(document, Declaration)
    if found is not None and not document.problems:
        _check_whole(found, document)
    if document.problems or found is None:
        raise BadGame(document.problems)
    declared: Declaration = found
    return declared


def read_record(document: Document, wanted: Any) -> Any:
    """The data of a document as a declared type; None, and noted in the document, where they are not."""
    _check_sizes(document, (), document.data)
    return None if document.problems else _Reader(document).value((), document.data, wanted)


def _check_sizes(document: Document, path: Path, data: Any) -> None:
    """No number is so large and no list so long that somebody computes with it for long."""
    if isinstance(data, list) and len(data) > MOST_ITEMS:
        document.add(path, "too-many", AT_MOST_ITEMS(n=MOST_ITEMS), len(data))
    elif isinstance(data, dict | list):
        for key, one in data.items() if isinstance(data, dict) else enumerate(data):
            _check_sizes(document, (*path, key), one)
    elif isinstance(data, int) and abs(data) > LARGEST:
        document.add(path, "bad-value", A_SMALLER_INTEGER())
    elif isinstance(data, int | float) and path and path[-1] in BOUNDS:
        low, high = BOUNDS[str(path[-1])]
        if not low <= data <= high:
            document.add(path, "bad-value", A_BOUNDED_NUMBER(low=low, high=high), data)


def check_completed(declaration: Declaration, text: str, file: str = FILE) -> None:
    """What no single key can say, of a declaration to which Python has added; raises `BadGame`."""
    document = Document(text, file, A_GAME())
    _check_whole(declaration, document)
    if document.problems:
        raise BadGame(document.problems)


class _Reader:
    """Turns plain data into declared types. What is wrong is noted, and None is given instead."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def bad(self, path: Path, expected: Message, got: Any = None, code: str = "bad-value") -> None:
        self.document.add(path, code, expected, got)

    def value(self, path: Path, data: Any, wanted: Any) -> Any:
        special = _SPECIAL.get(wanted)
        if special is not None:
            return special(self, path, data)
        if is_dataclass(wanted):
            return self._record(path, data, wanted)
        origin, arguments = get_origin(wanted), get_args(wanted)
        if origin in (Union, types.UnionType):
            return self._union(path, data, arguments)
        if origin is Literal:
            return self._choice(path, data, arguments)
        if origin is tuple:
            return self._tuple(path, data, arguments)
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(path, data, arguments)
        return self._plain(path, data, wanted)

    def _record(self, path: Path, data: Any, wanted: Any) -> Any:
        if not isinstance(data, dict):
            self.bad(path, A_MAPPING(), data)
            return None
        hints, known = _hints(wanted), {field.name.replace("_", "-"): field for field in fields(wanted)}
        for key in data:
            if key not in known:
                self.bad((*path, key), KNOWN_KEYS(names=list(known)), key, "unknown-key")
        values = {}
        for key, field in known.items():
            if key in data:
                values[field.name] = self.value((*path, key), data[key], hints[field.name])
            elif field.default is MISSING and field.default_factory is MISSING:
                self.bad(path, A_KEY(key=key), code="missing-key")
        return wanted(**values) if not self.document.problems else None

    def _union(self, path: Path, data: Any, choices: tuple[Any, ...]) -> Any:
        if data is None and type(None) in choices:
            return None
        for choice in choices:
            if _looks_like(data, choice):
                return self.value(path, data, choice)
        return self.value(path, data, choices[0])

    def _choice(self, path: Path, data: Any, choices: tuple[Any, ...]) -> Any:
        if data not in choices or isinstance(data, bool):
            self.bad(path, ONE_OF(names=[repr(choice) for choice in choices]), data)
        return data

    def _tuple(self, path: Path, data: Any, arguments: tuple[Any, ...]) -> Any:
        if not isinstance(data, list):
            self.bad(path, A_LIST(), data)
            return ()
        if arguments[-1] is not Ellipsis:
            numbers = [isinstance(one, int | float) and not isinstance(one, bool) for one in data]
            if len(data) != len(arguments) or not all(numbers) or data[0] > data[1]:
                self.bad(path, TWO_BOUNDS(), data)
            return tuple(data)
        return tuple(self.value((*path, place), one, arguments[0]) for place, one in enumerate(data))

    def _mapping(self, path: Path, data: Any, arguments: tuple[Any, ...]) -> Any:
        if arguments[1] is str and isinstance(data, str):
            return {"en": data}
        if not isinstance(data, dict):
            self.bad(path, A_TEXT_BY_LANGUAGE() if arguments[1] is str else A_MAPPING(), data)
            return {}
        return {key: self.value((*path, key), value, arguments[1]) for key, value in data.items()}

    def _plain(self, path: Path, data: Any, wanted: Any) -> Any:
        is_number = isinstance(data, int | float) and not isinstance(data, bool)
        if wanted is str and not isinstance(data, str):
            self.bad(path, A_WORD(), data)
        elif wanted is bool and not isinstance(data, bool):
            self.bad(path, YES_OR_NO(), data)
        elif wanted is int and not (is_number and isinstance(data, int)):
            self.bad(path, A_WHOLE_NUMBER(), data)
        elif wanted is float and not is_number:
            self.bad(path, A_NUMBER(), data)
        return data

    def shown(self, path: Path, data: Any) -> Shown | None:
        """A word for a usual visibility, or a moment per reader."""
        if isinstance(data, str):
            if data in VISIBILITIES:
                return VISIBILITIES[data]
            self.bad(path, ONE_OF(names=list(VISIBILITIES)), data)
            return None
        found: Shown | None = self._record(path, data, Shown)
        return found

    def setting(self, path: Path, data: Any) -> Setting | None:
        """A parameter: one of the kinds of settings that organisers may be asked for."""
        if not isinstance(data, dict):
            self.bad(path, A_MAPPING(), data)
            return None
        known = ("name", "kind", "label", "default", "least", "most", "choices", "help")
        for key in data:
            if key not in known:
                self.bad((*path, key), KNOWN_KEYS(names=list(known)), key, "unknown-key")
        for key in ("name", "kind", "default"):
            if key not in data:
                self.bad(path, A_KEY(key=key), code="missing-key")
        kinds = ("integer", "number", "flag", "choice", "text")
        if data.get("kind") not in kinds:
            self.bad((*path, "kind"), ONE_OF(names=list(kinds)), data.get("kind"))
        if data.get("kind") in ("integer", "number", "text"):
            bounds = ("most",) if data["kind"] == "text" else ("least", "most")
            for key in bounds:
                self._plain((*path, key), data.get(key), float)
        if self.document.problems:
            return None
        words = ("label", "help")
        texts = {key: self.value((*path, key), data[key], Mapping[str, str]) for key in words if key in data}
        choices = tuple((str(one), str(one)) for one in data.get("choices", ()))
        setting = Setting(
            str(data["name"]),
            data["kind"],
            texts.get("label", {}).get("en", str(data["name"])),
            default=data["default"],
            least=data.get("least"),
            most=data.get("most"),
            choices=choices,
            help=texts.get("help", {}).get("en", ""),
            is_optional=data["default"] is None,
            words=texts,
        )
        try:
            setting.checked(setting.default)
        except BadValue as bad:
            self.bad((*path, "default"), A_DEFAULT(expected=bad.expected), data["default"])
        return setting


_SPECIAL: dict[Any, Callable[[_Reader, Path, Any], Any]] = {Shown: _Reader.shown, Setting: _Reader.setting}


@cache
def _hints(wanted: Any) -> dict[str, Any]:
    return get_type_hints(wanted)


def _looks_like(data: Any, choice: Any) -> bool:
    origin = get_origin(choice) or choice
    if origin is tuple:
        return isinstance(data, list)
    if origin in (int, float):
        return isinstance(data, int if origin is int else (int, float)) and not isinstance(data, bool)
    return origin is str and isinstance(data, str)


def _check_whole(game: Declaration, document: Document) -> None:
    """What no single key can say: names that are used once, and references to what there is."""
    if not NAME.fullmatch(game.name):
        document.add(("name",), "bad-name", A_NAME(), game.name)
    if not VERSION.fullmatch(game.version):
        document.add(("version",), "bad-version", A_VERSION(), game.version)
    for part in NAMED:
        named = [(getattr(one, "scope", ""), one.name) for one in getattr(game, part)]
        for place, one in enumerate(named):
            if one in named[:place]:
                document.add((part, place, "name"), "name-twice", ONCE(), one[1])
    for place, file in enumerate(game.files):
        _check_file(game, file, ("files", place), document)
    for place, challenge in enumerate(game.challenges):
        answers = [file.name for file in game.files_of("answer")]
        for name in challenge.answer:
            require_known(name, answers, "answer file", ("challenges", place, "answer"), document)
        require_known(challenge.slot, game.slots, "slot", ("challenges", place, "slot"), document)
    _check_rehearsal(game, document)
    _check_seats(game, document)
    challenges = [challenge.name for challenge in game.challenges]
    for place, attack in enumerate(game.attacks):
        for name in attack.challenges:
            require_known(name, challenges, "challenge", ("attacks", place, "challenges"), document)
    for place, picture in enumerate(game.pictures):
        _check_picture(picture, challenges, ("pictures", place), document)


def _check_picture(picture: Picture, challenges: Sequence[str], path: Path, document: Document) -> None:
    if not NAME.fullmatch(picture.name):
        document.add((*path, "name"), "bad-name", A_NAME(), picture.name)
    if picture.challenge and picture.of == "entry":
        document.add((*path, "of"), "bad-value", ONE_OF(names=["'answer'"]), picture.of)
    elif picture.challenge:
        require_known(picture.challenge, challenges, "challenge", (*path, "challenge"), document)
    if picture.steps and picture.kind != "curves":
        document.add((*path, "kind"), "bad-value", ONE_OF(names=["'curves'"]), picture.kind)


def _check_seats(game: Declaration, document: Document) -> None:
    """A salt that a team could know, or that could be changed unseen, would let somebody choose seats."""
    seats = game.seats
    if seats.placing != "hash":
        if seats.salt:
            document.add(("seats", "salt"), "bad-value", ONLY_BY_HASH(), seats.salt)
        return
    file = game.file(seats.salt, "round")
    if file is None or not file.committed or "open" in (file.shown.all, file.shown.team):
        document.add(("seats", "salt"), "bad-value", A_SALT(), seats.salt)
    if not seats.count:
        document.add(("seats", "count"), "bad-value", SEATS_TO_PLACE(), seats.count)


def _check_rehearsal(game: Declaration, document: Document) -> None:
    settings = {setting.name: setting for setting in game.parameters}
    for name, value in game.rehearsal.items():
        path = ("rehearsal", name)
        if name not in settings:
            require_known(name, settings, "parameter", path, document)
            continue
        try:
            settings[name].checked(value)
        except BadValue as bad:
            document.add(path, bad.code, bad.expected, value)


def _check_file(game: Declaration, file: File, path: Path, document: Document) -> None:
    placeholders = set(PLACEHOLDER.findall(file.name))
    if not is_plain(file.name) or not placeholders <= {"{i}", "{slot}", "{target}"}:
        document.add((*path, "name"), "bad-file-name", A_FILE_NAME(), file.name)
    if isinstance(file.rows, str) and game.file(file.rows) is None:
        require_known(file.rows, [one.name for one in game.files], "file", (*path, "rows"), document)
    if file.column_order == "free" and file.header != "required":
        document.add((*path, "column-order"), "bad-value", ONE_OF(names=["'declared'"]), file.column_order)
    names = [column.name for column in file.columns]
    for place, column in enumerate(file.columns):
        inside = (*path, "columns", place)
        if Counter(names[:place])[column.name]:
            document.add((*inside, "name"), "name-twice", ONCE(), column.name)
        if isinstance(column.domain, str):
            other, _, _column = column.domain.rpartition(":")
            there = game.file(other)
            known = [f"{other}:{one.name}" for one in there.columns] if there else []
            require_known(column.domain, known, "column", (*inside, "domain"), document)
        elif column.kind == "choice" and not column.domain:
            document.add(inside, "missing-key", A_KEY(key="domain"))


def require_known(name: str, known: Iterable[str], kind: str, path: Path, document: Document) -> None:
    """Note a name that is not among the declared ones."""
    if name not in known:
        document.add(path, "unknown-name", A_KNOWN(problem=unknown_name(known, name, kind).rstrip(".")), name)
