"""Why a file was refused, from its first bytes and its problems: one cause instead of a thousand lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from datasets.cell_forms import EMPTY, NO_VALUE, form_of
from datasets.csv_forms import LINES_SEEN
from datasets.file_kinds import kind_of_file
from datasets.messages import Message, Template
from datasets.problems import Problem, Verdict, shown
from datasets.remarks import Remark
from datasets.samples import Sample
from datasets.table_shapes import mistaken_files, shapes_of

EVERY_CELL = Template("cell-form", "Every cell is written in one wrong way: %(form)s, such as “%(example)s”.")
SOME_CELLS = Template("cell-form.some", "%(n)s cells are %(form)s, such as “%(example)s”.")
EMPTY_CELLS = Template("cell-form.some-empty", "%(n)s cells are empty.")
NEEDED = Template("advice.needed", "Needed is %(expected)s.")
FILE_SIZE = Template("file-size", "The file has %(size)s bytes; at most %(most)s are allowed.")
REPEATED = Template(
    "repeated-ids", "%(n)s lines repeat an id that an earlier line has, such as “%(example)s”."
)
ONE_EACH = Template("advice.repeated-ids", "Each line needs an id of its own.")
ABOUT_REPEATS = ("duplicate-id", "duplicate-value")
LEAST = 2
"""A form that a single cell has is a slip, which its problem names."""


def too_large(file: str, size: int, most: int) -> Remark:
    """
    >>> print(too_large("T.csv", 2_000_000, 1_000_000))
    T.csv: The file has 2,000,000 bytes; at most 1,000,000 are allowed.
    """
    return Remark(file, FILE_SIZE(size=f"{size:,}", most=f"{most:,}"))


def diagnose(sample: Sample, verdict: Verdict, n_lines: int) -> Iterator[Remark]:
    r"""The causes of the problems of one file, what explains most first.

    >>> from datasets.problems import Findings
    >>> found = Findings("A.csv")
    >>> found.add(NEEDED(expected="a digit"), line=1, column="a", got="x;1")
    >>> sample = Sample("A.csv", b"x;1,5;z\ny;2,5;z\n", ("a", "b", "c"), lambda rank, text: True)
    >>> [str(remark.cause) for remark in diagnose(sample, found.verdict(), 2)]
    ['The cells are separated by semicolons.']
    """
    kind = kind_of_file(sample.file, sample.head)
    if kind is not None:
        yield kind
        return
    yield from shapes_of(sample)
    yield from _written(sample, verdict, n_lines)


def diagnose_together(samples: Sequence[Sample], verdict: Verdict) -> Verdict:
    """A verdict with what only shows where all files of an upload are looked at: some may be mixed up.

    What was said about a file by itself makes no sense if it is another one.
    """
    mistaken = list(mistaken_files(samples))
    if not mistaken:
        return verdict.explained(repeated_ids(verdict))
    swapped = {remark.file for remark in mistaken}
    swapped |= {str(value) for remark in mistaken for value in remark.cause.values.values()}
    kept = tuple(remark for remark in verdict.remarks if remark.file not in swapped)
    return Verdict(verdict.problems, verdict.total, verdict.counts, (*mistaken, *kept))


def repeated_ids(verdict: Verdict) -> Iterator[Remark]:
    """Columns in which several lines have the id of an earlier one.

    >>> from datasets.problems import Findings
    >>> found, once = Findings("M.csv"), Template("duplicate-id.example", "an id that no earlier line has")
    >>> for line in (2, 3):
    ...     found.add(once(), line=line, column="id", got="a")
    >>> print(*(remark.cause for remark in repeated_ids(found.verdict())))
    2 lines repeat an id that an earlier line has, such as “a”.
    """
    for (file, column, code), n in verdict.counts:
        if code not in ABOUT_REPEATS or n < LEAST:
            continue
        first = next((it for it in verdict.problems if it.kind == (file, column, code)), None)
        if first is not None and isinstance(first.got, str):
            yield Remark(file, REPEATED(n=n, example=first.got), ONE_EACH(), column)


def _written(sample: Sample, verdict: Verdict, n_lines: int) -> Iterator[Remark]:
    """How the refused cells are written, column by column."""
    counts = dict(verdict.counts)
    seen: set[str] = set()
    for problem in verdict.problems:
        column = problem.column
        if column is None or column in seen or column not in sample.names or not isinstance(problem.got, str):
            continue
        seen.add(column)
        texts = _refused(sample, column, verdict.problems)
        count = sum(n for kind, n in counts.items() if kind[:2] == (sample.file, column))
        if len(texts) < LEAST:
            continue
        expected = problem.expected
        rank = sample.names.index(column)
        form = form_of(texts, rank, sample.could_hold, "date" in expected.code)
        if form is not None and not _is_usual(form, sample, rank, "date" in expected.code):
            cause = _cause(form, texts, count, n_lines)
            yield Remark(sample.file, cause, NEEDED(expected=expected), column)


def _is_usual(form: Message, sample: Sample, rank: int, is_date: bool) -> bool:
    """Whether good cells of the column are written in the same way, so that this is not what is wrong."""
    rows = [row for row in sample.data if len(row) == len(sample.names)]
    good = [row[rank] for row in rows if sample.could_hold(rank, row[rank])]
    return len(good) >= LEAST and form_of(good, rank, sample.could_hold, is_date) == form


def _cause(form: Message, texts: Sequence[str], count: int, n_lines: int) -> Message:
    if form.code == EMPTY.code:
        return EMPTY_CELLS(n=count)
    example = shown(texts[0])
    if count >= n_lines - 1 and form.code != NO_VALUE.code:
        return EVERY_CELL(form=form, example=example)
    return SOME_CELLS(n=count, form=form, example=example)


def _refused(sample: Sample, column: str, problems: Sequence[Problem]) -> list[str]:
    """Refused cells of a column: of the first lines as they are, else as the problems quote them."""
    rank = sample.names.index(column)
    rows = [row for row in sample.data if len(row) == len(sample.names)]
    texts = [row[rank] for row in rows if not sample.could_hold(rank, row[rank])]
    if len(texts) < LEAST:
        texts = [it.got for it in problems if it.column == column and isinstance(it.got, str)]
    return texts[:LINES_SEEN]
