"""Which names people may have: visible, in one way of writing, and not those of the house."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fontTools.unicodedata import script_extension

from contest.names.lookalikes import look_of, normalise_name


@dataclass(frozen=True)
class Kind:
    """What a name is for. ``is_folded``: it is shown in its folded form, in which it is compared.
    ``is_player``: it appears where the house appears, too."""

    longest: int
    is_folded: bool = True
    is_player: bool = True


PERSON = Kind(40)
TEAM = Kind(60)
TITLE = Kind(120, is_folded=False, is_player=False)
ROUND = Kind(80, is_folded=False, is_player=False)

SCRIPTS = frozenset(
    {
        "Arab", "Armn", "Beng", "Bopo", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hang",
        "Hani", "Hebr", "Hira", "Kana", "Khmr", "Knda", "Laoo", "Latn", "Mlym", "Mymr", "Orya", "Sinh",
        "Taml", "Telu", "Thaa", "Thai", "Tibt",
    }
)  # fmt: skip
"""The scripts in everyday use: the recommended ones of UAX 31, table 5."""
ANY = frozenset({"Zyyy", "Zinh"})
"""Characters of all scripts: digits, punctuation, signs, accents."""
TOGETHER = {
    "Hani": {"Japanese", "Korean", "Chinese"},
    "Hira": {"Japanese"},
    "Kana": {"Japanese"},
    "Hang": {"Korean"},
    "Bopo": {"Chinese"},
}
"""Ways of writing that mix scripts, also with Latin: "highly restrictive" of UTS 39, section 5.2."""
UNSEEN = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Characters that are shown as nothing, whatever their category: Unicode's Default_Ignorable_Code_Point."""
AS_PICTURE = str.maketrans("", "", "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}")
MOST_MARKS = 3
HOUSE_WORDS = ("House", "ハウス", "標準")
"""What the house is called in the languages of the site: on boards, and by its own entries."""


def _(text: str) -> str:
    """Marks a sentence for translation; the code that shows it translates it."""
    return text


class BadName(ValueError):
    """Why a name is refused: ``text`` is to be translated before ``values`` are filled in."""

    def __init__(self, code: str, text: str, **values: Any) -> None:
        super().__init__(text % values)
        self.code = code
        self.text = text
        self.values = values


TOO_LONG = _("A name has at most %(most)s characters. Got %(got)s instead.")


def clean_name(name: str, kind: Kind) -> str:
    """The form in which a name is shown. Refuses what is unreadable or looks like somebody else."""
    written = name.translate(AS_PICTURE)
    folded = " ".join(unicodedata.normalize("NFKC", written).split())
    require_visible(folded)
    # Folding makes three letters of some; the columns of compared names hold two for each.
    if len(folded) > kind.longest or len(normalise_name(folded)) > 2 * kind.longest:
        raise BadName(
            "name-too-long",
            TOO_LONG,
            most=kind.longest,
            got=max(len(folded), len(normalise_name(folded))),
        )
    _require_scripts(folded)
    _require_one_kind_of_digits(folded)
    _require_few_marks(folded)
    if not any(unicodedata.category(character)[0] in "LN" for character in folded):
        raise BadName("empty-name", _("A name needs at least one letter or digit."))
    if kind.is_player:
        _require_not_the_house(folded)
    return folded if kind.is_folded else " ".join(unicodedata.normalize("NFC", written).split())


def round_name(name: str) -> str | None:
    """The form in which the name of a round is shown; None where it may not be one."""
    try:
        return clean_name(name, ROUND)
    except BadName:
        return None


def require_visible(name: str) -> None:
    """Refuse a name with characters that nobody sees, or without any that somebody sees."""
    if not name.strip():
        raise BadName("empty-name", _("A name needs at least one letter or digit."))
    for character in name:
        unseen = any(first <= ord(character) <= last for first, last in UNSEEN)
        if unseen or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}:
            raise BadName(
                "invisible-character",
                _("A name may not hold invisible characters (found U+%(number)s)."),
                number=f"{ord(character):04X}",
            )


def _require_scripts(name: str) -> None:
    """Every character belongs to a script in use, and all to one script or one usual mix of scripts."""
    found = [frozenset(script_extension(character)) for character in name]
    for sign, scripts in zip(name, found, strict=True):
        if not scripts & (SCRIPTS | ANY):
            raise BadName(
                "strange-character",
                _("A name may not hold the character %(sign)s (U+%(number)s): its script is not in use."),
                sign=sign,
                number=f"{ord(sign):04X}",
            )
    bound = {scripts for scripts in found if not scripts & ANY}
    besides_latin = {scripts for scripts in bound if "Latn" not in scripts}
    if not (_in_common(bound) or _in_common(besides_latin) & {"Japanese", "Korean", "Chinese"}):
        raise BadName(
            "mixed-scripts",
            _(
                "A name is written in one script; only Japanese, Chinese and Korean may mix theirs, also "
                "with Latin letters. Got %(scripts)s together."
            ),
            scripts=", ".join(sorted({min(scripts) for scripts in bound})),
        )


def _in_common(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The scripts and ways of writing that all characters have in common; any where there are none."""
    augmented = [scripts.union(*(TOGETHER.get(script, set()) for script in scripts)) for scripts in sets]
    return frozenset.intersection(*augmented) if augmented else frozenset({"any"})


def _require_one_kind_of_digits(name: str) -> None:
    zeros = {
        ord(character) - unicodedata.decimal(character)
        for character in name
        if unicodedata.category(character) == "Nd"
    }
    if len(zeros) > 1:
        raise BadName("mixed-digits", _("A name may not mix digits of different scripts."))


def _require_few_marks(name: str) -> None:
    """Marks belong on letters, few at a time and none twice, or they cover the lines above and below."""
    decomposed = unicodedata.normalize("NFD", name)
    runs = itertools.groupby(
        decomposed, key=lambda character: unicodedata.category(character) in {"Mn", "Me"}
    )
    before = " "
    for is_marks, group in runs:
        run = "".join(group)
        if is_marks and (before == " " or len(run) > MOST_MARKS or len(set(run)) < len(run)):
            raise BadName(
                "too-many-marks",
                _("A letter of a name has at most %(most)s different marks."),
                most=MOST_MARKS,
            )
        before = run[-1]


def _require_not_the_house(name: str) -> None:
    look = look_of(name)
    begins = next((place for place, it in enumerate(look) if unicodedata.category(it)[0] in "LMN"), 0)
    for word in HOUSE_WORDS:
        reserved = look_of(word)
        rest = look[begins + len(reserved) :]
        if look.startswith(reserved, begins) and not (rest and unicodedata.category(rest[0])[0] in "LMN"):
            raise BadName(
                "reserved-name",
                _("Names that begin with “%(word)s” are those of the house. Choose another."),
                word=word,
            )
