"""The switchable rules of a round about what its files may hold, each declared once in `RULES`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets.setting import Setting


@dataclass(frozen=True)
class FileRules:
    """What an entry's files may do. The defaults are those of the 2016 contest as the platform runs it."""

    drop_customers: bool = False
    """M′ may have fewer rows than M."""
    drop_rows: bool = True
    """T′ may have fewer rows than T."""
    add_rows: bool = True
    """T′ may have more rows than T."""
    foreign_items: bool = False
    """T′ may hold item ids that T lacks."""
    foreign_dates: bool = False
    """T′ may hold dates outside T's range of dates."""
    foreign_countries: bool = False
    """M′ may hold countries that M lacks."""
    generalised: bool = False
    """M′ may hold generalised cells: ``*``, ``[a;b]``, ``{a;b}`` (2018)."""
    vanished: str = "charge"
    """ut-jaccard of a dropped customer: ``charge`` counts 1, ``ignore`` leaves it out."""
    least_kept: float = 0.5
    """The share of T's rows that A(T) must keep (2017)."""
    max_bytes: int = 64 * 1024 * 1024
    """Size limit of one file after unpacking."""


def _rule(name: str, kind: Any, label: str, **more: Any) -> Setting:
    """Every rule is shown to everybody, and entries that break a new one become void."""
    return Setting(name, kind, label, default=getattr(FileRules, name), on_change=("rules",), **more)


RULES: tuple[Setting, ...] = (
    _rule("drop_customers", "flag", "M′ may have fewer rows than M"),
    _rule("drop_rows", "flag", "T′ may have fewer rows than T"),
    _rule("add_rows", "flag", "T′ may have more rows than T"),
    _rule("foreign_items", "flag", "T′ may hold items that T lacks"),
    _rule("foreign_dates", "flag", "T′ may hold dates outside T's range"),
    _rule("foreign_countries", "flag", "M′ may hold countries that M lacks"),
    _rule("generalised", "flag", "M′ may hold generalised cells"),
    _rule(
        "vanished",
        "choice",
        "A dropped customer in ut-jaccard",
        choices=(("charge", "counts as lost"), ("ignore", "is left out")),
    ),
    _rule("least_kept", "number", "Share of T's rows that must stay", least=0, most=1),
    _rule("max_bytes", "integer", "Most megabytes per file", least=1, most=2**34, shown_in=1024 * 1024),
)


FIXED_ONCE_MEASURED = {
    "vanished": "Entries are measured by the rule on vanished customers already; it stays.",
}
"""Rules that measures depend on, each with what is said to an organiser who changes it too late."""


def measure_options(rules: FileRules) -> dict[str, dict[str, Any]]:
    """What measures are told of the rules, by the name of the measure.

    >>> measure_options(FileRules(vanished="ignore"))
    {'ut-jaccard': {'vanished': 'ignore'}}
    """
    return {"ut-jaccard": {"vanished": rules.vanished}}


class UnknownRule(ValueError):
    """A rule that does not exist, or not for these files; ``known`` are the existing ones."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"got '{name}', expected one of {', '.join(known)}")
        self.name = name
        self.known = known


def checked_rules(given: Mapping[str, Any], known: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Given rules, each checked; ``known`` are those of a format.

    >>> checked_rules({"least_kept": 1})
    {'least_kept': 1.0}
    """
    rules = {rule.name: rule for rule in RULES if known is None or rule.name in known}
    for name in given:
        if name not in rules:
            raise UnknownRule(str(name), tuple(rules))
    return {name: rules[name].checked(value) for name, value in given.items()}
