"""Parameters given by people, checked once against what a method declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from anonymizers.anonymizer import Parameter, ParameterError
from datasets.messages import Message, Template

UNKNOWN = Template(
    "parameter.unknown", "%(method)s has no parameter %(parameter)s. Its parameters: %(expected)s."
)
NO_PARAMETERS = Template("parameter.none", "none")
BAD_VALUE = Template(
    "parameter.bad-value",
    "The %(parameter)s parameter of %(method)s must be %(expected)s. Got %(got)s instead.",
)
ONE_OF = Template("value.one-of", "one of %(names)s")
FLAG = Template("value.flag", "true or false")
TEXT = Template("value.text", "a text")
INTEGER = Template("value.integer", "an integer")
INTEGER_BETWEEN = Template("value.integer-between", "an integer from %(low)s to %(high)s")
INTEGER_FROM = Template("value.integer-from", "an integer >= %(low)s")
INTEGER_UP_TO = Template("value.integer-up-to", "an integer <= %(high)s")
NUMBER = Template("value.number", "a number")
NUMBER_BETWEEN = Template("value.number-between", "a number from %(low)s to %(high)s")
NUMBER_FROM = Template("value.number-from", "a number >= %(low)s")
NUMBER_UP_TO = Template("value.number-up-to", "a number <= %(high)s")


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
            expected = sorted(known) or NO_PARAMETERS()
            raise ParameterError(UNKNOWN(method=method, parameter=repr(name), expected=expected))
    return {
        parameter.name: _value(method, parameter, given.get(parameter.name, parameter.default))
        for parameter in declared
    }


def _value(method: str, parameter: Parameter, given: Any) -> Any:
    value = _converted(parameter, given)
    if value is None or not _in_range(parameter, value):
        name, expected = repr(parameter.name), expectation(parameter)
        raise ParameterError(BAD_VALUE(parameter=name, method=method, expected=expected, got=str(given)))
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


def expectation(parameter: Parameter) -> Message:
    """What a value must be, in words: for error texts, help lines and forms.

    >>> print(expectation(Parameter("k", "int", 2, "Size of a crowd.", low=2)))
    an integer >= 2
    """
    if parameter.kind == "choice":
        return ONE_OF(names=parameter.choices)
    if parameter.kind in ("bool", "text"):
        return {"bool": FLAG, "text": TEXT}[parameter.kind]()
    is_whole = parameter.kind == "int"
    low, high = (None if bound is None else f"{bound:g}" for bound in (parameter.low, parameter.high))
    if low is not None and high is not None:
        return (INTEGER_BETWEEN if is_whole else NUMBER_BETWEEN)(low=low, high=high)
    if low is not None:
        return (INTEGER_FROM if is_whole else NUMBER_FROM)(low=low)
    if high is not None:
        return (INTEGER_UP_TO if is_whole else NUMBER_UP_TO)(high=high)
    return (INTEGER if is_whole else NUMBER)()
