"""The parameters of a method, as it declares them, and what is wrong with a value of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from datasets.messages import Message


@dataclass(frozen=True)
class Parameter:
    """One parameter, declared once; the command line, the web form and the docs are generated from it."""

    name: str
    kind: Literal["int", "float", "choice", "bool", "text"]
    default: Any
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


class ParameterError(ValueError):
    """A parameter is unknown or out of its range. It is named, with what was got and what is expected.

    ``message`` is a text where only the command line can give the parameter, such as a column of a table.
    """

    def __init__(self, message: Message | str) -> None:
        super().__init__(message)
        self.message = message
