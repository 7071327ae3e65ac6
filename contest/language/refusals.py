"""Why a value of a setting is refused: the same words on pages and in the API."""

from __future__ import annotations

from django.utils.translation import gettext as _

from contest.language.translation import say
from datasets.messages import Message
from datasets.setting import BadValue


def say_bad_value(bad: BadValue) -> str:
    return say_expected(bad.got, bad.expected)


def say_expected(got: str, expected: Message | str) -> str:
    """What was got and what was expected, in the reader's language."""
    return _("Got '%(got)s', expected %(expected)s.") % {"got": got, "expected": say(expected)}
