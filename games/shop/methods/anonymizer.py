"""What an anonymizer is: a plain function, its declared parameters, and the constant that describes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anonymizers.anonymizer import Parameter


@dataclass(frozen=True)
class Anonymized:
    """The release and a report for people: what was changed, the expected risk, which limits bind."""

    release: Any
    """A `games.shop.data.tables.Release`, or the entry of another format."""
    report: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Anonymizer:
    """Describes an anonymizer of the tables of one contest format.

    ``function(original, limits, rng, **parameters)`` returns an `Anonymized`. ``limits`` maps names of
    measures to the round's upper limits and may be empty.
    """

    name: str
    title: str
    meaning: str
    function: Callable[..., Anonymized]
    reference: str
    version: int
    parameters: tuple[Parameter, ...] = ()
    format: str = "2016"
    picture: str = ""
    """A template fragment that explains the method by pictures, where there is one."""

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""
