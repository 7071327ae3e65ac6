"""The rules of a file in sentences, from its declaration: what pages, kit and documentation say about it."""

from __future__ import annotations

from collections.abc import Iterator

from datasets.messages import Message, Template
from games.contract.declaration import Column, File
from games.contract.files import ROWS_OF_FILE, TOO_EXACT, expectation

AS_BYTES = Template("file.bytes", "%(file)s: a file of at most %(most)s bytes.")
WITH_HEADER = Template(
    "file.header-required", "%(file)s: a CSV file in UTF-8 whose first line is %(header)s."
)
MAY_HAVE_HEADER = Template(
    "file.header-optional", "%(file)s: a CSV file in UTF-8; its first line may be %(header)s."
)
FREE_HEADER = Template(
    "file.header-free",
    "%(file)s: a CSV file in UTF-8 whose first line names these columns, in any order: %(header)s.",
)
NO_HEADER = Template("file.header-none", "%(file)s: a CSV file in UTF-8 without a header line.")
MAY_BE_ABSENT = Template("file.optional", "%(file)s may be left out.")
SEVERAL = Template("file.several", "%(file)s stands for %(first)s to %(last)s.")
PER_TARGET = Template("file.per-target", "%(file)s: one file per target, under the key of the target.")
HAS_ROWS = Template("file.rows", "%(file)s has %(rows)s.")
ROWS_AS = Template("file.rows-as", "%(file)s has as many rows as %(other)s.")
ORDER_KEPT = Template(
    "file.order-kept", "The rows of %(file)s are published in the order in which you send them."
)
ORDER_SORTED = Template("file.order-sorted", "The rows of %(file)s are published in sorted order.")
CELL = Template("file.cell", "%(column)s: %(expected)s.")
CELL_OR_EMPTY = Template("file.cell-or-empty", "%(column)s: %(expected)s, or nothing.")
COLUMN_PER_TARGET = Template("file.column-per-target", "%(column)s: one column per target.")

UNIQUE = Template("file.unique", "No value of %(column)s occurs twice.")


def sentences(file: File) -> Iterator[Message]:
    """The rules of a file, the most general first.

    >>> age = Column("age", "int", (0, 120), unique=True)
    >>> for sentence in sentences(File("C.csv", "entry", "upload", columns=(age,), rows=3)):
    ...     print(sentence)
    C.csv: a CSV file in UTF-8; its first line may be age.
    C.csv has 3 rows.
    age: an integer from 0 to 120.
    No value of age occurs twice.
    >>> free = File("C.csv", "entry", "upload", columns=(age,), header="required", column_order="free")
    >>> print(next(sentences(free)))
    C.csv: a CSV file in UTF-8 whose first line names these columns, in any order: age.
    """
    yield _shape(file)
    if "{i}" in file.name:
        names = file.names()
        yield SEVERAL(file=file.name, first=names[0], last=names[-1])
    if "{target}" in file.name:
        yield PER_TARGET(file=file.name)
    if not file.required:
        yield MAY_BE_ABSENT(file=file.name)
    if isinstance(file.rows, int):
        yield HAS_ROWS(file=file.name, rows=ROWS_OF_FILE(n=file.rows))
    elif file.rows:
        yield ROWS_AS(file=file.name, other=file.rows)
    if file.made == "upload" and file.scope == "entry" and file.columns and file.shown.all != "never":
        yield (ORDER_KEPT if file.order == "kept" else ORDER_SORTED)(file=file.name)
    for column in file.columns:
        yield from _of_column(column)


def _shape(file: File) -> Message:
    if not file.columns:
        return AS_BYTES(file=file.name, most=file.max_bytes)
    if file.header == "none":
        return NO_HEADER(file=file.name)
    header = ",".join(column.name for column in file.columns)
    if file.column_order == "free":
        return FREE_HEADER(file=file.name, header=header)
    return (WITH_HEADER if file.header == "required" else MAY_HAVE_HEADER)(file=file.name, header=header)


def _of_column(column: Column) -> Iterator[Message]:
    template = CELL_OR_EMPTY if column.empty else CELL
    yield template(column=column.name, expected=expectation(column))
    if column.decimals is not None:
        yield CELL(column=column.name, expected=TOO_EXACT(n=column.decimals))
    if column.per_target:
        yield COLUMN_PER_TARGET(column=column.name)
    if column.unique:
        yield UNIQUE(column=column.name)
