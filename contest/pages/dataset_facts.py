"""The facts about a data set, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from contest.models import Dataset

LABELS = {
    "customers": _("customers"),
    "purchases": _("purchases"),
    "receipts": _("receipts"),
    "items": _("items"),
    "days": _("period"),
}
"""What the codes of facts mean; a code without a text is shown as it is."""


@dataclass(frozen=True)
class ShownFact:
    """A label with a number, or with both ends of a span."""

    label: str
    value: Any

    @property
    def is_span(self) -> bool:
        return isinstance(self.value, list)


def shown_facts(dataset: Dataset) -> list[ShownFact]:
    return [ShownFact(str(LABELS.get(code, code)), value) for code, value in dataset.facts]
