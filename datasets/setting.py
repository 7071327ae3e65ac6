"""A setting, declared once: its kind, range, default and texts. Every input is checked against this."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from datasets.messages import Message, Template
from datasets.problems import shown

Kind = Literal["integer", "number", "flag", "choice", "text", "lines", "slug", "zone", "moment"]
SLUG = "^[A-Za-z0-9_-]{1,50}$"
TIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$"
LARGEST = 1.7976931348623157e308
"""The largest finite number: a bound for what has no other."""

AN_INTEGER = Template("setting.integer", "an integer from %(low)s to %(high)s")
A_NUMBER = Template("setting.number", "a number from %(low)s to %(high)s")
A_FINITE_NUMBER = Template("setting.finite", "a finite number")
A_FLAG = Template("setting.flag", "true or false")
A_CHOICE = Template("setting.choice", "one of %(names)s")
A_TEXT = Template("setting.text", "a text of 1 to %(n)s characters")
A_TEXT_OR_NONE = Template("setting.text-or-none", "a text of at most %(n)s characters")
A_NAME = Template("setting.name", "a name of 1 to %(n)s visible characters of one script")
A_SLUG = Template("setting.slug", "1 to 50 letters, digits, hyphens or underscores, as in an address")
A_SLUG_BUT = Template(
    "setting.slug-but", "1 to 50 letters, digits, hyphens or underscores, as in an address, but not %(names)s"
)
A_ZONE = Template("setting.zone", "the name of a time zone, such as %(example)s")
A_MOMENT = Template("setting.moment", "a time with its zone from %(first)s to %(last)s, such as %(example)s")
OR_NULL = Template("setting.or-null", "%(expected)s, or null for no such limit")


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Any = _Nothing()
"""Means no value, where None would be one."""


class BadPart(ValueError):
    """The part of a text for which the whole is refused."""

    def __init__(self, got: str) -> None:
        super().__init__(got)
        self.got = got


class BadValue(ValueError):
    """A value that a setting does not accept: what was got, what was expected, and a stable code."""

    def __init__(self, setting: Setting, got: Any) -> None:
        self.name = setting.name
        self.code = setting.code
        self.expected = setting.expected
        text = got.isoformat() if isinstance(got, datetime.datetime) else str(got)
        self.got = shown(text)
        super().__init__(f"got '{self.got}', expected {self.expected}")


@dataclass(frozen=True)
class Setting:
    """One setting and everything that its forms, its API, its files and its documentation say about it.

    ``default`` is `NOTHING` where a value must be given. ``in_practice`` is another default for a round that
    counts for nothing, ``before`` what a missing value means in archives older than the setting. ``key`` is
    its place in a bundle. ``on_change`` names the consequences of a change. A choice is a value and its
    label; ``registry`` names the registry that they come from. ``shown_in`` is how many of its units make one
    unit on a page. ``named`` is the policy of a text that is a name: the form in which it is stored, None
    where it is refused. ``lines`` gives the stored form of a text whose lines mean something, or raises
    `BadPart`, and ``wanted`` says what is expected of them. ``words`` are label and help by language, where a
    game declares the setting.
    """

    name: str
    kind: Kind
    label: str
    default: Any = NOTHING
    least: float | datetime.datetime | None = None
    most: float | datetime.datetime | None = None
    choices: tuple[tuple[str, str], ...] = ()
    is_optional: bool = False
    help: str = ""
    key: tuple[str, ...] = ()
    visible_to: Literal["everybody", "organisers"] = "everybody"
    on_change: tuple[str, ...] = ()
    in_practice: Any = NOTHING
    before: Any = NOTHING
    reserved: frozenset[str] = field(default_factory=frozenset)
    registry: str = ""
    shown_in: int = 1
    named: Callable[[str], str | None] | None = None
    lines: Callable[[str], str] | None = None
    wanted: Message | None = field(default=None, hash=False, compare=False)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False, compare=False)

    def __deepcopy__(self, memo: Any) -> Setting:
        """Nothing in it changes, so forms and serializers that copy their fields share it."""
        return self

    @property
    def place(self) -> tuple[str, ...]:
        """Its keys in a bundle."""
        return self.key or (self.name.replace("_", "-"),)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(value for value, _label in self.choices)

    @property
    def code(self) -> str:
        """The stable code of a value that is refused."""
        registry = "zone" if self.kind == "zone" else self.registry
        return f"unknown-{registry}" if registry else "bad-value"

    @property
    def length(self) -> int:
        """How long a text may be."""
        assert isinstance(self.most, int)
        return self.most

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number."""
        assert isinstance(self.least, int | float)
        assert isinstance(self.most, int | float)
        return self.least, self.most

    @property
    def may_be_blank(self) -> bool:
        return self.kind in ("text", "lines") and not self.least

    @property
    def is_required(self) -> bool:
        return self.default is NOTHING

    @property
    def expected(self) -> Message:
        """What a value must be.

        >>> str(Setting("bands", "integer", "Bands", least=2, most=20).expected)
        'an integer from 2 to 20'
        """
        message = _EXPECTED[self.kind](self)
        return OR_NULL(expected=message) if self.is_optional else message

    def checked(self, value: Any) -> Any:
        """The value as it is stored; raises `BadValue` where it is not one.

        >>> Setting("bands", "integer", "Bands", least=2, most=20).checked(20.0)
        20
        """
        if value is None and self.is_optional:
            return None
        try:
            found = _CHECKS[self.kind](self, value)
        except BadPart as part:
            raise BadValue(self, part.got) from None
        if found is None:
            raise BadValue(self, value)
        return found

    def parsed(self, text: str) -> Any:
        """What somebody typed, as a value to be checked; unchanged where it is not a number.

        >>> Setting("bands", "integer", "Bands", least=2, most=20).parsed(" 7 ")
        7
        """
        if self.kind not in ("integer", "number"):
            return text
        for convert in (int, float):
            try:
                return convert(text)
            except ValueError:
                continue
        return text


def _integer(setting: Setting, value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_between(setting, value):
        return None
    return int(value) if value == int(value) else None


def _number(setting: Setting, value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_between(setting, value):
        return None
    return float(value)


def _is_between(setting: Setting, value: float) -> bool:
    least, most = setting.bounds
    return least <= value <= most


def _flag(setting: Setting, value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _choice(setting: Setting, value: Any) -> str | None:
    return value if isinstance(value, str) and value in setting.values else None


def _text(setting: Setting, value: Any) -> str | None:
    if not isinstance(value, str) or len(value) > setting.length or not _can_be_stored(value):
        return None
    if not (setting.may_be_blank or value.strip()):
        return None
    return setting.named(value) if setting.named else value


def _lines(setting: Setting, value: Any) -> str | None:
    found = _text(setting, value)
    assert setting.lines is not None
    return None if found is None else setting.lines(found)


def _of_lines(setting: Setting) -> Message:
    assert setting.wanted is not None
    return setting.wanted


def _can_be_stored(text: str) -> bool:
    """Databases hold neither a NUL nor half of a pair of surrogates."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _slug(setting: Setting, value: Any) -> str | None:
    fits = isinstance(value, str) and re.fullmatch(SLUG, value) and value not in setting.reserved
    return value if fits and not value.endswith("\n") else None


def _zone(setting: Setting, value: Any) -> str | None:
    return value if isinstance(value, str) and value in zones() else None


def _moment(setting: Setting, value: Any) -> datetime.datetime | None:
    assert isinstance(setting.least, datetime.datetime)
    assert isinstance(setting.most, datetime.datetime)
    moment = _read_time(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime.datetime) or moment.tzinfo is None:
        return None
    return moment if setting.least <= moment <= setting.most else None


def _read_time(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _of_slug(setting: Setting) -> Message:
    return A_SLUG_BUT(names=sorted(setting.reserved)) if setting.reserved else A_SLUG()


def _of_text(setting: Setting) -> Message:
    if setting.named:
        return A_NAME(n=setting.length)
    return (A_TEXT_OR_NONE if setting.may_be_blank else A_TEXT)(n=setting.length)


def _of_moment(setting: Setting) -> Message:
    assert isinstance(setting.least, datetime.datetime)
    assert isinstance(setting.most, datetime.datetime)
    years = {"first": setting.least.year, "last": setting.most.year}
    return A_MOMENT(**years, example="2027-08-01T10:00:00+09:00")


def _of_number(setting: Setting) -> Message:
    if setting.most == LARGEST:
        return A_FINITE_NUMBER()
    return A_NUMBER(low=setting.least, high=setting.most)


_CHECKS = {
    "integer": _integer, "number": _number, "flag": _flag, "choice": _choice, "text": _text,
    "lines": _lines, "slug": _slug, "zone": _zone, "moment": _moment,
}  # fmt: skip
_EXPECTED: dict[Kind, Callable[[Setting], Message]] = {
    "integer": lambda it: AN_INTEGER(low=it.least, high=it.most),
    "number": _of_number,
    "flag": lambda it: A_FLAG(),
    "choice": lambda it: A_CHOICE(names=it.values),
    "text": _of_text,
    "lines": _of_lines,
    "slug": _of_slug,
    "zone": lambda it: A_ZONE(example="Asia/Tokyo"),
    "moment": _of_moment,
}


@cache
def zones() -> frozenset[str]:
    """The time zones of this machine; reading their folder takes some milliseconds."""
    return frozenset(zoneinfo.available_timezones())


def schema_of(setting: Setting) -> dict[str, Any]:
    """The JSON schema of a setting's values.

    >>> schema_of(Setting("bands", "integer", "Bands", least=2, most=20))["maximum"]
    20
    """
    kind = {"integer": "integer", "number": "number", "flag": "boolean"}.get(setting.kind, "string")
    schema: dict[str, Any] = {"type": [kind, "null"] if setting.is_optional else kind}
    if setting.kind in ("integer", "number"):
        schema |= {"minimum": setting.least, "maximum": setting.most}
    elif setting.kind == "choice" and not setting.registry:
        schema = {"enum": list(setting.values)}
    elif setting.kind in ("text", "lines"):
        schema |= {"maxLength": setting.most} | ({} if setting.may_be_blank else {"pattern": r"\S"})
    elif setting.kind == "slug":
        schema |= {"pattern": SLUG}
        schema |= {"not": {"enum": sorted(setting.reserved)}} if setting.reserved else {}
    elif setting.kind == "moment":
        schema |= {"pattern": TIME}
    return {**schema, "description": str(setting.expected)}
