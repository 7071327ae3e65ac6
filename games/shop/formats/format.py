"""What a contest format is: which files there are, how they are checked, and what of them is public."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from datasets.problems import MISSING_FILE, Problem, Verdict
from datasets.reader import Source
from datasets.tables import EPOCH, Codes, Integers
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData
from games.shop.formats.counted import Counted, counted


@dataclass(frozen=True)
class UploadFile:
    """A file of an upload or a data set; ``field`` is its name in forms, in the API and in bundles."""

    name: str
    field: str


@dataclass(frozen=True)
class Facts:
    """The basic facts about a data set. Days count from 1970-01-01."""

    n_customers: int
    n_rows: int
    n_items: int
    n_receipts: int
    """0 in a format without receipts."""
    first_day: int
    last_day: int

    @property
    def n_people(self) -> int:
        """How many people an attacker chooses from."""
        return self.n_customers

    def listed(self) -> list[list[Any]]:
        """As data sets store them: the code of a label and a value each; the days are a span.

        >>> Facts(n_customers=4, n_rows=90, n_items=7, n_receipts=0, first_day=0, last_day=31).listed()
        [['customers', 4], ['purchases', 90], ['items', 7], ['days', ['1970-01-01', '1970-02-01']]]
        """
        days = [(EPOCH + datetime.timedelta(days=day)).isoformat() for day in (self.first_day, self.last_day)]
        receipts = [["receipts", self.n_receipts]] if self.n_receipts else []
        counts = [["customers", self.n_customers], ["purchases", self.n_rows], *receipts]
        return [*counts, ["items", self.n_items], ["days", days]]


@dataclass(frozen=True, eq=False)
class Neutral:
    """A legal entry in the form that attackers see, in an order that reveals nothing.

    ``truth`` says for every row of the table of people (2016) or of purchases (2017, 2018) which row of the
    original it is, counted from 0; ``n_released`` is how many people there are to be found.
    """

    released: Any
    truth: Integers
    n_released: int


@dataclass(frozen=True)
class CheckedUpload:
    """The verdict on an upload, and its neutral form where there is no problem."""

    verdict: Verdict
    neutral: Neutral | None


class Format(ABC):
    """A contest format. Its tables are opaque to callers, which only pass them on.

    ``original`` is what `read_original` returns, ``released`` what `read_released` returns, ``entry`` what
    anonymizers of this format make.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    data_files: ClassVar[tuple[str, ...]]
    """The tables of a data set: its transactions last, and before them its master table where it has one."""
    knowledge_files: ClassVar[tuple[str, ...]] = ()
    """What attackers learn besides the tables."""
    upload_files: ClassVar[tuple[UploadFile, ...]]
    public_files: ClassVar[tuple[str, ...]]
    """The files of an entry that attackers see, in the order of ``data_files``."""
    rules: ClassVar[tuple[str, ...]]
    """The fields of `FileRules` that mean something here."""

    @property
    def original_files(self) -> tuple[str, ...]:
        return self.data_files + self.knowledge_files

    @property
    def table_fields(self) -> tuple[UploadFile, ...]:
        fields = ("master", "transactions")[-len(self.data_files) :]
        return tuple(map(UploadFile, self.data_files, fields))

    @property
    def knowledge_fields(self) -> tuple[UploadFile, ...]:
        return tuple(UploadFile(name, Path(name).stem) for name in self.knowledge_files)

    @property
    def original_fields(self) -> tuple[UploadFile, ...]:
        """``original_files`` with their names in forms."""
        return self.table_fields + self.knowledge_fields

    @property
    def upload_aliases(self) -> dict[str, str]:
        """Names under which people send the files of an upload all the same: those of their fields."""
        return {f"{file.field}.csv": file.name for file in self.upload_files}

    @property
    def upload_names(self) -> tuple[str, ...]:
        return tuple(file.name for file in self.upload_files)

    def check_upload(
        self, files: Mapping[str, Source], original: Any, rules: FileRules | None = None
    ) -> CheckedUpload:
        """Check the files of an upload against the original and the rules of the round."""
        absent = [name for name in self.upload_names if name not in files]
        if absent:
            problems = (Problem(name, None, None, None, MISSING_FILE(name=name)) for name in absent)
            return CheckedUpload(Verdict.of(*problems), None)
        entry, verdict = self.check_entry(files, original, rules or FileRules())
        return CheckedUpload(verdict, self.neutral(original, entry) if verdict.ok else None)

    @abstractmethod
    def read_original(self, folder: Path) -> Any:
        """Read the files of a data set; raise `BadFiles` where they are not well formed."""

    @abstractmethod
    def write_original(self, folder: Path, original: Any) -> None:
        """Write ``original_files`` into a folder."""

    @abstractmethod
    def from_tables(self, data: PurchaseData) -> Any:
        """The original that a shop's tables M and T give in this format."""

    @abstractmethod
    def facts(self, original: Any) -> Facts: ...

    @abstractmethod
    def people_ids(self, original: Any) -> npt.NDArray[np.object_]:
        """The ids of those who are to be hidden, in the order in which the judge counts them."""

    @abstractmethod
    def days(self, original: Any) -> Codes:
        """The day of every purchase."""

    @abstractmethod
    def receipt_lines(self, original: Any) -> Integers:
        """How many lines each receipt has; empty in a format without receipts."""

    @abstractmethod
    def item_counts(self, original: Any) -> Integers:
        """How often each item was bought."""

    def counted(self, original: Any) -> Counted:
        """What the pictures of a data set show."""
        return counted(self.receipt_lines(original), self.item_counts(original), self.days(original))

    @abstractmethod
    def check_entry(
        self, files: Mapping[str, Source], original: Any, rules: FileRules
    ) -> tuple[Any, Verdict]:
        """Check the files of an upload, which are all there; the entry is usable only with a good verdict."""

    @abstractmethod
    def check_public(
        self, files: Mapping[str, Source], original: Any, rules: FileRules, n_released: int
    ) -> Verdict:
        """Do the public files of an entry that was legal follow these rules too? The truth is not needed."""

    @abstractmethod
    def write_entry(self, folder: Path, entry: Any) -> None:
        """Write ``upload_files`` into a folder."""

    @abstractmethod
    def neutral(self, original: Any, entry: Any) -> Neutral: ...

    @abstractmethod
    def write_released(self, folder: Path, released: Any) -> None:
        """Write ``public_files`` into a folder."""

    @abstractmethod
    def read_released(self, folder: Path) -> Any: ...

    @abstractmethod
    def measured(self, original: Any, released: Any, truth: Integers) -> tuple[Any, Any, Integers | None]:
        """Original, release and truth as the measures of this format take them."""
