"""Answers to both challenges about all targets: what is in the files, and whether they are complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from datasets.tokens import BYTE_ORDER_MARK
from games.contract.boxes import MemoryBox
from games.contract.declaration import Column, Declaration, File
from games.contract.files import check_files
from games.contract.tables import Columns, read_columns
from games.contract.values import Box, Fault, FileVerdict, Out, Wrong

from .layout import Floats

MIA, AIA = "F_mia.csv", "F_aia.csv"
RECORD = "record_id"
MOST_BYTES = 20 * 1024 * 1024
LONGEST_LABEL = 20


class Wide(NamedTuple):
    """The answer about membership: its labels, and either its columns or what is wrong with its cells."""

    labels: tuple[str, ...]
    verdict: FileVerdict
    columns: Columns


def read_wide(answer: Box) -> Wide:
    """`F_mia.csv` with the columns that its header names, in any order."""
    return answer.load(MIA, _read_wide)


def _read_wide(source: BinaryIO) -> Wide:
    content = source.read()
    first = content.removeprefix(BYTE_ORDER_MARK).split(b"\n", 1)[0].removesuffix(b"\r")
    labels = tuple(first.decode("utf-8", "replace").split(","))
    columns = tuple(
        Column(label, "int", (0, 100_000), unique=True) if label == RECORD else Column(label, "real", (0, 1))
        for label in labels
    )
    file = File(MIA, "answer", "upload", columns=columns, header="required", max_bytes=MOST_BYTES)
    checked = check_files((file,), MemoryBox({MIA: content}))
    if not checked.verdict.ok:
        return Wide(labels, checked.verdict, {})
    kinds = {RECORD: np.int64}
    read = checked.tables[MIA].columns
    return Wide(labels, checked.verdict,
                {name: read[name].numbers(kinds.get(name, np.float64)) for name in labels})  # fmt: skip


def wide_faults(wide: Wide, own_records: npt.NDArray[Any], own: int, numbers: Sequence[int],
                practice: bool) -> Iterator[Wrong]:  # fmt: skip
    """What is wrong with an answer about membership; ``numbers`` are all targets, perhaps one's own too."""
    labels = [label for label in wide.labels if label != RECORD]
    if wide.labels.count(RECORD) != 1 or len(set(labels)) != len(labels):
        yield Fault("no-records", MIA, 1)
        return
    known = {str(number) for number in (*numbers, own)}
    for label in labels:
        if label not in known:
            yield Fault("unknown-target", MIA, 1, got=label if len(label) <= LONGEST_LABEL else None)
    yield from _missing(MIA, {int(label) for label in labels if label in known}, own, numbers, practice)
    if not wide.verdict.ok:
        yield wide.verdict
        return
    missing, strange = _difference(own_records.tolist(), wide.columns[RECORD].tolist())
    if missing or strange:
        yield Fault("records-differ", MIA, values={"missing": missing, "strange": strange})


def _missing(file: str, given: set[int], own: int, numbers: Sequence[int], practice: bool) -> Iterator[Fault]:
    """In practice any one may be left out, in a real round one's own alone."""
    missing = [number for number in numbers if number not in given]
    if practice and len(missing) <= 1:
        return
    for number in missing:
        if practice or number != own:
            yield Fault("target-missing", file, values={"number": number})


def _difference(wanted: list[int], given: list[int]) -> tuple[int, int]:
    """How many are missing, and how many are strange or repeated."""
    expected = set(wanted)
    there = [one for one in given if one in expected]
    return len(expected - set(there)), len(given) - len(set(there))


def long_faults(
    rows: Columns, challenges: Mapping[int, Columns], own: int, practice: bool
) -> Iterator[Fault]:
    """What is wrong with an answer about times; ``challenges`` are those of all targets by number."""
    targets, ids = rows["target_k"], rows["challenge_row_id"]
    given = set(targets.tolist())
    for number in sorted(given - set(challenges) - {own}):
        line = int(np.flatnonzero(targets == number)[0]) + 2
        yield Fault("unknown-target", AIA, line, "target_k", str(number))
    yield from _missing(AIA, given, own, list(challenges), practice)
    for number, challenge in challenges.items():
        if number in given and number != own:
            missing, strange = _difference(
                challenge["challenge_row_id"].tolist(), ids[targets == number].tolist()
            )
            if missing or strange:
                values = {"number": number, "missing": missing, "strange": strange}
                yield Fault("rows-differ", AIA, values=values)


def confidences(answer: Box, number: int, records: npt.NDArray[Any]) -> Floats:
    """The confidences about a target, in the order of these records."""
    columns = read_wide(answer).columns
    place = {record: row for row, record in enumerate(columns[RECORD].tolist())}
    found: Floats = columns[str(number)][[place[record] for record in records.tolist()]]
    return found


def times(declaration: Declaration, answer: Box, number: int, ids: npt.NDArray[Any]) -> Floats:
    """The times of a target, in the order of these rows of its challenge."""
    rows = read_columns(declaration, answer, AIA, "answer")
    asked = rows["target_k"] == number
    given = dict(zip(rows["challenge_row_id"][asked].tolist(), rows["time_hat"][asked].tolist(), strict=True))
    return np.array([given[one] for one in ids.tolist()], dtype=float)


def write_long(out: Out, answers: Mapping[int, tuple[npt.NDArray[Any], Floats]]) -> None:
    """`F_aia.csv` from rows and times by target."""
    with out.create(AIA) as file:
        file.write(b"target_k,challenge_row_id,time_hat\n")
        for number, (ids, guessed) in answers.items():
            for one, time in zip(ids.tolist(), guessed.tolist(), strict=True):
                file.write(f"{number},{one},{time!r}\n".encode())
