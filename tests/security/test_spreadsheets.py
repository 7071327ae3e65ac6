"""Exports opened by a real LibreOffice, by comma, semicolon and tab: no cell of a text is computed.

Spreadsheets split a file by the separator of the reader's country, whatever the writer meant, so a text
such as ``a;=1+1`` holds a formula for half of the world. LibreOffice is told to compute what it can.
"""

from __future__ import annotations

import datetime
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from contest.board.export import board_csv
from contest.board.queries import BoardRow
from contest.charts.chart import Chart
from tests.conftest import missing

SEPARATORS = {"comma": 44, "semicolon": 59, "tab": 9}
FORMULA = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}formula"
TEXTS = (
    "=1+1", "+1+1", "-1+1", "@SUM(1,1)", " =1+1", "\u00a0=1+1", "\t=1+1", "\r=1+1", "＝1+1", "＠SUM(1)",
    "a;=1+1", 'a;"=1+1"', "a;;=1+1;", "a\t=1+1", "a\n=1+1", "a\r\n=1+1\r\n", 'a"\n=1+1', '";=1+1;"', "',=1+1",
    '=HYPERLINK("http://example.org/?"&A1;"x")', "=WEBSERVICE(1)", "=DDE(1,2,3)", "=cmd|' /C calc'!A0",
)  # fmt: skip


def formulas(texts: dict[str, str], folder: Path) -> dict[str, dict[str, list[str]]]:
    """The formulas that LibreOffice sees in files, by the separator it reads them with and their names."""
    office = shutil.which("soffice")
    if office is None:
        missing("LibreOffice absent: make system installs it")
    assert office is not None
    for name, text in texts.items():
        (folder / f"{name}.csv").write_bytes(text.encode())
    found = {}
    for separator, code in SEPARATORS.items():
        target = folder / separator
        # Its thirteen options: the first is the separator, the third UTF-8, the last computes formulas.
        options = f"{code},34,76,1,,0,false,true,false,false,false,,true"
        subprocess.run(
            [office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless",
             "--convert-to", "fods", f"--infilter=CSV:{options}", "--outdir", str(target),
             *(str(folder / f"{name}.csv") for name in texts)],
            check=True, capture_output=True, timeout=300, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        found[separator] = {
            name: [
                cell.attrib[FORMULA]
                for cell in ElementTree.parse(target / f"{name}.fods").iter()
                if FORMULA in cell.attrib
            ]
            for name in texts
        }
    return found


def chart() -> str:
    rows = [[text, -3, None] for text in TEXTS]
    return Chart("map", "Map", "", ["name", *TEXTS], rows, [], 10).as_csv()


def board() -> str:
    row = BoardRow(
        rank=1, total=-1.5, verdict="", team_id=1, team_name="", is_house=False, takes_place=True,
        is_mine=False, entry_id=1, entry_number=1, entry_url="", utility=1.0, safety=None,
        hits=None, n_people=4, strongest_attack="", received_at=datetime.datetime(2026, 1, 1), measures=[],
    )  # fmt: skip
    return board_csv([replace(row, team_name=text, strongest_attack=text) for text in TEXTS])


def test_no_text_of_an_export_is_computed(tmp_path: Path) -> None:
    """LibreOffice is started once for each separator: that takes longer than all files."""
    unguarded = "name,total\r\n=1+1,2\r\na;=1+1;b,3\r\na\t=1+1\tb,3\r\n"
    texts = {"unguarded": unguarded, "board": board(), "chart": chart()}
    for separator, found in formulas(texts, tmp_path).items():
        assert found.pop("unguarded"), f"by {separator} LibreOffice computes what is not guarded"
        assert found == {"board": [], "chart": []}, separator
