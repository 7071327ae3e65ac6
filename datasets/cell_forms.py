"""How the refused cells of a column are written: as in another country, or with strange characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from datasets.csv_forms import MISSING, CouldHold
from datasets.messages import Message, Template
from datasets.samples import accepts

Test = Callable[[str], bool]

M_D_Y = Template("cell-form.m-d-y", "dates as month/day/year")
D_M_Y = Template("cell-form.d-m-y", "dates as day/month/year")
M_D_OR_D_M = Template("cell-form.ambiguous-date", "dates with the year at the end")
D_DOT_M = Template("cell-form.d-dot-m", "dates as day.month.year")
ISO_DATE = Template("cell-form.iso-date", "dates as YYYY-MM-DD")
SLASH_DATE = Template("cell-form.slash-date", "dates as YYYY/M/D")
ZERO_DATE = Template("cell-form.zero-date", "dates with leading zeros")
COMPACT_DATE = Template("cell-form.compact-date", "dates as YYYYMMDD")
JAPANESE_DATE = Template("cell-form.japanese-date", "dates in Japanese")
DATE_AND_TIME = Template("cell-form.date-and-time", "dates with a time")
MONTH_NAME = Template("cell-form.month-name", "dates with the name of a month")
EXCEL_DATE = Template("cell-form.excel-date", "dates as Excel counts them")
SECONDS = Template("cell-form.seconds", "times with seconds")
ZERO_TIME = Template("cell-form.zero-time", "times with a leading zero")
TWELVE_HOURS = Template("cell-form.am-pm", "times with AM or PM")
EXPONENT = Template("cell-form.exponent", "numbers with an exponent")
THOUSANDS = Template("cell-form.thousands", "numbers with commas between the thousands")
DECIMAL_COMMA = Template("cell-form.decimal-comma", "numbers with a comma as the decimal sign")
FULL_WIDTH = Template("cell-form.full-width", "numbers in full-width digits")
OTHER_DIGITS = Template("cell-form.other-digits", "numbers in the digits of another script")
WHOLE_AS_DECIMAL = Template("cell-form.point-zero", "whole numbers with .0 at the end")
CURRENCY = Template("cell-form.currency", "numbers with a currency sign")
LOST_ZEROS = Template(
    "cell-form.lost-zeros", "ids that were turned into numbers and lost their leading zeros"
)
LETTER_CASE = Template("cell-form.case", "words whose capital letters differ")
NO_VALUE = Template("cell-form.missing", "marks of missing values")
EMPTY = Template("cell-form.empty", "empty")
CHARACTER = Template("cell-form.character", "texts with the character %(name)s")
AROUND = Template("cell-form.around", "texts with %(name)s at the beginning or the end")
SPACE = Template("character.space", "a space")
NO_BREAK_SPACE = Template("character.no-break-space", "a no-break space (U+00A0)")
WIDE_SPACE = Template("character.wide-space", "a full-width space (U+3000)")
TAB = Template("character.tab", "a tab")
QUOTE = Template("character.quote", "a quotation mark")
OTHER = Template("character.other", "%(name)s (%(code)s)")

MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATE_FORMS: tuple[tuple[str, Template], ...] = (
    (r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}[ T]+[0-9]{1,2}:[0-9]{2}.*", DATE_AND_TIME),
    (r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}", D_DOT_M),
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", ISO_DATE),
    (r"[0-9]{4}/(?:0[0-9]/[0-9]{1,2}|[0-9]{1,2}/0[0-9])", ZERO_DATE),
    (r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", SLASH_DATE),
    (r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])", COMPACT_DATE),
    (r"[0-9]{1,4}年[0-9]{1,2}月[0-9]{1,2}日", JAPANESE_DATE),
    (rf"(?i)(?=.*(?:{MONTHS}))[a-z]*[ .-]*[0-9]{{1,2}}[ ,.-]*[a-z]*[ ,.-]*[0-9]{{2,4}}", MONTH_NAME),
)
TIME_FORMS: tuple[tuple[str, Template], ...] = (
    (r"(?i)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})? ?[ap]\.?m\.?", TWELVE_HOURS),
    (r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?", SECONDS),
    (r"0[0-9]:[0-9]{2}", ZERO_TIME),
)
NUMBER_FORMS: tuple[tuple[str, Template], ...] = (
    (r"[-+]?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+", EXPONENT),
    (r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?", THOUSANDS),
    (r"[-+]?[0-9]{1,3}(?:[. ][0-9]{3})*,[0-9]+", DECIMAL_COMMA),
    (r"[-+]?[0-9]+\.0+", WHOLE_AS_DECIMAL),
    (r"[$€£¥￥] ?[0-9.,]+|[0-9.,]+ ?(?:[$€£¥￥円]|EUR|USD|JPY)", CURRENCY),
)
PATTERNS = [(re.compile(text), form) for text, form in (*DATE_FORMS, *TIME_FORMS, *NUMBER_FORMS)]
YEAR_LAST = re.compile(r"([0-9]{1,2})[-/]([0-9]{1,2})[-/](?:[0-9]{4}|[0-9]{2})")
EXCEL_DAYS = range(10_000, 60_000)
"""1927 to 2064, as Excel counts days."""
NAMED = {" ": SPACE, "\u00a0": NO_BREAK_SPACE, "\u3000": WIDE_SPACE, "\t": TAB, '"': QUOTE}
STRANGE = ("Cf", "Cc", "Zs", "Zl", "Zp", "Co", "Cn")
WIDEST_ID = 12


def form_of(texts: Sequence[str], rank: int, holds: CouldHold, is_date: bool = False) -> Message | None:
    """What most of these refused cells have in common; None where it is nothing that we know.

    >>> never = lambda rank, text: False
    >>> str(form_of(["12/1/2010", "12/31/2010"], 0, never)), str(form_of(["1.12.2010"], 0, never))
    ('dates as month/day/year', 'dates as day.month.year')
    >>> str(form_of(["7", "12"], 0, lambda rank, text: len(text) == 3))
    'ids that were turned into numbers and lost their leading zeros'
    >>> str(form_of(["a\\u00a0", "b\\u00a0"], 0, never))
    'texts with a no-break space (U+00A0) at the beginning or the end'
    """
    for message, test in _tests(texts, rank, holds, is_date):
        if sum(map(test, texts)) >= 0.8 * len(texts):
            return message
    return None


def _tests(
    texts: Sequence[str], rank: int, holds: CouldHold, is_date: bool
) -> Iterator[tuple[Message, Test]]:
    """The forms that are tried, in order."""
    yield EMPTY(), lambda text: not text
    yield NO_VALUE(), lambda text: text.strip().lower() in MISSING
    sign = _strange_sign(texts)
    if sign is not None:
        around = AROUND if all(text != text.strip(sign) for text in texts if sign in text) else CHARACTER
        yield around(name=_name(sign)), lambda text: sign in text
    yield _year_last(texts), lambda text: YEAR_LAST.fullmatch(text) is not None
    yield WHOLE_AS_DECIMAL(), accepts(holds, rank, lambda text: text.removesuffix(".0"))
    yield LOST_ZEROS(), _may_lack_zeros(rank, holds)
    yield (
        LETTER_CASE(),
        lambda text: any(accepts(holds, rank, change)(text) for change in (str.lower, str.upper, str.title)),
    )
    for pattern, form in PATTERNS:
        yield form(), lambda text, pattern=pattern: pattern.fullmatch(text) is not None  # type: ignore[misc]
    if is_date:
        yield EXCEL_DATE(), _is_excel_day
    yield FULL_WIDTH(), lambda text: any("０" <= char <= "９" for char in text)
    yield OTHER_DIGITS(), lambda text: any(char.isdecimal() and not char.isascii() for char in text)


def _may_lack_zeros(rank: int, holds: CouldHold) -> Test:
    def lacks(text: str) -> bool:
        if not (text.isascii() and text.isdigit()):
            return False
        return any(holds(rank, text.zfill(width)) for width in range(len(text) + 1, WIDEST_ID))

    return lacks


def _year_last(texts: Sequence[str]) -> Message:
    """Which of the first two numbers of a date is the month: where one is over 12, it is the other."""
    pairs = [(int(match[1]), int(match[2])) for match in map(YEAR_LAST.fullmatch, texts) if match]
    first, second = (max((pair[place] for pair in pairs), default=0) for place in (0, 1))
    if first <= 12 < second:
        return M_D_Y()
    return D_M_Y() if second <= 12 < first else M_D_OR_D_M()


def _strange_sign(texts: Sequence[str]) -> str | None:
    """A character that most of these texts have and no cell should: a blank at an end, a quote, no letter."""
    for text in texts[:3]:
        for char in text:
            ends = char == " " and text != text.strip(" ")
            if ends or char == '"' or (char != " " and unicodedata.category(char) in STRANGE):
                return char
    return None


def _name(char: str) -> Message:
    """
    >>> str(_name("\\u200b"))
    'ZERO WIDTH SPACE (U+200B)'
    """
    if char in NAMED:
        return NAMED[char]()
    return OTHER(name=unicodedata.name(char, "CONTROL CHARACTER"), code=f"U+{ord(char):04X}")


def _is_excel_day(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) == 5 and int(text) in EXCEL_DAYS
