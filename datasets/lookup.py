"""Find a described thing by its name in a registry, or say what there is instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    @property
    def name(self) -> str: ...


Found = TypeVar("Found", bound=Named)


def find_by_name(known: Iterable[Found], name: str, kind: str) -> Found:
    """The one of that name; a `KeyError` with the nearest name and all names otherwise.

    >>> from types import SimpleNamespace as Dish
    >>> menu = [Dish(name="ramen"), Dish(name="soba")]
    >>> find_by_name(menu, "soba", "dish").name
    'soba'
    >>> find_by_name(menu, "sobe", "dish")
    Traceback (most recent call last):
    KeyError: "There is no dish 'sobe'. Did you mean 'soba'? There are: ramen, soba."
    """
    by_name = {one.name: one for one in known}
    if name in by_name:
        return by_name[name]
    raise KeyError(unknown_name(by_name, name, kind))


def unknown_name(names: Iterable[str], name: str, kind: str) -> str:
    """The sentence for a name that is none of those known."""
    listed = list(names)
    near = difflib.get_close_matches(name, listed, n=1)
    question = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no {kind} {name!r}.{question} There are: {', '.join(listed)}."
