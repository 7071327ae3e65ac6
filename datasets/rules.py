"""The switchable rules of a round about what its files may hold."""

from __future__ import annotations

from dataclasses import dataclass


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
