"""The terms of the platform with one sentence each, declared once: for the pages and for `docs/glossary.md`.

Terms of a game's files are declared by the game, so nothing here names a table or a contest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext, pgettext_lazy

from contest.language.declared import title_of
from contest.language.game_words import worded
from games.contract.declaration import Declaration, Number, Term, Text
from games.formats.texts import TABLES, TERMS


@dataclass(frozen=True)
class Gloss:
    """A term and what it means, as its reader's language has it when it is shown."""

    term: Promise | str
    meaning: Promise | str


GLOSSARY: Mapping[str, Gloss] = {
    "anonymizer": Gloss(
        pgettext_lazy("glossary", "anonymizer"),
        gettext_lazy("A program that makes an entry from the original data."),
    ),
    "area under the ROC curve": Gloss(
        pgettext_lazy("glossary", "area under the ROC curve"),
        gettext_lazy(
            "How well an attack tells those who are in the data from those who are not, over all "
            "thresholds: 0.5 is guessing, 1 is always right."
        ),
    ),
    "attack": Gloss(
        pgettext_lazy("glossary", "attack"),
        gettext_lazy("A way to find out who is who in an entry: a house attack, a guess file or a program."),
    ),
    "attempt": Gloss(
        pgettext_lazy("glossary", "attempt"),
        gettext_lazy(
            "An upload that counts against the limits per day and in all. A file that breaks the format "
            "costs none."
        ),
    ),
    "band": Gloss(
        pgettext_lazy("glossary", "band"),
        gettext_lazy(
            "A part of 0 to 100 %. Where a round reports results in bands, an attacker learns only which "
            "band a result is in."
        ),
    ),
    "baseline": Gloss(
        pgettext_lazy("glossary", "baseline"),
        gettext_lazy(
            "What somebody reaches who only guesses. A result is worth something as far as it is better."
        ),
    ),
    "board": Gloss(
        pgettext_lazy("glossary", "board"),
        gettext_lazy("The official entries of a round in the order of its ranking."),
    ),
    "bundle": Gloss(
        pgettext_lazy("glossary", "bundle"),
        gettext_lazy("A whole contest as one file: texts, data, rounds, limits, phases."),
    ),
    "captain": Gloss(
        pgettext_lazy("glossary", "captain"),
        gettext_lazy("The member who founded a team, or who took over when the founder left."),
    ),
    "commitment": Gloss(
        pgettext_lazy("glossary", "commitment"),
        gettext_lazy(
            "A hash that is published before the results, so that everybody can check afterwards that "
            "nothing was changed."
        ),
    ),
    "contest": Gloss(
        pgettext_lazy("glossary", "contest"),
        gettext_lazy("One or more rounds with common teams and organisers."),
    ),
    "dry run": Gloss(
        pgettext_lazy("glossary", "dry run"),
        gettext_lazy("A free try of a program on a practice entry."),
    ),
    "entry": Gloss(
        pgettext_lazy("glossary", "entry"),
        gettext_lazy(
            "What a team hands in: changed data in which the people are hidden. It is checked, scored and"
            " attacked."
        ),
    ),
    "format": Gloss(
        pgettext_lazy("glossary", "format"),
        gettext_lazy("Which files a data set, an entry and a guess have, and how they are checked."),
    ),
    "found": Gloss(
        pgettext_lazy("glossary", "found"),
        gettext_lazy("How many of the hidden people the strongest attack so far has identified."),
    ),
    "frozen": Gloss(
        pgettext_lazy("glossary", "frozen"),
        gettext_lazy("No longer changeable: the official entries, once they are targets."),
    ),
    "guess": Gloss(
        pgettext_lazy("glossary", "guess"),
        gettext_lazy("The answer of an attack: who the attacker thinks is who. As a file, one per target."),
    ),
    "hash": Gloss(
        pgettext_lazy("glossary", "hash"),
        gettext_lazy(
            "A short fingerprint of a file or text (SHA-256). Whoever changes one letter gets a different"
            " one; from the fingerprint nobody can compute the text."
        ),
    ),
    "hit": Gloss(
        pgettext_lazy("glossary", "hit"),
        gettext_lazy("A person whom a guess identifies correctly."),
    ),
    "house": Gloss(
        pgettext_lazy("glossary", "house"),
        gettext_lazy(
            "The platform itself as a player: it enters known methods and attacks, for everybody to "
            "compare with."
        ),
    ),
    "house attack": Gloss(
        pgettext_lazy("glossary", "house attack"),
        gettext_lazy("An attack that the platform runs on every entry."),
    ),
    "house entry": Gloss(
        pgettext_lazy("glossary", "house entry"),
        gettext_lazy("An entry that the platform makes with one of its anonymizers, for comparison."),
    ),
    "judge": Gloss(
        pgettext_lazy("glossary", "judge"),
        gettext_lazy(
            "The part that compares a guess with the truth. No other part of an attack sees the truth."
        ),
    ),
    "kit": Gloss(
        pgettext_lazy("glossary", "kit"),
        gettext_lazy("The data, the rules and the library of a round as one zip, for work offline."),
    ),
    "limit": Gloss(
        pgettext_lazy("glossary", "limit"),
        gettext_lazy(
            "The worst value of a measure that an entry may have. Beyond it, the entry is not valid."
        ),
    ),
    "mark": Gloss(
        pgettext_lazy("glossary", "mark"),
        gettext_lazy(
            "What organisers set on an entry that does not count: void or disqualified, with a reason."
        ),
    ),
    "mean share found": Gloss(
        pgettext_lazy("glossary", "mean share found"),
        gettext_lazy("The share of the hidden people whom an attacker found, on average over its targets."),
    ),
    "measure": Gloss(
        pgettext_lazy("glossary", "measure"),
        gettext_lazy("A number that says how much an entry lost or kept of the original data."),
    ),
    "official entry": Gloss(
        pgettext_lazy("glossary", "official entry"),
        gettext_lazy(
            "The one entry of a team that counts in a round: the one it pinned, else the best or the latest "
            "valid one, as the round says."
        ),
    ),
    "organiser": Gloss(
        pgettext_lazy("glossary", "organiser"),
        gettext_lazy("Somebody who runs a contest, and plays in none of its teams."),
    ),
    "original": Gloss(
        pgettext_lazy("glossary", "original"),
        gettext_lazy("The data that the organisers give out, before anybody changes them."),
    ),
    "phase": Gloss(
        pgettext_lazy("glossary", "phase"),
        gettext_lazy(
            "A period of a round in which something is allowed: registration, anonymise, hand-over, "
            "attack, results."
        ),
    ),
    "place": Gloss(
        pgettext_lazy("glossary", "place"),
        gettext_lazy("The rank of a team on a board."),
    ),
    "program": Gloss(
        pgettext_lazy("glossary", "program"),
        gettext_lazy("Code that a team sends and the platform runs in a sandbox against each target."),
    ),
    "pseudonym": Gloss(
        pgettext_lazy("glossary", "pseudonym"),
        gettext_lazy("The name under which a person appears in an entry."),
    ),
    "ranking": Gloss(
        pgettext_lazy("glossary", "ranking"),
        gettext_lazy("The rule that makes a total from utility and safety and breaks ties."),
    ),
    "reveal": Gloss(
        pgettext_lazy("glossary", "reveal"),
        gettext_lazy("The beginning of the results phase."),
    ),
    "risk": Gloss(
        pgettext_lazy("glossary", "risk"),
        gettext_lazy(
            "How much the strongest attack learnt about the hidden people: 0 is nothing, 1 is everything."
        ),
    ),
    "round": Gloss(
        pgettext_lazy("glossary", "round"),
        gettext_lazy("A part of a contest with one data set and its own limits, phases, attacks and board."),
    ),
    "safety": Gloss(
        pgettext_lazy("glossary", "safety"),
        gettext_lazy(
            "The share of people whom the strongest attack has not found, in percent: 100 · (1 − found / "
            "all)."
        ),
    ),
    "sandbox": Gloss(
        pgettext_lazy("glossary", "sandbox"),
        gettext_lazy(
            "Where programs of teams and the code of uploaded games run: their input folders, no network,"
            " limits on time and memory."
        ),
    ),
    "seed": Gloss(
        pgettext_lazy("glossary", "seed"),
        gettext_lazy("The number from which random choices are drawn. The same seed gives the same result."),
    ),
    "signal": Gloss(
        pgettext_lazy("glossary", "signal"),
        gettext_lazy("A sign of cheating that organisers may look at: evidence, never a verdict."),
    ),
    "target": Gloss(
        pgettext_lazy("glossary", "target"),
        gettext_lazy("An official entry that a team may attack."),
    ),
    "team": Gloss(
        pgettext_lazy("glossary", "team"),
        gettext_lazy("One or more people who play together."),
    ),
    "total": Gloss(
        pgettext_lazy("glossary", "total"),
        gettext_lazy("The number that decides places. The ranking computes it from utility and safety."),
    ),
    "truth": Gloss(
        pgettext_lazy("glossary", "truth"),
        gettext_lazy("Who is who in an entry, as the platform stores it. Only the judge reads it."),
    ),
    "utility": Gloss(
        pgettext_lazy("glossary", "utility"),
        gettext_lazy(
            "How useful the changed data still are, by the measures and limits of the round. Unchanged "
            "data have the most."
        ),
    ),
    "valid": Gloss(
        pgettext_lazy("glossary", "valid"),
        gettext_lazy("Said of an entry within all limits."),
    ),
}


def sign_gloss(sign: str) -> Gloss | None:
    """What a sign of a file means, such as those of the tables that a game of the house gives out."""
    if sign not in TERMS:
        return None
    title = gettext("%(sign)s: %(title)s.") % {"sign": sign, "title": gettext(TABLES[sign])}
    return Gloss(title, gettext(TERMS[sign]))


def declared_terms(terms: Iterable[Term]) -> dict[str, Gloss]:
    """The terms that a game declares, by their names."""
    return {one.name: Gloss(worded(one.title) or one.name, translated(one.meaning)) for one in terms}


def number_gloss(number: Number) -> Gloss | None:
    """What a game says about a number; nothing where it gives no meaning."""
    better = {"lower": gettext("Lower is better."), "higher": gettext("Higher is better.")}
    meaning = translated(number.meaning)
    if not meaning:
        return None
    end = "" if meaning[-1] in ".。" else pgettext("end of a sentence", ".")
    return Gloss(title_of(number), f"{meaning}{end} {better.get(number.better, '')}".strip())


def hidden_sentence(declared: Declaration) -> str:
    """What is hidden in a game, from whom, and why; a sentence that fits any game where it says nothing."""
    if declared.hidden:
        return translated(declared.hidden)
    if declared.phases == "seek":
        said = gettext(
            "Nobody hides here: teams try to find out from which %(people)s the organisers made the "
            "published data, to show how much published data reveal."
        )
    else:
        said = gettext(
            "Each team hides %(people)s by changing data about them, from the other teams, who try to find "
            "them, to show how far data can be shared without giving anybody away."
        )
    return said % {"people": worded(declared.people)}


def translated(text: Text) -> str:
    """A declared text; where a game of the house has it in English alone, the catalogue may have the rest."""
    language = (get_language() or "en").partition("-")[0]
    said = worded(text)
    return gettext(said) if said and language not in text else said
