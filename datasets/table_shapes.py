"""Why the lines of a table do not have the right cells: another separator, a row index, another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from datasets.csv_forms import named
from datasets.messages import Template
from datasets.remarks import Remark
from datasets.samples import Sample, plain_name

SEPARATOR = Template("wrong-separator", "The cells are separated by %(separator)s.")
USE_COMMAS = Template("advice.commas", "Separate them by commas, and write decimals with a point.")
INDEX_COLUMN = Template("index-column", "The first column looks like a row index.")
LEAVE_INDEX = Template(
    "advice.index", "Leave it out: to_csv(…, index=False) in pandas, write.csv(…, row.names=FALSE) in R."
)
COLUMN_ORDER = Template("column-order", "The columns are in another order: %(got)s.")
USE_ORDER = Template("advice.order", "The order is %(names)s.")
COMMAS_INSIDE = Template("commas-inside", "Cells in quotes hold commas, such as “%(example)s”.")
NO_COMMAS = Template(
    "advice.commas-inside", "Write numbers without thousands separators and texts without commas."
)
OTHER_WIDTH = Template("other-width", "The lines have %(got)s cells, not %(n)s.")
USE_COLUMNS = Template("advice.columns", "The columns are %(names)s.")
SWAPPED = Template("swapped-files", "This looks like %(other)s, and that one like %(file)s.")
SWAP = Template("advice.swap", "Exchange the two files.")
OTHER_FILE = Template("wrong-file", "This looks like %(other)s.")
CHECK_CHOICE = Template("advice.wrong-file", "Look at which file is in which field, or what they are called.")

GOOD = 0.7
"""A table fits columns where at least this share of its cells could be theirs."""
BAD = 0.5
NAMES_SHOWN = 12


def shapes_of(sample: Sample) -> Iterator[Remark]:
    """What is odd about how the lines are divided, of which the first explains the rest."""
    if len(sample.names) > 1 and sample.separator != ",":
        sign = named(sample.separator.encode())
        yield Remark(sample.file, SEPARATOR(separator=sign), USE_COMMAS())
    width = len(sample.names)
    if has_index(sample):
        yield Remark(sample.file, INDEX_COLUMN(), LEAVE_INDEX())
    elif (got := reordered(sample)) is not None:
        names = list(sample.names[:NAMES_SHOWN])
        yield Remark(sample.file, COLUMN_ORDER(got=got), USE_ORDER(names=names))
    elif sample.separator == "," and (inside := _with_comma(sample)) is not None:
        yield Remark(sample.file, COMMAS_INSIDE(example=inside[:40]), NO_COMMAS())
    elif (common := _common_width(sample)) not in (None, width):
        names = list(sample.names[:NAMES_SHOWN])
        yield Remark(sample.file, OTHER_WIDTH(got=common, n=width), USE_COLUMNS(names=names))


def has_index(sample: Sample) -> bool:
    r"""Whether a column of consecutive numbers precedes the columns of a table.

    >>> holds = lambda rank, text: text.isalpha()
    >>> has_index(Sample("A.csv", b",a\n0,x\n1,y\n2,z\n", ("a",), holds))
    True
    """
    width = len(sample.names)
    rows = [row for row in sample.rows[1:] if len(row) == width + 1]
    if len(rows) < 2 or len(rows) < 0.9 * len(sample.rows[1:]):
        return False
    firsts = [row[0].strip() for row in rows]
    if not all(text.isdecimal() and len(text) < 10 for text in firsts):
        return False
    numbers = list(map(int, firsts))
    steps = sum(after - before == 1 for before, after in pairwise(numbers))
    return steps >= 0.9 * (len(numbers) - 1) and numbers[0] <= 2


def reordered(sample: Sample) -> str | None:
    """The names of the first row, where they are those of the columns in another order."""
    if not sample.rows or len(sample.names) < 2:
        return None
    got, wanted = [plain_name(cell) for cell in sample.rows[0]], [plain_name(name) for name in sample.names]
    return (
        ", ".join(sample.rows[0][:NAMES_SHOWN]) if got != wanted and sorted(got) == sorted(wanted) else None
    )


def _with_comma(sample: Sample) -> str | None:
    """A cell in quotes that holds a comma, in a row that is whole otherwise."""
    whole = (row for row in sample.data if len(row) == len(sample.names))
    return next((cell for row in whole for cell in row if "," in cell), None)


def _common_width(sample: Sample) -> int | None:
    widths = Counter(map(len, sample.data))
    if not widths:
        return None
    width, count = widths.most_common(1)[0]
    return width if count >= 0.9 * len(sample.data) else None


def mistaken_files(samples: Sequence[Sample]) -> Iterator[Remark]:
    """Files of an upload that look like another one of it."""
    looks: dict[str, str] = {}
    for sample in samples:
        if not sample.rows or sample.fit(sample.could_hold, len(sample.names)) >= BAD:
            continue
        fits = {
            other.file: sample.fit(other.could_hold, len(other.names))
            for other in samples
            if other.file != sample.file and len(other.names) != len(sample.names)
        }
        best = max(fits, key=lambda name: fits[name], default=None)
        if best is not None and fits[best] >= GOOD:
            looks[sample.file] = best
    for file, other in looks.items():
        if looks.get(other) != file:
            yield Remark(file, OTHER_FILE(other=other), CHECK_CHOICE(), certainty="likely")
        elif file < other:
            yield Remark(file, SWAPPED(file=file, other=other), SWAP())
