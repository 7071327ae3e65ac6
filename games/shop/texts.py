"""What pages say about the files and the people of each contest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from games.shop.data.rules import FileRules
from games.shop.words import Said, Sentence, all_marked, marked

FACTS = all_marked(
    {
        "customers": "customers",
        "purchases": "purchases",
        "receipts": "receipts",
        "items": "items",
        "days": "period",
    }
)
"""What the codes of facts about a data set mean."""
SIZES = {
    "customers": Sentence("%(n)s customer", "%(n)s customers"),
    "purchases": Sentence("%(n)s purchase", "%(n)s purchases"),
    "items": Sentence("%(n)s item", "%(n)s items"),
}
"""The facts that say how large a data set is."""
FOUND_BY = Sentence("customer %(customer)s: %(n)s of %(total)s attacks")

TERMS = all_marked(
    {
        "M": "The master table that organisers publish: "
        "one row per customer with gender, birthday and country.",
        "T": "The transaction table that organisers publish: "
        "one row per purchased item, with customer, date, item, price and quantity.",
        "M′": "A team's changed M: each row is under a pseudonym, and the order of rows reveals nothing.",
        "T′": "A team's changed T, with the pseudonyms of M′.",
        "P": "The secret key: which row of M each row of M′ is. Only the team and the judge know it.",
        "Q": "A guess at P: for each row of M′ a row of M, or nobody.",
        "A(T)": "A team's changed T, line by line, with another pseudonym for each customer in each month.",
        "A": "A team's changed T, line by line; "
        "a cell is T's value, an interval or set around it, or a star.",
    }
)
"""What the signs of tables and files mean, for people who see them for the first time."""
TABLES = all_marked(
    {
        "M": "the master table",
        "T": "the transactions",
        "M′": "the changed master table",
        "T′": "the changed transactions",
        "P": "who is who",
        "Q": "a guess",
        "A(T)": "the changed transactions, monthly pseudonyms",
        "A": "the changed transactions, vague cells",
    }
)
"""What the signs stand for, in a few words."""


@dataclass(frozen=True)
class FileText:
    """A file of an upload: its sign, the label of its field, its columns, and a few lines of one."""

    sign: str
    label: str
    columns: str
    sample: str


@dataclass(frozen=True)
class FormatText:
    """``fixed`` are the rules of the format itself, ``switches`` those that a round may set.

    ``hidden`` says to newcomers what is hidden, from whom, and why; ``signs`` are its terms in `TERMS`.
    """

    hidden: str
    signs: tuple[str, ...]
    archive: str
    missing: str
    both: str
    unknown: str
    drop: str
    order: str
    guess: str
    files: Mapping[str, FileText]
    fixed: tuple[str, ...] = ()
    switches: Mapping[str, str] | None = None
    data: str = marked(
        "The tables of the people whom you will hide. The pictures show how large baskets are and when "
        "people buy."
    )
    pictures: str = marked("Baskets, items, seasons")

    @property
    def terms(self) -> dict[str, str]:
        """The signs of this format with what they mean."""
        return {sign: TERMS[sign] for sign in self.signs}

    def sentences(self, rules: FileRules) -> list[tuple[str, bool]]:
        """The switches in words, each with whether it is allowed."""
        return [(sentence, bool(getattr(rules, name))) for name, sentence in (self.switches or {}).items()]


def sizes(facts: Mapping[str, Any]) -> Iterator[Said]:
    """How large a data set with these facts is.

    >>> [said.text % said.values for said in sizes({"customers": 1, "receipts": 7, "items": 1})]
    ['1 customer', '1 item']
    """
    for code, sentence in SIZES.items():
        if code in facts:
            yield sentence(facts[code], n=facts[code])


def found_by(person: str, n: int, total: int) -> Said:
    """How many of the attacks found somebody, who is named by the public id."""
    return FOUND_BY(customer=person, n=n, total=total)


FORMAT_TEXTS: Mapping[str, FormatText] = {
    "2016": FormatText(
        hidden=marked(
            "Each team hides the customers of a shop by changing their records, from the other teams "
            "and the house, who have the original, to show how far purchase data can be shared without "
            "giving people away."
        ),
        signs=("M", "T", "M′", "T′", "P", "Q"),
        archive=marked("One zip with M.csv, T.csv and P.csv"),
        missing=marked("Choose one zip, or all three files: M′, T′ and P."),
        both=marked("Choose either the zip or the three files, not both."),
        unknown=marked("Only .csv files that begin with M, T or P, or one .zip. Left out:"),
        drop=marked("Drop M′, T′ and P here, or one zip"),
        order=marked("Plain CSV without a header, in UTF-8. Row 1 of M′ below is row 3 of M, and so on."),
        guess=marked(
            "Name the files by the target's number: 12.csv. One line per row of M′; “-” is no guess."
        ),
        files={
            "M.csv": FileText(
                "M′",
                marked("M′: the master table"),
                marked("pseudonym, gender, birthday, country"),
                "a1,f,1971/4/2,Japan\nb7,m,1980/12/30,France\nc3,f,1964/1/9,Japan",
            ),
            "T.csv": FileText(
                "T′",
                marked("T′: the transactions"),
                marked("pseudonym, receipt, date, time, item, price, quantity"),
                "a1,r1,2010/12/1,8:26,85123,2.55,6\nb7,r2,2010/12/1,8:45,22728,3.75,9\n"
                "c3,r3,2010/12/2,9:00,22086,2.5,80",
            ),
            "P.csv": FileText(
                "P",
                marked("P: who is who (kept secret)"),
                marked("which row of M each row of M′ is; only the judge sees it"),
                "3\n1\n2",
            ),
        },
        switches={
            "drop_customers": marked("M′ may have fewer rows than M"),
            "drop_rows": marked("T′ may have fewer rows than T"),
            "add_rows": marked("T′ may have more rows than T"),
            "foreign_items": marked("T′ may hold items that T lacks"),
            "foreign_dates": marked("T′ may hold dates outside T's range"),
            "foreign_countries": marked("M′ may hold countries that M lacks"),
            "generalised": marked("M′ may hold generalised cells"),
        },
    ),
    "2017": FormatText(
        hidden=marked(
            "Each team hides the customers of a shop under new pseudonyms every month, from the other "
            "teams and the house, who know parts of the original, to show how far purchase histories "
            "can be shared without giving people away."
        ),
        signs=("T", "A(T)"),
        archive=marked("One zip with AT.csv"),
        missing=marked("Choose one zip, or the file A(T)."),
        both=marked("Choose either the zip or the file, not both."),
        unknown=marked("Only one .csv file or one .zip. Left out:"),
        drop=marked("Drop A(T) here, or one zip"),
        order=marked("Plain CSV without a header, in UTF-8. Line 1 below is line 1 of T, and so on."),
        guess=marked(
            "Name the files by the target's number: 12.csv. One line per customer: the id and the "
            "pseudonyms of the twelve months, December first; DEL for a month without any. A customer "
            "you leave out is not found."
        ),
        files={
            "AT.csv": FileText(
                "A(T)",
                marked("A(T): the anonymised transactions, line by line with T"),
                marked("pseudonym, receipt, date, time, item, price, quantity"),
                "p1,0,2010/12/1,9:09,21258,10.95,32\nDEL,,,,,,\nq7,0,2011/1/7,10:03,21622,4.95,8",
            ),
        },
        fixed=(
            marked("A(T) has the rows of T in the order of T; a row written DEL,,,,,, is deleted."),
            marked("A customer has one pseudonym per month, which is no customer's id."),
            marked("A date stays in its month and an item is one of T."),
            marked("Attackers see the kept rows, sorted, and know parts of T: the files T25 to T100."),
        ),
    ),
    "2018": FormatText(
        hidden=marked(
            "Each team hides the customers of a shop behind intervals, sets and stars, from the other "
            "teams and the house, who have the original, to show how far purchase data can be shared "
            "without giving people away."
        ),
        signs=("T", "A"),
        archive=marked("One zip with A.csv"),
        missing=marked("Choose one zip, or the file A."),
        both=marked("Choose either the zip or the file, not both."),
        unknown=marked("Only one .csv file or one .zip. Left out:"),
        drop=marked("Drop A here, or one zip"),
        order=marked("Plain CSV without a header, in UTF-8. Line 1 below is line 1 of T, and so on."),
        guess=marked(
            "Name the files by the target's number: 12.csv. One line per customer whom you claim to know: "
            "the id and the pseudonym. The more you claim, the more must be right."
        ),
        files={
            "A.csv": FileText(
                "A",
                marked("A: the anonymised transactions, line by line with T"),
                marked("pseudonym, date, item, price, quantity"),
                "1,2010/12/1,84879,1.69,32\n1,[2010/12/1;2010/12/7],{22745;22748},*,[1;10]\n*,*,*,*,*",
            ),
        },
        fixed=(
            marked("A has the rows of T in the order of T; a row written *,*,*,*,* is deleted."),
            marked("A customer has one pseudonym of digits, and nobody else has it."),
            marked(
                "A cell is T's value, a star, or an interval [a;b] or set {i;j} of up to 100 items around it."
            ),
            marked("Attackers see the kept rows, sorted."),
        ),
    ),
}
