"""Ways to make the data of a shop, for forms, the API and bundles: from nothing, or from one public file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.setting import Setting
from games.shop.data.generate import generate
from games.shop.data.online_retail import SOURCE_COLUMNS, build_online_retail
from games.shop.data.tables import PurchaseData
from games.shop.formats import Format

CUSTOMERS = Setting(
    "customers",
    "integer",
    "Customers",
    default=400,
    least=2,
    most=1_000_000,
    help="For generated data and for the Online Retail file.",
    on_change=("data",),
)
DATA_SEED = Setting(
    "data_seed",
    "integer",
    "Seed of the data",
    default=2016,
    least=0,
    most=2**31 - 1,
    help="The same seed gives the same tables.",
    key=("seed",),
    on_change=("data",),
)
DATA: tuple[Setting, ...] = (CUSTOMERS, DATA_SEED)
"""What is decided about a data set that is generated or built."""
ABOUT_SETTINGS = "Where they are generated or built from the Online Retail file."
CHOICE = "Invented purchases, your own files, or the public Online Retail file."
"""What the API says about the choice between these ways and files that are uploaded."""


@dataclass(frozen=True)
class SourceFile:
    """The file that a way starts from: its name beside a bundle, and how forms and the API ask for it."""

    name: str
    label: str
    help: str
    meaning: str


@dataclass(frozen=True)
class Way:
    """A way to make a data set.

    ``name`` is its name in forms and in the API, and that of the field of its file; ``key`` is its key in a
    bundle. ``required`` are the keys below it that a bundle must give. ``called`` is the name of a data set
    that is made this way. The settings that ``make`` gets are named as in a bundle.
    """

    name: str
    key: str
    title: str
    description: str
    settings: tuple[Setting, ...]
    required: tuple[str, ...]
    called: str
    make: Callable[[Mapping[str, Any], Path], PurchaseData]
    file: SourceFile | None = None

    @property
    def defaults(self) -> dict[str, Any]:
        """What a bundle may leave out."""
        keys = {it.place[0]: it for it in self.settings}
        return {key: it.default for key, it in keys.items() if key not in self.required}

    def source(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The source of a data set as a bundle says it; ``values`` are by the names of the settings.

        >>> WAYS[0].source({"customers": 5, "data_seed": 1})
        {'generate': {'customers': 5, 'seed': 1}}
        """
        file = {} if self.file is None else {"file": self.file.name}
        return {self.key: {**file, **{it.place[0]: values[it.name] for it in self.settings}}}

    def data_name(self, settings: Mapping[str, Any]) -> str:
        """The name of a data set with these settings, which are named as in a bundle.

        >>> WAYS[0].data_name({"customers": 5, "seed": 1})
        'Generated shop, 5 customers, seed 1'
        """
        return self.called.format_map(settings)

    def original(self, spec: Format, settings: Mapping[str, Any], folder: Path) -> Any:
        """The original in a format; the file that this way starts from is in the folder."""
        return spec.from_tables(self.make(settings, folder))


def _generated(settings: Mapping[str, Any], folder: Path) -> PurchaseData:
    return generate(settings["customers"], settings["seed"])


def _built(settings: Mapping[str, Any], folder: Path) -> PurchaseData:
    return build_online_retail(folder / settings["file"], settings["customers"], settings["seed"])


WAYS: tuple[Way, ...] = (
    Way(
        name="generate",
        key="generate",
        title="Generate: invented purchases",
        description="customers and seed",
        settings=DATA,
        required=("customers", "seed"),
        called="Generated shop, {customers} customers, seed {seed}",
        make=_generated,
    ),
    Way(
        name="retail",
        key="online-retail",
        title="Build from the public Online Retail file",
        description="file and customers",
        settings=DATA,
        required=("file", "customers"),
        called="Online Retail, {customers} customers",
        make=_built,
        file=SourceFile(
            name="online-retail.csv",
            label="Online Retail file (CSV)",
            help=", ".join(SOURCE_COLUMNS),
            meaning="The Online Retail file as CSV.",
        ),
    ),
)
