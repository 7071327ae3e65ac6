"""The format of 2017: an entry is A(T), line by line with T, with one pseudonym per customer and month.

Attackers see S, the rows that A(T) kept in an order that reveals nothing, and besides M and T four files of
partial knowledge: T25 … T100 hold 25 to 100 % of the rows of T with item ids cut to two characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.messages import Template
from datasets.problems import BadFiles, Findings, Problem, Verdict
from datasets.reader import Source
from datasets.tables import Coded, Codes, Integers, frozen
from datasets.writer import replacing
from games.shop.data.check import check_master
from games.shop.data.pwscup2017 import (
    MAX_BYTES,
    MONTHS,
    Sheet,
    check_2017,
    check_deleted_share,
    read_sheet,
    spread_rows,
    take_rows,
    write_sheet,
    year_month,
)
from games.shop.data.rules import FileRules
from games.shop.data.tables import Master, PurchaseData
from games.shop.data.writer import write_master
from games.shop.formats.format import Facts, Format, Neutral, UploadFile

SHARES = {"T25.csv": 25, "T50.csv": 50, "T75.csv": 75, "T100.csv": 100}
"""The knowledge files and the percentage of T's rows that each holds."""
KNOWLEDGE_SEED = 2017
STRANGERS = Template("unknown-customer.all", "customers that M.csv has")
CUT = 2
"""Attackers know this many characters of an item id."""


@dataclass(frozen=True, eq=False)
class Original2017:
    """M, T, and what attackers know of T, by the name of the file."""

    master: Master
    sheet: Sheet
    knowledge: Mapping[str, Sheet]


class Pwscup2017(Format):
    name = "2017"
    title = "PWSCUP 2017: one pseudonym per month"
    data_files = ("M.csv", "T.csv")
    knowledge_files = tuple(SHARES)
    upload_files = (UploadFile("AT.csv", "released"),)
    public_files = ("S.csv",)
    rules = ("least_kept", "max_bytes")

    def read_original(self, folder: Path) -> Original2017:
        """Knowledge files that are not there are drawn from T, the same on every machine."""
        master, verdict = check_master(folder / "M.csv", MAX_BYTES)
        if master is None:
            raise BadFiles(verdict)
        sheet = read_sheet(folder / "T.csv")
        strangers = sorted(set(sheet.user.labels) - set(master.ids))
        if strangers:
            problem = Problem("T.csv", None, "customer_id", strangers[0], STRANGERS())
            raise BadFiles(Verdict.of(problem))
        knowledge = {
            name: read_sheet(folder / name) if (folder / name).exists() else known_part(sheet, percent)
            for name, percent in SHARES.items()
        }
        return Original2017(master, sheet, knowledge)

    def write_original(self, folder: Path, original: Original2017) -> None:
        with replacing(folder / "M.csv") as file:
            write_master(file, original.master)
        for name, sheet in {"T.csv": original.sheet, **original.knowledge}.items():
            with replacing(folder / name) as file:
                write_sheet(file, sheet)

    def from_tables(self, data: PurchaseData) -> Original2017:
        """The first twelve months of a shop's purchases, and the people who bought in them."""
        rows = data.transactions
        month = year_month(rows.day)
        rows = rows.take(np.flatnonzero(month < month.min() + MONTHS))
        sheet = Sheet(
            user=Coded.from_texts(data.master.ids[rows.customer]),
            receipt=rows.receipt,
            day=rows.day,
            minute=rows.minute,
            item=rows.item,
            price=rows.price,
            quantity=rows.quantity,
            deleted=frozen(np.zeros(rows.n_rows, dtype=np.bool_)),
        )
        people = np.unique(rows.customer)
        master = Master.from_frame(data.master.to_frame().iloc[people])
        return Original2017(
            master, sheet, {name: known_part(sheet, percent) for name, percent in SHARES.items()}
        )

    def facts(self, original: Original2017) -> Facts:
        sheet = original.sheet
        return Facts(
            n_customers=sheet.user.n_labels,
            n_rows=sheet.n_rows,
            n_items=sheet.item.n_labels,
            n_receipts=len(self.receipt_lines(original)),
            first_day=int(sheet.day.min()),
            last_day=int(sheet.day.max()),
        )

    def people_ids(self, original: Original2017) -> npt.NDArray[np.object_]:
        return original.sheet.user.labels

    def days(self, original: Original2017) -> Codes:
        return original.sheet.day

    def receipt_lines(self, original: Original2017) -> Integers:
        """A receipt is what one customer bought at one minute under one receipt id."""
        sheet = original.sheet
        keys = np.stack([sheet.user.codes, sheet.receipt.codes, sheet.day, sheet.minute])
        return np.unique(keys, axis=1, return_counts=True)[1]

    def item_counts(self, original: Original2017) -> Integers:
        return np.bincount(original.sheet.item.codes, minlength=original.sheet.item.n_labels)

    def check_entry(
        self, files: Mapping[str, Source], original: Original2017, rules: FileRules
    ) -> tuple[Sheet | None, Verdict]:
        return check_2017(files["AT.csv"], original.sheet, rules=rules)

    def check_public(
        self, files: Mapping[str, Source], original: Original2017, rules: FileRules, n_released: int
    ) -> Verdict:
        """Of the rules, only how many rows were kept can change for an entry."""
        found = Findings("S.csv")
        kept = read_sheet(files["S.csv"]).n_rows
        check_deleted_share(original.sheet.n_rows - kept, original.sheet.n_rows, rules, found)
        return found.verdict()

    def write_entry(self, folder: Path, entry: Sheet) -> None:
        with replacing(folder / "AT.csv") as file:
            write_sheet(file, entry)

    def neutral(self, original: Original2017, entry: Sheet) -> Neutral:
        """The kept rows, sorted by every cell."""
        kept = np.flatnonzero(~entry.deleted)
        keys = (entry.quantity, entry.price, entry.item.codes, entry.user.codes, entry.receipt.codes)
        order = np.lexsort([column[kept] for column in (*keys, entry.minute, entry.day)])
        truth = frozen(kept[order].astype(np.int64))
        return Neutral(take_rows(entry, truth), truth, original.sheet.user.n_labels)

    def write_released(self, folder: Path, released: Sheet) -> None:
        with replacing(folder / "S.csv") as file:
            write_sheet(file, released)

    def read_released(self, folder: Path) -> Sheet:
        return read_sheet(folder / "S.csv")

    def measured(
        self, original: Original2017, released: Sheet, truth: Integers
    ) -> tuple[Sheet, Sheet, Integers | None]:
        return original.sheet, spread_rows(released, truth, original.sheet.n_rows), None


def known_part(sheet: Sheet, percent: int) -> Sheet:
    """A part of T as an attacker knows it: rows drawn at random, item ids cut (platform definition v1).

    The real contest drew its own; this is for data that comes without knowledge files.
    """
    rng = np.random.default_rng([KNOWLEDGE_SEED, percent])
    n_known = round(sheet.n_rows * percent / 100)
    rows = np.sort(rng.permutation(sheet.n_rows)[:n_known])
    short = np.array([label[:CUT] for label in sheet.item.labels], dtype=object)
    cut = replace(sheet, item=Coded.from_texts(short[sheet.item.codes]))
    return spread_rows(take_rows(cut, rows), rows, sheet.n_rows)
