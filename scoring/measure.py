"""What a measure is: a plain function and the constant that describes it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any


@dataclass(frozen=True)
class Measurement:
    """A number and the detail that a person would ask for next. ``detail`` holds only JSON values."""

    value: float
    detail: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure:
    """Describes a utility measure of M′, T′.

    ``function(original, released, truth)`` takes the tables of a format and the truth (an array of 0-based
    rows of M), and returns a `Measurement`. The page about the measure is generated from this constant and
    the function's docstring.
    """

    name: str
    title: str
    meaning: str
    function: Callable[..., Measurement]
    low: float
    high: float | None
    better: Literal["lower", "higher"]
    reference: str
    version: int
    uses_truth: bool
    unit: str = ""
    is_loss: bool = False
    """Its contest takes the worst of such measures, each from 0 to 1, for the loss of utility."""

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def usual_operator(self) -> Literal["<=", ">="]:
        """How a value compares with its limit where nobody says it: at least, where higher is better."""
        return ">=" if self.better == "higher" else "<="

    @property
    def best(self) -> float | None:
        """The end of the range to which utility counts upwards; None where lower is better."""
        if self.better == "lower":
            return None
        return math.inf if self.high is None else self.high


@dataclass(frozen=True)
class RiskMeasure:
    """Describes a risk measure of any table with a person in every row.

    ``function(table, id, qid, **options)`` takes a data frame, the name of the column that identifies people
    and the names of the quasi-identifier columns, and returns a `Measurement`. ``needs`` names the options
    that must be given, e.g. ``sensitive``.
    """

    name: str
    title: str
    meaning: str
    function: Callable[..., Measurement]
    low: float
    high: float | None
    better: Literal["lower", "higher"]
    reference: str
    version: int
    needs: tuple[str, ...] = ()
    qid_optional: bool = False

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""
