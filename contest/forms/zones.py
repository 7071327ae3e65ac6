"""Time zones to choose from: those in use today, by region. Older names and offsets stay accepted."""

from __future__ import annotations

import zoneinfo
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from datasets.setting import zones

REGIONS = (
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian",
    "Pacific",
)  # fmt: skip
UTC = "UTC"


@cache
def common_zones() -> tuple[str, ...]:
    """UTC, and one zone for every place that the time zone database names, without its older spellings.

    The table is part of the database; where a machine lacks it, all zones of the regions are offered.
    """
    for folder in zoneinfo.TZPATH:
        table = Path(folder) / "zone.tab"
        if table.is_file():
            lines = table.read_text(encoding="utf-8").splitlines()
            named = {line.split("\t")[2] for line in lines if line and not line.startswith("#")}
            return (UTC, *sorted(named & zones()))
    return (UTC, *sorted(name for name in zones() if name.partition("/")[0] in REGIONS and "/" in name))


def zone_choices() -> list[tuple[str, Any]]:
    """The common zones grouped by region.

    >>> zone_choices()[0]
    ('UTC', 'UTC')
    """
    grouped = groupby(common_zones()[1:], key=lambda name: name.partition("/")[0])
    return [(UTC, UTC), *((region, [(name, name) for name in names]) for region, names in grouped)]


class ZoneSelect(forms.Select):
    """Offers the common zones, and the one that is chosen already under whatever name."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        # A script replaces the sign by the zone of the reader's browser; without it nothing is shown.
        suggestion = {"data-suggested-zone": _("Use the zone of my browser: %s")}
        return super().get_context(name, value, {**(attrs or {}), **suggestion})

    def optgroups(self, name: str, value: list[str], attrs: dict[str, Any] | None = None) -> list[Any]:
        known = self._offered()
        kept = [(it, it) for it in value if it and it not in known]
        before, self.choices = self.choices, [*kept, *self.choices]
        try:
            return super().optgroups(name, value, attrs)
        finally:
            self.choices = before

    def _offered(self) -> set[str]:
        """All values, of groups too."""
        grouped: list[tuple[Any, Any]] = list(self.choices)
        pairs = [label if isinstance(label, list | tuple) else [(key, label)] for key, label in grouped]
        return {value for group in pairs for value, _label in group}


class ZoneField(forms.ChoiceField):
    """A zone by any name that the time zone database knows; the common ones are offered."""

    widget = ZoneSelect

    def valid_value(self, value: Any) -> bool:
        return value in zones()
