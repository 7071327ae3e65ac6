"""A certificate as a PDF that can be printed: one page, A4 across.

Latin text is set in Times, which every reader of PDFs has. All other scripts are set in the fonts that PDF
names for Japanese and Korean; readers bring these themselves, so no font is in the file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import groupby

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

LATIN, JAPANESE, KOREAN = "Times-Roman", "HeiseiMin-W3", "HYSMyeongJo-Medium"
INK, SOFT, LINE = HexColor("#1c2430"), HexColor("#4a5563"), HexColor("#8a6d1f")
MARGIN = 48.0


@dataclass(frozen=True)
class Certificate:
    """What is written on it, from the top to the bottom."""

    heading: str
    contest: str
    team: str
    for_what: str
    text: str
    date: str
    signed: str


def certificate_pdf(certificate: Certificate) -> bytes:
    """The file; the same words give the same bytes."""
    for name in (JAPANESE, KOREAN):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(UnicodeCIDFont(name))
    width, height = landscape(A4)
    canvas = Canvas(io.BytesIO(), pagesize=(width, height), invariant=1, pageCompression=0)
    canvas.setTitle(f"{certificate.heading} · {certificate.team}")
    canvas.setAuthor("Kakurenbo")
    _frame(canvas, width, height)
    canvas.setFillColor(INK)
    room = width - 4 * MARGIN
    _centred(canvas, certificate.heading, width / 2, height - 130, 40, room)
    canvas.setFillColor(SOFT)
    _centred(canvas, certificate.contest, width / 2, height - 180, 20, room)
    canvas.setFillColor(INK)
    _centred(canvas, certificate.team, width / 2, height - 270, 36, room)
    _centred(canvas, certificate.for_what, width / 2, height - 325, 24, room)
    canvas.setFillColor(SOFT)
    for number, line in enumerate(wrapped(certificate.text, 14, room)[:4]):
        _centred(canvas, line, width / 2, height - 365 - 20 * number, 14, room)
    _centred(canvas, certificate.date, width / 2, 110, 16, room)
    _centred(canvas, certificate.signed, width / 2, 82, 14, room)
    canvas.showPage()
    content: bytes = canvas.getpdfdata()
    return content


def _frame(canvas: Canvas, width: float, height: float) -> None:
    canvas.setStrokeColor(LINE)
    for inset, thickness in ((MARGIN - 12, 3), (MARGIN - 4, 1)):
        canvas.setLineWidth(thickness)
        canvas.rect(inset, inset, width - 2 * inset, height - 2 * inset)


def _centred(canvas: Canvas, text: str, middle: float, y: float, size: float, room: float) -> None:
    """A line of text, set smaller where it would be wider than its room."""
    size = min(size, size * room / max(breadth(text, size), 1.0))
    x = middle - breadth(text, size) / 2
    for font, part in runs(text):
        canvas.setFont(font, size)
        canvas.drawString(x, y, part)
        x += pdfmetrics.stringWidth(part, font, size)


def breadth(text: str, size: float) -> float:
    return sum(pdfmetrics.stringWidth(part, font, size) for font, part in runs(text))


def runs(text: str) -> list[tuple[str, str]]:
    """Parts of a text with the font that has their characters.

    >>> runs("Tanuki 狸組")
    [('Times-Roman', 'Tanuki '), ('HeiseiMin-W3', '狸組')]
    """
    return [(font, "".join(part)) for font, part in groupby(text, key=_font_of)]


def _font_of(character: str) -> str:
    if "\uac00" <= character <= "\ud7a3" or "\u1100" <= character <= "\u11ff":
        return KOREAN
    try:
        character.encode("cp1252")
    except UnicodeEncodeError:
        return JAPANESE
    return LATIN


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Lines that are not wider than their room; broken at spaces, and between characters where none is.

    >>> pdfmetrics.stringWidth("two words", LATIN, 10) > 30
    True
    >>> wrapped("two words", 10, 30)
    ['two', 'words']
    """
    lines: list[str] = []
    line = ""
    for character in " ".join(text.split()):
        line += character
        if breadth(line, size) <= room:
            continue
        head, space, rest = line.rpartition(" ")
        if not space or not head:
            head, rest = line[:-1], character
        lines.append(head.strip())
        line = rest.lstrip()
    return [*lines, line.strip()] if line.strip() else lines
