"""The facts about a data set, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest.language.translation import say
from contest.models import Dataset
from games.formats.texts import FACTS


@dataclass(frozen=True)
class ShownFact:
    """A label with a number, or with both ends of a span."""

    label: str
    value: Any

    @property
    def is_span(self) -> bool:
        return isinstance(self.value, list)


def shown_facts(dataset: Dataset) -> list[ShownFact]:
    return [ShownFact(fact_label(code, code), value) for code, value in dataset.facts]


def fact_label(code: str, otherwise: str) -> str:
    """What the code of a fact means."""
    return say(FACTS[code]) if code in FACTS else otherwise
