"""The contests whose files and rules the command line takes by name."""

from __future__ import annotations

from dataclasses import dataclass

from games.shop.formats import Format, find_format
from games.shop.presets import PWSCUP2016
from scoring.measure import Measure
from scoring.rules import Limit


@dataclass(frozen=True)
class Preset:
    """A contest's files, what is measured of them, and which limits hold."""

    format: Format
    limits: tuple[Limit, ...] = ()

    @property
    def measures(self) -> tuple[Measure, ...]:
        # Commands that measure nothing start without the measures.
        from games.shop.measures.registry import measures_of

        return measures_of(self.format.name)

    @property
    def default(self) -> tuple[str, ...]:
        """What is measured where nothing else is asked for: what is limited, or everything."""
        limited = tuple(limit.measure for limit in self.limits)
        return limited or tuple(measure.name for measure in self.measures)


PRESETS = {
    "pwscup2016": Preset(find_format("2016"), PWSCUP2016),
    "pwscup2017": Preset(find_format("2017")),
    "pwscup2018": Preset(find_format("2018")),
}
DEFAULT_PRESET = "pwscup2016"
"""Whose files a command takes where no preset is named."""
