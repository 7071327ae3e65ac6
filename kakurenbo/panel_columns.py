"""Which columns of a table are subject, period, brand, response, price and promotions, as options."""

from __future__ import annotations

import argparse

from anonymizers.table_method import Columns

HELP = {
    "period": "the column of the period; else the k-th row of a subject is period k",
    "brand": "the column of the brand; else all rows are one brand",
    "response": "the column of the response, for example units sold",
    "price": "the column of the price",
}


def add_panel_columns(parser: argparse.ArgumentParser) -> None:
    for role, line in HELP.items():
        parser.add_argument(f"--{role}", metavar="COL", help=line)
    parser.add_argument("--promotions", metavar="COL,COL", help="the columns of promotions")


def panel_columns(arguments: argparse.Namespace) -> Columns:
    """Role → column, for the roles that were named."""
    columns: dict[str, str | list[str]] = {"id": arguments.id}
    columns |= {role: getattr(arguments, role) for role in HELP if getattr(arguments, role)}
    if arguments.promotions:
        columns["promotions"] = [name for name in arguments.promotions.split(",") if name]
    return columns
