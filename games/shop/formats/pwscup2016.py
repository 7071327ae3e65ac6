"""The format of 2016: M and T; an entry is M′, T′ and the secret P."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.problems import Verdict
from datasets.reader import Source
from datasets.tables import Codes, Integers
from games.shop.data.check import check_entry
from games.shop.data.folder import canonical_order, read_original, read_tables, write_dataset, write_release
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData, Release
from games.shop.formats.format import Facts, Format, Neutral, UploadFile

OTHERS = ("least_kept",)
"""Rules of other years."""


class Pwscup2016(Format):
    name = "2016"
    title = "PWSCUP 2016: people and their purchases"
    data_files = ("M.csv", "T.csv")
    upload_files = (
        UploadFile("M.csv", "master"),
        UploadFile("T.csv", "transactions"),
        UploadFile("P.csv", "truth"),
    )
    public_files = ("M.csv", "T.csv")
    rules = tuple(field.name for field in fields(FileRules) if field.name not in OTHERS)

    def read_original(self, folder: Path) -> PurchaseData:
        return read_original(folder)

    def write_original(self, folder: Path, original: PurchaseData) -> None:
        write_dataset(folder, original)

    def from_tables(self, data: PurchaseData) -> PurchaseData:
        return data

    def facts(self, original: PurchaseData) -> Facts:
        rows = original.transactions
        return Facts(
            n_customers=original.n_customers,
            n_rows=rows.n_rows,
            n_items=rows.item.n_labels,
            n_receipts=len(np.unique(rows.receipt.codes)),
            first_day=int(rows.day.min()),
            last_day=int(rows.day.max()),
        )

    def people_ids(self, original: PurchaseData) -> npt.NDArray[np.object_]:
        return original.master.ids

    def days(self, original: PurchaseData) -> Codes:
        return original.transactions.day

    def receipt_lines(self, original: PurchaseData) -> Integers:
        return np.unique(original.transactions.receipt.codes, return_counts=True)[1]

    def item_counts(self, original: PurchaseData) -> Integers:
        return np.bincount(original.transactions.item.codes, minlength=original.transactions.item.n_labels)

    def check_entry(
        self, files: Mapping[str, Source], original: PurchaseData, rules: FileRules
    ) -> tuple[Release | None, Verdict]:
        checked = check_entry(files, original, rules)
        return checked.release, checked.verdict

    def check_public(
        self, files: Mapping[str, Source], original: PurchaseData, rules: FileRules, n_released: int
    ) -> Verdict:
        """No rule is about P, so one that is valid for every table is used instead."""
        truth = io.BytesIO("".join(f"{row}\n" for row in range(1, n_released + 1)).encode())
        return check_entry({**files, "P.csv": truth}, original, rules).verdict

    def write_entry(self, folder: Path, entry: Release) -> None:
        write_release(folder, entry)

    def neutral(self, original: PurchaseData, entry: Release) -> Neutral:
        release = canonical_order(entry)
        return Neutral(release.data, release.truth, release.data.n_customers)

    def write_released(self, folder: Path, released: PurchaseData) -> None:
        write_dataset(folder, released)

    def read_released(self, folder: Path) -> PurchaseData:
        return read_tables(folder, generalised=True)

    def measured(
        self, original: PurchaseData, released: PurchaseData, truth: Integers
    ) -> tuple[PurchaseData, PurchaseData, Integers]:
        return original, released, truth
