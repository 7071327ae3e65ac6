"""``kakurenbo data``: build M and T, from the public retail file or generated."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from datasets.folder import write_dataset
from datasets.generate import generate_to_folder
from datasets.online_retail import build_online_retail
from kakurenbo.main import UsageError

BAR = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    try:
        if arguments.source == "generate":
            n_rows = generate_to_folder(arguments.out, arguments.customers, arguments.seed, _progress)
            n_customers = arguments.customers
        else:
            data = build_online_retail(arguments.file, arguments.customers, arguments.seed)
            write_dataset(arguments.out, data)
            n_customers, n_rows = data.n_customers, data.transactions.n_rows
    except ValueError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"Cannot use {error.filename}: {error.strerror}.") from error
    print(f"{arguments.out}: M.csv with {n_customers} customers, T.csv with {n_rows} rows")
    return 0


def _progress(done: int, total: int) -> None:
    """Draw a bar, where somebody watches."""
    if sys.stderr.isatty():
        filled = BAR * done // total
        end = "\n" if done == total else ""
        print(f"\r[{'#' * filled}{' ' * (BAR - filled)}] {done}/{total} receipts", end=end, file=sys.stderr)
