from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models

from datasets.messages import Message

BEGINNING = '{"code":'


if TYPE_CHECKING:
    Text = models.TextField[Any, Any]
else:
    Text = models.TextField  # Django's own has no parameters.


class MessageField(Text):
    """A message as code and values, in a column of text. A row of version 0.1 holds a finished sentence.

    A row that was read has the stored form, a mapping or a sentence; `say` and `english` know both.
    """

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return _read(value)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, Message):
            return value.as_data()
        if isinstance(value, Mapping) and set(value) != {"code", "values"}:
            raise ValidationError("A message has a code and values.")
        return value if isinstance(value, Mapping) else _read(super().to_python(value))

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, Message):
            value = value.as_data()
        if isinstance(value, Mapping):
            # As `BEGINNING` expects it; the same message is always the same text, so rows can be found by it.
            return json.dumps({"code": value["code"], "values": value["values"]}, ensure_ascii=False)
        return super().get_prep_value(value)


def _read(text: str | None) -> Any:
    if not text or not text.startswith(BEGINNING):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
