"""What a file is that is no table in UTF-8: a workbook, another encoding, other line ends, nothing."""

from __future__ import annotations

import re

from datasets.messages import Message, Template
from datasets.remarks import Remark

EXCEL = Template("excel-file", "This is an Excel workbook, not a CSV file.")
SAVE_FROM_EXCEL = Template(
    "advice.excel", "In Excel choose File, Save As, “CSV UTF-8 (Comma delimited)”, and upload that file."
)
OPEN_DOCUMENT = Template("open-document-file", "This is an OpenDocument spreadsheet, not a CSV file.")
SAVE_FROM_OFFICE = Template(
    "advice.office",
    "In LibreOffice choose File, Save As, “Text CSV”, with the character set UTF-8 and commas as delimiters.",
)
PACKED = Template("packed-file", "This is an archive, not a CSV file.")
UNPACK = Template("advice.unpack", "Unpack it, and upload the files in it or one zip of them.")
NO_TABLE = Template("no-table", "This is a file of the kind %(kind)s, not a CSV file.")
ENCODED = Template("other-encoding", "The text is encoded in %(encoding)s.")
SAVE_AS_UTF8 = Template(
    "advice.utf8",
    'Save it as UTF-8: “CSV UTF-8” in Excel, encoding="utf-8" in pandas, fileEncoding="UTF-8" in R.',
)
LONE_RETURNS = Template("line-ends", "The lines end in CR alone.")
SAVE_LINE_ENDS = Template("advice.line-ends", "Save it with the line ends LF (Unix) or CRLF (Windows).")
NO_BYTES = Template("file-empty", "The file is empty.")
ONLY_BLANKS = Template("file-empty.blank", "The file is empty but for blank lines.")
FILL_IT = Template("advice.empty", "Look at it on your computer, and save it again before you upload it.")
BINARY = Template("binary-file", "The file holds NUL bytes, so it is no text.")

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKERS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd")
OTHERS = (
    (b"%pdf", "PDF"),
    (b"<!doctype html", "HTML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
    (b"{\n", "JSON"),
    (b'{"', "JSON"),
    (b"[{", "JSON"),
    (b"sqlite format 3", "SQLite"),
    (b"par1", "Parquet"),
)
MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
KANA_OR_KANJI = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")


def kind_of_file(file: str, head: bytes) -> Remark | None:
    r"""The one thing that explains everything else about a file; None where it is text in UTF-8.

    >>> print(kind_of_file("M.csv", b""))
    M.csv: The file is empty. Look at it on your computer, and save it again before you upload it.
    >>> kind_of_file("M.csv", "女,東京\n".encode("shift_jis")).cause.values
    {'encoding': 'Shift_JIS'}
    >>> kind_of_file("M.csv", b"1,f\n") is None
    True
    """
    packed = packed_kind(file, head)
    if packed is not None:
        return packed
    if not head:
        return Remark(file, NO_BYTES(), FILL_IT())
    if not head.removeprefix(b"\xef\xbb\xbf").strip(b' \t\r\n,;"'):
        return Remark(file, ONLY_BLANKS(), FILL_IT())
    start = head.lstrip()[:20].lower()
    for mark, kind in OTHERS:
        if start.startswith(mark):
            return Remark(file, NO_TABLE(kind=kind))
    encoding = encoding_of(head)
    if encoding is not None:
        return Remark(file, ENCODED(encoding=encoding), SAVE_AS_UTF8())
    if b"\0" in head:
        return Remark(file, BINARY())
    if b"\r" in head and b"\n" not in head:
        return Remark(file, LONE_RETURNS(), SAVE_LINE_ENDS())
    return None


def packed_kind(file: str, head: bytes) -> Remark | None:
    """A workbook or an archive under the name of a table."""
    if head.startswith(OLE):
        return Remark(file, EXCEL(), SAVE_FROM_EXCEL())
    if head.startswith(ZIP):
        if b"application/vnd.oasis.opendocument" in head[:200]:
            return Remark(file, OPEN_DOCUMENT(), SAVE_FROM_OFFICE())
        is_book = b"[Content_Types].xml" in head or b"xl/" in head
        return Remark(file, EXCEL(), SAVE_FROM_EXCEL()) if is_book else Remark(file, PACKED(), UNPACK())
    return Remark(file, PACKED(), UNPACK()) if head.startswith(PACKERS) else None


def workbook_of(names: list[str]) -> Message | None:
    """What an archive with these members is, where it is a spreadsheet.

    >>> str(workbook_of(["[Content_Types].xml", "xl/workbook.xml"]))
    'This is an Excel workbook, not a CSV file.'
    """
    if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
        return EXCEL()
    return OPEN_DOCUMENT() if {"mimetype", "content.xml"} <= set(names) else None


def encoding_of(head: bytes) -> str | None:
    r"""The encoding of a text that is not UTF-8; None where it is, or nothing is known.

    >>> encoding_of("1,é\n".encode("latin-1")), encoding_of("a,b\n".encode("utf-16-le"))
    ('Windows-1252 or ISO 8859-1', 'UTF-16')
    >>> encoding_of("東京".encode("euc_jp")), encoding_of("東京".encode())
    ('EUC-JP', None)
    """
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    pairs = head[:2000]
    nuls = pairs[::2].count(0), pairs[1::2].count(0)
    if max(nuls) > 0.3 * len(pairs[::2]) and min(nuls) * 4 < max(nuls):
        return "UTF-16"
    try:
        head[: head.rfind(b"\n") + 1 or None].decode("utf-8")
    except UnicodeDecodeError:
        return _legacy(head)
    return None


def _legacy(head: bytes) -> str | None:
    if b"\0" in head:
        return None
    texts = {name: _decoded(head, codec) for name, codec in (("Shift_JIS", "cp932"), ("EUC-JP", "euc_jp"))}
    seen = {name: _japanese(text) for name, text in texts.items() if text is not None}
    if seen and max(seen.values()) > 0:
        return max(seen, key=lambda name: seen[name])
    return "Windows-1252 or ISO 8859-1"


def _japanese(text: str) -> int:
    """Letters that are Japanese in the right encoding; the wrong one gives half-width kana instead."""
    return len(KANA_OR_KANJI.findall(text)) - len(HALF_WIDTH_KANA.findall(text))


def _decoded(head: bytes, codec: str) -> str | None:
    whole = head[: head.rfind(b"\n") + 1] or head
    try:
        return whole.decode(codec)
    except UnicodeDecodeError:
        return None
