"""Names that people choose: two that look alike to a person must be one to the database."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def normalise_name(name: str) -> str:
    """The form in which names are compared: compatibility-folded, case-folded, spaces squeezed.

    >>> normalise_name("  Ｔanuki   Team ") == normalise_name("tanuki team")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def clean_name(name: str) -> str:
    """The form in which a name is shown; refuses invisible and control characters."""
    shown = " ".join(unicodedata.normalize("NFC", name).split())
    if not shown:
        raise ValidationError(_("A name needs at least one visible character."), code="empty-name")
    for character in shown:
        if unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs", "Cn"}:
            raise ValidationError(
                _("A name may not hold invisible characters (found U+%(code)04X)."),
                code="invisible-character",
                params={"code": ord(character)},
            )
    return shown
