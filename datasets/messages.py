"""Messages as data: a code with values, and one sentence beside the code.

A `Template` is declared where its message is raised. Called with its values it makes a `Message`, which is
stored as code and values and put into words when it is shown: in English by `str`, in another language by
translating the template. A value is never translated unless it is a message itself, so a quoted cell
comes out as it is, whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

PLACEHOLDER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class Template:
    """One sentence with named values, under a code that no other sentence has.

    >>> from datasets.problems import ROWS
    >>> ROWS.code, str(ROWS(n=3))
    ('got.rows', '3 rows')
    >>> ROWS(lines=3)
    Traceback (most recent call last):
    TypeError: The values of the message 'got.rows' must be n. Got lines instead.
    """

    code: str
    text: str
    languages: tuple[str, ...] = ()
    """Values that are whole sentences, by language; the text then names one, and its translation another."""

    def __post_init__(self) -> None:
        if self.code in TEMPLATES:
            raise ValueError(f"There are two templates with the code {self.code!r}.")
        # A lone percent sign would otherwise only be noticed when somebody is shown the message.
        if not self.text % dict.fromkeys(self.names, "x"):
            raise ValueError(f"The template {self.code!r} has no words.")
        TEMPLATES[self.code] = self

    @cached_property
    def names(self) -> list[str]:
        """The names of its values, sorted."""
        return sorted({*PLACEHOLDER.findall(self.text), *self.languages})

    @cached_property
    def _bare(self) -> Message:
        return Message(self.code)

    def __call__(self, **values: Any) -> Message:
        if not values:
            return self._bare  # A hostile file asks for the same one millions of times.
        return Message(self.code, tuple(sorted((name, _plain(value)) for name, value in values.items())))


TEMPLATES: dict[str, Template] = {}
"""Every template of the modules that are loaded, by its code."""


@dataclass(frozen=True)
class Message:
    """A code and its values. ``str`` gives the English sentence."""

    code: str
    pairs: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        wanted, given = TEMPLATES[self.code].names, [name for name, _ in self.pairs]
        if wanted != given:
            wants, got = (", ".join(names) or "none" for names in (wanted, given))
            raise TypeError(f"The values of the message {self.code!r} must be {wants}. Got {got} instead.")

    def __str__(self) -> str:
        return self.words(str)

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.pairs)

    def words(self, translate: Callable[[str], str]) -> str:
        """The sentence, with its template (and those of the messages in it) put through ``translate``."""
        template = TEMPLATES[self.code]
        text = translate(template.text)
        if template.languages:
            return str(self.values.get(text, self.values[template.text]))
        return text % {name: _words(value, translate) for name, value in self.pairs}

    def as_data(self) -> dict[str, Any]:
        """As it is stored: only what JSON has."""
        return {"code": self.code, "values": {name: _data(value) for name, value in self.pairs}}


def message_from(data: object) -> Message | None:
    """The stored message; None where it is not one, or one that this version does not know."""
    if not (isinstance(data, Mapping) and set(data) == {"code", "values"}):
        return None
    values = data["values"]
    if not (isinstance(data["code"], str) and data["code"] in TEMPLATES and isinstance(values, Mapping)):
        return None
    try:
        return Message(data["code"], tuple(sorted((name, _read(value)) for name, value in values.items())))
    except (TypeError, ValueError):
        return None


def unknown_words(data: Mapping[str, Any]) -> str:
    """What can be shown of a stored message that this version does not know.

    >>> unknown_words({"code": "too-blue", "values": {"hue": 240}})
    'too-blue (hue: 240)'
    """
    values = data.get("values")
    listed = (
        ", ".join(f"{name}: {value}" for name, value in values.items()) if isinstance(values, Mapping) else ""
    )
    return f"{data.get('code')} ({listed})" if listed else str(data.get("code"))


def english(what: str | Message | Mapping[str, Any] | None) -> str:
    """A message, as it was made or as it was stored, or the sentence that version 0.1 stored, in English."""
    message = what if isinstance(what, Message) else message_from(what)
    if message is not None:
        return str(message)
    return unknown_words(what) if isinstance(what, Mapping) else str(what or "")


def _plain(value: Any) -> Any:
    """A value as a message holds it: hashable, and equal to what comes back from the store."""
    if isinstance(value, str | Message):
        return value
    if isinstance(value, list | tuple):
        return tuple(_plain(part) for part in value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"A value of a message is a text, a number or a message. Got {value!r} instead.")


def _words(value: Any, translate: Callable[[str], str]) -> str:
    if isinstance(value, Message):
        return value.words(translate)
    if isinstance(value, tuple):
        return ", ".join(_words(part, translate) for part in value)
    return str(value)


def _data(value: Any) -> Any:
    if isinstance(value, Message):
        return value.as_data()
    return [_data(part) for part in value] if isinstance(value, tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        message = message_from(value)
        if message is None:
            raise ValueError("A message in a message is unknown.")
        return message
    return tuple(_read(part) for part in value) if isinstance(value, list) else _plain(value)
