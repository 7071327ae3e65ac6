"""What pages say about the files of each contest format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from datasets.rules import FileRules

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Text


@dataclass(frozen=True)
class FileText:
    """A file of an upload: its sign, the label of its field, its columns, and a few lines of one."""

    sign: str
    label: Text
    columns: Text
    sample: str


@dataclass(frozen=True)
class FormatText:
    """``fixed`` are the rules of the format itself, ``switches`` those that a round may set."""

    archive: Text
    missing: Text
    both: Text
    unknown: Text
    drop: Text
    order: Text
    guess: Text
    files: Mapping[str, FileText]
    fixed: tuple[Text, ...] = ()
    switches: Mapping[str, Text] | None = None

    def sentences(self, rules: FileRules) -> list[tuple[Text, bool]]:
        """The switches in words, each with whether it is allowed."""
        return [(sentence, bool(getattr(rules, name))) for name, sentence in (self.switches or {}).items()]


FORMAT_TEXTS: Mapping[str, FormatText] = {
    "2016": FormatText(
        archive=_("One zip with M.csv, T.csv and P.csv"),
        missing=_("Choose one zip, or all three files: M′, T′ and P."),
        both=_("Choose either the zip or the three files, not both."),
        unknown=_("Only .csv files that begin with M, T or P, or one .zip. Left out:"),
        drop=_("Drop M′, T′ and P here, or one zip"),
        order=_("Plain CSV without a header, in UTF-8. Row 1 of M′ below is row 3 of M, and so on."),
        guess=_("Name the files by the target's number: 12.csv. One line per row of M′; “-” is no guess."),
        files={
            "M.csv": FileText(
                "M′",
                _("M′: the master table"),
                _("pseudonym, gender, birthday, country"),
                "a1,f,1971/4/2,Japan\nb7,m,1980/12/30,France\nc3,f,1964/1/9,Japan",
            ),
            "T.csv": FileText(
                "T′",
                _("T′: the transactions"),
                _("pseudonym, receipt, date, time, item, price, quantity"),
                "a1,r1,2010/12/1,8:26,85123,2.55,6\nb7,r2,2010/12/1,8:45,22728,3.75,9\n"
                "c3,r3,2010/12/2,9:00,22086,2.5,80",
            ),
            "P.csv": FileText(
                "P",
                _("P: who is who (kept secret)"),
                _("which row of M each row of M′ is; only the judge sees it"),
                "3\n1\n2",
            ),
        },
        switches={
            "drop_customers": _("M′ may have fewer rows than M"),
            "drop_rows": _("T′ may have fewer rows than T"),
            "add_rows": _("T′ may have more rows than T"),
            "foreign_items": _("T′ may hold items that T lacks"),
            "foreign_dates": _("T′ may hold dates outside T's range"),
            "foreign_countries": _("M′ may hold countries that M lacks"),
            "generalised": _("M′ may hold generalised cells"),
        },
    ),
    "2017": FormatText(
        archive=_("One zip with AT.csv"),
        missing=_("Choose one zip, or the file A(T)."),
        both=_("Choose either the zip or the file, not both."),
        unknown=_("Only one .csv file or one .zip. Left out:"),
        drop=_("Drop A(T) here, or one zip"),
        order=_("Plain CSV without a header, in UTF-8. Line 1 below is line 1 of T, and so on."),
        guess=_(
            "Name the files by the target's number: 12.csv. One line per customer: the id and the "
            "pseudonyms of the twelve months, December first; DEL for a month without any. A customer "
            "you leave out is not found."
        ),
        files={
            "AT.csv": FileText(
                "A(T)",
                _("A(T): the anonymised transactions, line by line with T"),
                _("pseudonym, receipt, date, time, item, price, quantity"),
                "p1,0,2010/12/1,9:09,21258,10.95,32\nDEL,,,,,,\nq7,0,2011/1/7,10:03,21622,4.95,8",
            ),
        },
        fixed=(
            _("A(T) has the rows of T in the order of T; a row written DEL,,,,,, is deleted."),
            _("A customer has one pseudonym per month, which is no customer's id."),
            _("A date stays in its month and an item is one of T."),
            _("Attackers see the kept rows, sorted, and know parts of T: the files T25 to T100."),
        ),
    ),
    "2018": FormatText(
        archive=_("One zip with A.csv"),
        missing=_("Choose one zip, or the file A."),
        both=_("Choose either the zip or the file, not both."),
        unknown=_("Only one .csv file or one .zip. Left out:"),
        drop=_("Drop A here, or one zip"),
        order=_("Plain CSV without a header, in UTF-8. Line 1 below is line 1 of T, and so on."),
        guess=_(
            "Name the files by the target's number: 12.csv. One line per customer whom you claim to know: "
            "the id and the pseudonym. The more you claim, the more must be right."
        ),
        files={
            "A.csv": FileText(
                "A",
                _("A: the anonymised transactions, line by line with T"),
                _("pseudonym, date, item, price, quantity"),
                "1,2010/12/1,84879,1.69,32\n1,[2010/12/1;2010/12/7],{22745;22748},*,[1;10]\n*,*,*,*,*",
            ),
        },
        fixed=(
            _("A has the rows of T in the order of T; a row written *,*,*,*,* is deleted."),
            _("A customer has one pseudonym of digits, and nobody else has it."),
            _("A cell is T's value, a star, or an interval [a;b] or set {i;j} of up to 100 items around it."),
            _("Attackers see the kept rows, sorted."),
        ),
    ),
}
