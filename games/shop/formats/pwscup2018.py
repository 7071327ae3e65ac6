"""The format of 2018: T of five columns; an entry is A, line by line with T, whose cells may be generalised.

Attackers see the rows that A kept, in an order that reveals nothing, under the name A.csv.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.problems import Verdict
from datasets.reader import Source
from datasets.tables import Coded, Codes, Integers, frozen
from datasets.writer import replacing
from games.shop.data.pwscup2018 import Release2018, Sheet2018, check_2018, read_release_2018, read_sheet_2018
from games.shop.data.release2018 import (
    neutral_order,
    spread_release,
    take_release,
    with_sorted_sets,
    write_release_2018,
    write_sheet_2018,
)
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData
from games.shop.formats.format import Facts, Format, Neutral, UploadFile


class Pwscup2018(Format):
    name = "2018"
    title = "PWSCUP 2018: intervals, sets and stars"
    data_files = ("T.csv",)
    upload_files = (UploadFile("A.csv", "released"),)
    public_files = ("A.csv",)
    rules = ("max_bytes",)

    def read_original(self, folder: Path) -> Sheet2018:
        return read_sheet_2018(folder / "T.csv")

    def write_original(self, folder: Path, original: Sheet2018) -> None:
        with replacing(folder / "T.csv") as file:
            write_sheet_2018(file, original)

    def from_tables(self, data: PurchaseData) -> Sheet2018:
        rows = data.transactions
        return Sheet2018(
            id=Coded.from_texts(data.master.ids[rows.customer]),
            day=rows.day,
            item=rows.item,
            price=rows.price,
            quantity=rows.quantity,
        )

    def facts(self, original: Sheet2018) -> Facts:
        return Facts(
            n_customers=original.id.n_labels,
            n_rows=original.n_rows,
            n_items=original.item.n_labels,
            n_receipts=0,
            first_day=int(original.day.min()),
            last_day=int(original.day.max()),
        )

    def people_ids(self, original: Sheet2018) -> npt.NDArray[np.object_]:
        return original.id.labels

    def days(self, original: Sheet2018) -> Codes:
        return original.day

    def receipt_lines(self, original: Sheet2018) -> Integers:
        return np.zeros(0, dtype=np.int64)

    def item_counts(self, original: Sheet2018) -> Integers:
        return np.bincount(original.item.codes, minlength=original.item.n_labels)

    def check_entry(
        self, files: Mapping[str, Source], original: Sheet2018, rules: FileRules
    ) -> tuple[Release2018 | None, Verdict]:
        return check_2018(files["A.csv"], original, max_bytes=rules.max_bytes)

    def check_public(
        self, files: Mapping[str, Source], original: Sheet2018, rules: FileRules, n_released: int
    ) -> Verdict:
        """There is no rule that a round may change but the size of an upload."""
        return Verdict()

    def write_entry(self, folder: Path, entry: Release2018) -> None:
        self.write_released(folder, entry)

    def neutral(self, original: Sheet2018, entry: Release2018) -> Neutral:
        tidy = with_sorted_sets(entry)
        truth = frozen(neutral_order(tidy))
        released = take_release(tidy, truth)
        return Neutral(released, truth, released.id.n_labels)

    def write_released(self, folder: Path, released: Release2018) -> None:
        with replacing(folder / "A.csv") as file:
            write_release_2018(file, released)

    def read_released(self, folder: Path) -> Release2018:
        return read_release_2018(folder / "A.csv")

    def measured(
        self, original: Sheet2018, released: Release2018, truth: Integers
    ) -> tuple[Sheet2018, Release2018, Integers | None]:
        return original, spread_release(released, truth, original.n_rows), None
