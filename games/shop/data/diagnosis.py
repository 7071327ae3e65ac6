"""Why an upload about a shop was refused, where that takes more than one file: P, and the order of T."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from datasets.diagnosis import diagnose_together
from datasets.messages import Template
from datasets.problems import Findings, Verdict
from datasets.reader import Read, TableRead
from datasets.remarks import Remark
from datasets.samples import Sample

FROM_ZERO = Template("counts-from-zero", "P counts the rows of M from 0.")
GUESS_FROM_ZERO = Template("counts-from-zero.guess", "The guess counts the rows of M from 0.")
COUNT_FROM_ONE = Template("advice.from-one", "The first row of M is 1: add 1 to every number.")
PSEUDONYMS_IN_P = Template("pseudonyms-in-p", "P holds pseudonyms, not row numbers.")
CUSTOMERS_IN_P = Template("customers-in-p", "P holds ids of customers, not row numbers.")
WRITE_ROWS = Template(
    "advice.row-numbers",
    "Line i of P is the number of the row of M, from 1 on, that row i of M′ was made from.",
)
ROW_ORDER = Template("row-order", "The rows seem to be in another order than those of T.")
KEEP_ORDER = Template("advice.row-order", "Row i must be made from row i of T: do not sort or shuffle them.")

MISPLACED = 0.1
"""The order is looked at where more rows than this share break a rule about their row of T."""
ABOUT_ROWS = ("month-changed", "second-pseudonym", "value-not-covered")
SAME = 0.95


def diagnose_truth(
    file: str, sample: Sample | None, pseudonyms: Collection[str], customers: Collection[str]
) -> Iterator[Remark]:
    """What P counts or names instead of the rows of M from 1 on.

    >>> def causes(raw):
    ...     sample = Sample("P.csv", raw, ("row",), lambda rank, text: False)
    ...     return [it.code for it in diagnose_truth("P.csv", sample, ["x", "y", "z"], ["a", "b", "c"])]
    >>> causes(b"0\\n2\\n1\\n"), causes(b"x\\ny\\n"), causes(b"a\\nb\\n")
    (['counts-from-zero'], ['pseudonyms-in-p'], ['customers-in-p'])
    """
    if sample is None:
        return
    cells = [row[0].strip() for row in sample.data if len(row) == 1]
    if len(cells) < 2:
        return
    for known, cause in ((pseudonyms, PSEUDONYMS_IN_P), (customers, CUSTOMERS_IN_P)):
        names = set(known)
        is_named = sum(cell in names for cell in cells) >= SAME * len(cells)
        if is_named and not all(cell.isdecimal() and 1 <= int(cell) <= len(customers) for cell in cells):
            yield Remark(file, cause(), WRITE_ROWS())
            return
    are_rows = all(cell.isascii() and cell.isdigit() and int(cell) < len(customers) for cell in cells)
    if are_rows and "0" in cells:
        yield Remark(file, FROM_ZERO(), COUNT_FROM_ONE())


def diagnose_guess(file: str, sample: Sample | None, n_original: int) -> Iterator[Remark]:
    """Whether a guess counts the rows of M from 0.

    >>> sample = Sample("Q.csv", b"0\\n-\\n2\\n", ("row",), lambda rank, text: False)
    >>> [str(it.cause) for it in diagnose_guess("Q.csv", sample, 3)]
    ['The guess counts the rows of M from 0.']
    """
    cells = [row[0].strip() for row in sample.data if len(row) == 1] if sample is not None else []
    rows = [cell for cell in cells if cell not in ("", "-")]
    if "0" in rows and all(cell.isascii() and cell.isdigit() and int(cell) < n_original for cell in rows):
        yield Remark(file, GUESS_FROM_ZERO(), COUNT_FROM_ONE())


def diagnose_entry(
    found: Mapping[str, Findings], people: TableRead, customers: Collection[str], verdict: Verdict
) -> Verdict:
    """The verdict on M′, T′ and P with what shows only where they are looked at together."""
    if verdict.ok:
        return verdict
    samples = [part.sample for part in found.values() if part.sample is not None]
    together = diagnose_together(samples, verdict)
    mixed_up = {remark.file for remark in together.remarks} - {remark.file for remark in verdict.remarks}
    truth = found["P.csv"].sample
    if mixed_up or truth is None:
        return together
    pseudonyms = [str(value) for value in people["customer_id"].values]
    causes = list(diagnose_truth("P.csv", truth, pseudonyms, customers))
    return _without(together, "P.csv").explained(causes) if causes else together


def _without(verdict: Verdict, file: str) -> Verdict:
    kept = tuple(remark for remark in verdict.remarks if remark.file != file or remark.accepted)
    return Verdict(verdict.problems, verdict.total, verdict.counts, kept)


def diagnose_order(verdict: Verdict, file: str, dates: Read, original_days: Sequence[int]) -> Verdict:
    """A verdict on rows that must keep the order of T: are they the same days in another order?"""
    misplaced = sum(n for (_, _, code), n in verdict.counts if code in ABOUT_ROWS)
    if misplaced < MISPLACED * max(1, len(original_days)) or len(dates.codes) != len(original_days):
        return verdict
    counted: Counter[int | None] = Counter(
        _day(dates.values[code]) for code in dates.codes.tolist() if code >= 0
    )
    del counted[None]
    both = sum((counted & Counter(original_days)).values())
    if not counted or both < SAME * counted.total():
        return verdict
    return verdict.explained([Remark(file, ROW_ORDER(), KEEP_ORDER(), certainty="likely")])


def _day(value: object) -> int | None:
    """A day as read, of 2018 with its kind, which is 0 for a value; of an interval or a star, none."""
    if isinstance(value, tuple):
        return int(value[1]) if value[0] == 0 else None
    return value if isinstance(value, int) else None
