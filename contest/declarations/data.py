"""What is decided about a data set that is generated or built."""

from __future__ import annotations

from datasets.setting import Setting

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
