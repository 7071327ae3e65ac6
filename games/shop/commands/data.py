"""The ways to make M and T that the command line offers: from the public retail file, or invented."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from games.shop.data.folder import write_dataset
from games.shop.data.generate import generate_to_folder
from games.shop.data.online_retail import build_online_retail

COUNTED = "receipts"
"""What the progress of a build counts."""


def add_sources(parser: argparse.ArgumentParser) -> None:
    """One subcommand per way to make data."""
    sources = parser.add_subparsers(dest="source", required=True, metavar="SOURCE")
    line = "From the public Online Retail CSV (may be gzipped)."
    retail = sources.add_parser("online-retail", help=line, description=line)
    retail.add_argument("file", type=Path, metavar="FILE", help="the public file")
    retail.add_argument("--customers", type=int, default=400, metavar="N", help="how many (default: 400)")
    retail.add_argument("--seed", type=int, default=2016, help="of the invented gender and birthday")
    line = "Invent realistic data of any size."
    invented = sources.add_parser("generate", help=line, description=line)
    invented.add_argument("--customers", type=int, required=True, metavar="N", help="how many")
    invented.add_argument("--seed", type=int, required=True, metavar="S", help="same seed, same files")
    for sub in (retail, invented):
        sub.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for M.csv and T.csv")


def build_data(arguments: argparse.Namespace, on_progress: Callable[[int, int], None]) -> str:
    """Write the files that were asked for, and say what is in them; `ValueError` says what was wrong."""
    if arguments.source == "generate":
        n_rows = generate_to_folder(arguments.out, arguments.customers, arguments.seed, on_progress)
        n_customers = arguments.customers
    else:
        data = build_online_retail(arguments.file, arguments.customers, arguments.seed)
        write_dataset(arguments.out, data)
        n_customers, n_rows = data.n_customers, data.transactions.n_rows
    return f"{arguments.out}: M.csv with {n_customers} customers, T.csv with {n_rows} rows"
