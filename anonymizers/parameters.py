"""Parameters given by people, checked once against what a method declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from anonymizers.anonymizer import Parameter, ParameterError


def checked(method: str, declared: tuple[Parameter, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values for all declared parameters: given ones converted and checked, defaults for the rest.

    >>> share = Parameter("share", "float", 0.2, "Share of rows.", low=0, high=1)
    >>> checked("swap", (share,), {"share": "0.5"})
    {'share': 0.5}
    >>> checked("swap", (share,), {"share": 2})  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ParameterError: The 'share' parameter of swap must be a number from 0 to 1. Got 2 instead.
    """
    known = {parameter.name for parameter in declared}
    for name in given:
        if name not in known:
            expected = ", ".join(sorted(known)) or "none"
            raise ParameterError(f"{method} has no parameter {name!r}. Its parameters: {expected}.")
    return {
        parameter.name: _value(method, parameter, given.get(parameter.name, parameter.default))
        for parameter in declared
    }


def _value(method: str, parameter: Parameter, given: Any) -> Any:
    value = _converted(parameter, given)
    if value is None or not _in_range(parameter, value):
        expected = expectation(parameter)
        raise ParameterError(
            f"The {parameter.name!r} parameter of {method} must be {expected}. Got {given} instead."
        )
    return value


def _converted(parameter: Parameter, given: Any) -> Any:
    """The given value as the declared kind, or None where it is not of that kind."""
    text = str(given).strip()
    if parameter.kind == "bool":
        return {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False,
                "off": False}.get(text.lower())  # fmt: skip
    if parameter.kind in ("choice", "text"):
        return text
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    if parameter.kind == "int":
        return int(number) if number == int(number) else None
    return number


def _in_range(parameter: Parameter, value: Any) -> bool:
    if parameter.kind == "choice":
        return value in parameter.choices
    if parameter.kind in ("bool", "text"):
        return True
    return (parameter.low is None or value >= parameter.low) and (
        parameter.high is None or value <= parameter.high
    )


def expectation(parameter: Parameter) -> str:
    """What a value must be, in words: for error texts, help lines and forms.

    >>> expectation(Parameter("k", "int", 2, "Size of a crowd.", low=2))
    'an integer >= 2'
    """
    if parameter.kind == "choice":
        return "one of " + ", ".join(parameter.choices)
    if parameter.kind in ("bool", "text"):
        return {"bool": "true or false", "text": "a text"}[parameter.kind]
    noun = "an integer" if parameter.kind == "int" else "a number"
    low, high = (None if bound is None else f"{bound:g}" for bound in (parameter.low, parameter.high))
    if low is not None and high is not None:
        return f"{noun} from {low} to {high}"
    if low is not None:
        return f"{noun} >= {low}"
    return f"{noun} <= {high}" if high is not None else noun
