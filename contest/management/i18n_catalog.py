"""The catalogue of texts: found in the sources, stored in a .po file for people and a .mo file for Django.

Babel does what GNU gettext would, so a machine need not have it. Only developers run this: both files are
stored with the code.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

from contest.api import document
from contest.bundle.check import check_bundle
from contest.language import translation
from games.formats.presets import preset_names, preset_text

KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
}
LITERAL = r"""u(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(rf"(n?p?gettext|_)\(((?:{LITERAL}|'[^']*'|\"[^\"]*\")(?:, {LITERAL})*)")
EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""The date in the files' header: a fixed one, so that the same texts give the same bytes."""

Found = tuple[str, str | tuple[str, ...], str | None]


def texts() -> Iterator[Found]:
    """Every text of the platform: its file, the text (with its plural) and its context."""
    # Templates of messages are declared where they are raised, so everything that has pages is loaded first.
    importlib.import_module(settings.ROOT_URLCONF)
    for path in sorted((settings.BASE_DIR / "templates").rglob("*")):
        if path.suffix in {".html", ".txt"}:
            yield from _in_template(path)
    for package in ("config", "contest"):
        for path in sorted((settings.BASE_DIR / package).rglob("*.py")):
            yield from _in_python(path)
    for text in translation.registry_texts():
        yield "contest/language/translation.py", text, None
    for name in preset_names():
        bundle = check_bundle(preset_text(name), name).bundle
        if bundle is not None:
            yield f"games/{name}/contest.yaml", bundle.summary, None
    yield from (("contest/api/document.py", text, None) for text in document.texts() if text)


def _in_python(path: Path) -> Iterator[Found]:
    with path.open("rb") as file:
        for _line, text, _comments, context in extract("python", file, KEYWORDS):
            yield _relative(path), text, context


def _in_template(path: Path) -> Iterator[Found]:
    for kind, arguments in IN_TEMPLATE.findall(templatize(path.read_text(encoding="utf-8"))):
        parts = list(ast.literal_eval(f"({arguments},)"))
        context = parts.pop(0) if "p" in kind.removesuffix("gettext") else None
        yield _relative(path), tuple(parts) if len(parts) > 1 else parts[0], context


def _relative(path: Path) -> str:
    return path.relative_to(settings.BASE_DIR).as_posix()


def po_path(language: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def read_catalogue(language: str) -> Catalog:
    path = po_path(language)
    if not path.exists():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file, language)


def gather(language: str) -> Catalog:
    """The texts of the sources as they are now, with the translations there are for them."""
    known = read_catalogue(language)
    fresh = Catalog(
        language,
        header_comment=f"# Texts of Kakurenbo ({language}). Made and compiled by `manage.py catalogue`.",
        project="Kakurenbo",
        version=settings.VERSION,
        msgid_bugs_address="-",
        last_translator="-",
        language_team="-",
        creation_date=EPOCH,
        revision_date=EPOCH,
        fuzzy=False,
        charset="utf-8",
    )
    for file, text, context in texts():
        old = known.get(text, context)
        fresh.add(text, old.string if old else None, locations=[(file, 1)], context=context)
    return fresh


def untranslated(catalogue: Catalog) -> list[Message]:
    """The messages that lack their translation, or one of its plural forms."""
    return [message for message in catalogue if message.id and not _is_complete(message, catalogue)]


def _is_complete(message: Message, catalogue: Catalog) -> bool:
    if not message.pluralizable:
        return bool(message.string)
    forms = message.string if isinstance(message.string, tuple | list) else ()
    return len(forms) == catalogue.num_plurals and all(forms)


def po_bytes(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalogue, width=100, sort_by_file=True, include_lineno=False)
    return file.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def write_catalogue(language: str) -> Catalog:
    """Bring both files of a language up to date with the sources."""
    catalogue = gather(language)
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(po_bytes(catalogue))
    path.with_suffix(".mo").write_bytes(mo_bytes(catalogue))
    return catalogue
