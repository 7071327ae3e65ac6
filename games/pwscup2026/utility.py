"""The utility of a release: the smallest of four parts, each with parts of its own."""

from __future__ import annotations

from typing import NamedTuple

from games.contract.tables import Columns

from .general import corr, marginal, pmse, tail, time
from .layout import Flags, size
from .rare import TREES, Bases, bases_of, rare
from .reference import Reference
from .special import fitted, special
from .survival import Cox
from .valid import Background, background_of, censoring, no_dup, no_fab, novel

FINAL, PRELIMINARY = "final", "preliminary"
GENERAL = {
    FINAL: ("marginal", "corr", "pmse", "time", "tail"),
    PRELIMINARY: ("marginal", "pmse", "time"),
}


class Original(NamedTuple):
    """A cohort with everything about it that no release changes."""

    cohort: Columns
    reference: Reference
    model: Cox | None
    bases: Bases
    background: Background


def original_of(
    cohort: Columns, is_rare: Flags | None, reference: Reference, public: Columns, trees: int = TREES
) -> Original:
    bases = bases_of(cohort, is_rare, reference, trees)
    return Original(cohort, reference, fitted(cohort), bases, background_of(public, cohort))


def utilities(original: Original, release: Columns, formulas: str = FINAL) -> dict[str, float | None]:
    """Every measure of a release. ``preliminary`` has the formulas of that round and of the practice.

    A part that is not estimable or does not exist is None; where a total needs it, the text says what counts.
    """
    cohort, reference = original.cohort, original.reference
    found: dict[str, float | None] = {
        "marginal": marginal(cohort, release),
        "corr": corr(cohort, release),
        "pmse": pmse(cohort, release),
        "time": time(cohort, release, reference),
        "tail": tail(cohort, release, reference).score,
    }
    models = special(cohort, release, original.model)
    few = rare(release, size(cohort), original.bases, reference)
    found |= {"io": models and models.overlap, "tstr": models and models.transfer, **few._asdict()}
    valid = _valid(original, release, formulas)
    parts = {
        "u-gen": min(found[name] or 0.0 for name in GENERAL[formulas]),
        "u-spec": models.score if models else 0.0,
        "u-rare": few.score,
        "u-valid": sum(valid.values()) / len(valid),
    }
    return {"utility": min(parts.values()), **parts, **found, **_all_of_valid(original, release, valid)}


def _valid(original: Original, release: Columns, formulas: str) -> dict[str, float]:
    """The parts that count: in the preliminary round two, and there an empty set of censored rows is fine."""
    ends = censoring(original.cohort, release)
    made_up = no_fab(original.cohort, release)
    if formulas == PRELIMINARY:
        return {"cens": 1.0 if ends.rowwise is None else ends.rowwise, "no-fab": made_up}
    return {
        "cens": ends.score,
        "no-fab": made_up,
        "no-dup": no_dup(release),
        "novel": novel(release, original.background),
    }


def _all_of_valid(original: Original, release: Columns, counted: dict[str, float]) -> dict[str, float]:
    """What does not count in the preliminary round is shown all the same."""
    if "novel" in counted:
        return counted
    return {"no-dup": no_dup(release), "novel": novel(release, original.background), **counted}
