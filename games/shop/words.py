"""Words of the games about shops, in English. A platform translates them when it shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TEXTS: dict[str, str] = {}
"""Every text of the modules that are loaded, with its plural or nothing: what has to be translated."""


@dataclass(frozen=True)
class Figure:
    """A number that is shown with about four digits."""

    value: float | None


@dataclass(frozen=True)
class Share:
    """A share of one that is shown as a percentage."""

    value: float | None


Value = str | int | Figure | Share
"""A text is shown as it is, a whole number with commas."""


@dataclass(frozen=True)
class Said:
    """A sentence with its values, to be put into words by the platform."""

    text: str
    plural: str = ""
    count: int = 1
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Sentence:
    """A sentence with named values, and its plural where it counts something.

    >>> from games.shop.texts import SIZES
    >>> said = SIZES["items"](3, n=3)
    >>> said.plural % said.values
    '3 items'
    """

    text: str
    plural: str = ""

    def __post_init__(self) -> None:
        TEXTS[self.text] = self.plural

    def __call__(self, count: int = 1, /, **values: Value) -> Said:
        return Said(self.text, self.plural, count, values)


def marked(text: str) -> str:
    """A text without values; marked when its module is loaded, so that the catalogue has it.

    >>> marked("Monday")
    'Monday'
    """
    TEXTS.setdefault(text, "")
    return text


def all_marked(texts: Mapping[str, str]) -> dict[str, str]:
    return {code: marked(text) for code, text in texts.items()}
