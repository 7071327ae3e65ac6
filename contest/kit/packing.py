"""What the kits of all rounds share: texts in both languages, the library, one folder around all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from contest.kit.library import Library
from contest.models import Round
from datasets.zip_writer import zipped

LANGUAGES = (("en", ""), ("ja", ".ja"))
"""With the end of a text's name."""


def texts(folder: str, context: Callable[[], Mapping[str, Any]]) -> dict[str, bytes]:
    """README and RULES in both languages; the context is made in the language of the text."""
    found = {}
    for language, suffix in LANGUAGES:
        with translation.override(language):
            words = dict(context())
            for name in ("README", "RULES"):
                found[f"{name}{suffix}.md"] = render_to_string(f"{folder}/{name}{suffix}.md", words).encode()
    return found


def packed(round_: Round, files: Mapping[str, bytes], made_of: Library) -> bytes:
    """The zip of a kit: its files, and the library with which they are used."""
    folder = f"{round_.contest.slug}-{round_.slug}-kit"
    library = {
        f"library/{made_of.wheel_name}": made_of.wheel,
        "library/versions.txt": made_of.versions.encode(),
    }
    return zipped({f"{folder}/{name}": content for name, content in {**files, **library}.items()})
