"""The worked example of one measure, attack or method, as numbers with their words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.shop.data.tables import PurchaseData
from games.shop.gallery.examples import format_of, kept
from games.shop.measure_examples import tea_and_cake
from games.shop.measures.registry import MEASURES, measure
from games.shop.words import Said, Sentence, marked

MADE_UP = Sentence(
    "The same on a made-up shop of %(n)s customer, with default parameters. Computed by the programs that "
    "judge.",
    "The same on a made-up shop of %(n)s customers, with default parameters. Computed by the programs that "
    "judge.",
)
TEA_AND_CAKE = marked("Two customers: the cake of A was deleted, B is unchanged; the release lists B first.")
COLUMNS = tuple(
    marked(title) for title in ("Customer", "Receipt", "Date", "Time", "Item", "Price", "Quantity")
)
N_NUMBERS = 2
"""The last columns are numbers."""

Values = list[tuple[str, float]]


@dataclass(frozen=True)
class SmallExample:
    """A few rows before and after, and the value of the measure for them, computed now."""

    about: str
    columns: tuple[str, ...]
    n_numbers: int
    """How many columns, the last ones, are numbers."""
    before: list[list[str]]
    after: list[list[str]]
    value: float


@dataclass(frozen=True)
class WorkedExample:
    """What the methods of a format did to made-up data of ``people``.

    ``values`` are the numbers of a measure or of an attack by method, or of a method by attack, in which
    ``most`` people could be found; ``lost`` the measures of a method. ``refused`` says why a method released
    nothing.
    """

    about: Said
    values: Values = field(default_factory=list)
    most: int = 0
    lost: Values = field(default_factory=list)
    small: SmallExample | None = None
    refused: str = ""


def worked_example(kind: str, name: str) -> WorkedExample | None:
    """The example of a measure, an attack or an anonymizer; None where nothing was computed, as for
    methods of other tables."""
    format_name = format_of(kind, name)
    if format_name is None:
        return None
    shop = kept()[format_name]
    n = shop["customers"]
    about = MADE_UP(n, n=n)
    done = {method: found for method, found in shop["methods"].items() if "refused" not in found}
    if kind == "measures":
        small = _small(name) if any(one.name == name for one in MEASURES) else None
        return WorkedExample(about, _values("measures", name, done), small=small)
    if kind == "attacks":
        values = _values("found", name, done)
        return WorkedExample(about, values, most=n) if values else None
    if name not in done:
        return WorkedExample(about, refused=shop["methods"].get(name, {}).get("refused", ""))
    found = done[name]
    return WorkedExample(
        about, list(found["found"].items()), most=found["released"], lost=list(found["measures"].items())
    )


def _values(part: str, name: str, done: dict[str, Any]) -> Values:
    """The number of each house method; none for a measure or an attack newer than the stored examples."""
    return [(method, found[part][name]) for method, found in done.items() if name in found[part]]


def _small(name: str) -> SmallExample:
    original, released, truth = tea_and_cake()
    value = measure(name).function(original, released, truth).value
    return SmallExample(TEA_AND_CAKE, COLUMNS, N_NUMBERS, _lines(original), _lines(released), value)


def _lines(data: PurchaseData) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in data.to_frames()[1].itertuples(index=False)]
