"""Ten thousand harmed files: always a verdict, never a traceback, and the verdict that the rules demand."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from datasets.problems import CAP, Verdict
from games.shop.data.check import check_entry, check_guess, check_tables
from games.shop.data.folder import read_original
from games.shop.data.pwscup2017 import check_2017, read_sheet
from games.shop.data.pwscup2018 import check_2018, read_sheet_2018
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData
from tests.conftest import ROOT, missing
from tests.games.shop.data import test_pwscup2017, test_pwscup2018
from tests.games.shop.data.conftest import ENTRY, MASTER, TRANSACTIONS
from tests.games.shop.data.oracle import legal

SMALL_ROUNDS = 5200
"""Each harms the three files of an entry."""
OTHER_ROUNDS = 1200
"""Each harms a file of 2017, one of 2018 and a guess."""
LARGE_ROUNDS = 40
"""Each harms the three files of an entry of the 2016 size."""

TRICKS = [
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b",",
        b'"',
        b";",
        b" ",
        b"\t",
        b"-",
        b"\xff\xfe",
        b"\xc3",
        b"\xe2\x80\xae",
    ),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", "３".encode(), "e\u0301".encode()),
    *(b"1e308", b"nan", b"-0", b"0x10", b"\xe2\x80\x8b", b"9" * 60, b"x" * 3000, b"*", b"[1;2]", b"{a;b}"),
    *(
        b"2011/2/29",
        b"DEL,,,,,,",
        b"'; DROP TABLE",
        b"../",
        b"%s",
        b"\x1b[31m",
        b"2010/12/1",
        b"a",
        b"1",
        b"",
    ),
]


def harmed(raw: bytes, rng: np.random.Generator) -> bytes:
    """A file after one to three accidents; one file in eight stays whole."""
    if rng.integers(8) == 0:
        return raw
    for _ in range(rng.integers(1, 4)):
        raw = ACCIDENTS[rng.integers(len(ACCIDENTS))](raw, rng)
    return raw


def _flip(raw: bytes, rng: np.random.Generator) -> bytes:
    data = bytearray(raw)
    for place in rng.integers(0, max(1, len(data)), 3).tolist():
        if data:
            data[place] ^= 1 << int(rng.integers(8))
    return bytes(data)


def _trick(raw: bytes, rng: np.random.Generator) -> bytes:
    place, gone = rng.integers(0, len(raw) + 1), rng.integers(0, 4)
    return raw[:place] + TRICKS[rng.integers(len(TRICKS))] + raw[place + gone :]


def _trick_cell(raw: bytes, rng: np.random.Generator) -> bytes:
    lines = raw.split(b"\n")
    row = rng.integers(len(lines))
    cells = lines[row].split(b",")
    cells[rng.integers(len(cells))] = TRICKS[rng.integers(len(TRICKS))]
    return b"\n".join([*lines[:row], b",".join(cells), *lines[row + 1 :]])


def _cut(raw: bytes, rng: np.random.Generator) -> bytes:
    first, last = np.sort(rng.integers(0, len(raw) + 1, 2))
    return raw[:first] + raw[last:] if rng.integers(2) else raw[:last]


def _rows(raw: bytes, rng: np.random.Generator) -> bytes:
    """Drop, repeat and reorder lines."""
    lines = raw.splitlines(keepends=True)
    return b"".join(lines[place] for place in rng.integers(0, len(lines), len(lines))) if lines else raw


def _columns(raw: bytes, rng: np.random.Generator) -> bytes:
    rows = [line.split(b",") for line in raw.split(b"\n")]
    left, right = rng.integers(0, max(map(len, rows)), 2)
    for row in rows:
        if max(left, right) < len(row):
            row[left], row[right] = row[right], row[left]
    return b"\n".join(b",".join(row) for row in rows)


def _recode(raw: bytes, rng: np.random.Generator) -> bytes:
    text = raw.decode("utf-8", "replace")
    return text.encode(("utf-16", "utf-8-sig", "utf-32", "shift-jis")[rng.integers(4)], "replace")


def _line_ends(raw: bytes, rng: np.random.Generator) -> bytes:
    return raw.replace(b"\n", (b"\r\n", b"\r", b"\n\n", b"")[rng.integers(4)])


ACCIDENTS = (
    _flip,
    _flip,
    _trick,
    _trick,
    _trick_cell,
    _trick_cell,
    _cut,
    _rows,
    _columns,
    _recode,
    _line_ends,
)


def well_told(verdict: Verdict, files: dict[str, bytes]) -> None:
    """Problems are located inside the file, and nothing in a message can disturb a terminal."""
    assert verdict.total >= len(verdict.problems)
    assert len(verdict.problems) <= CAP * len(files)
    assert verdict.ok == (verdict.problems == ())
    for problem in verdict.problems:
        n_lines = files[problem.file].count(b"\n") + 1
        assert problem.line is None or 1 <= problem.line <= n_lines
        assert str(problem).isprintable()
        assert len(str(problem)) < 700


def judge(files: dict[str, bytes], original: PurchaseData) -> bool:
    checked = check_entry({name: io.BytesIO(raw) for name, raw in files.items()}, original, FileRules())
    well_told(checked.verdict, files)
    assert (checked.release is None) == (not checked.verdict.ok)
    return checked.verdict.ok


def test_small_entries_get_the_verdict_of_the_rules(small: PurchaseData) -> None:
    rng = np.random.default_rng(20160)
    outcomes = {True: 0, False: 0}
    for _ in range(SMALL_ROUNDS):
        chosen = rng.random(3) < 0.5
        files = {
            name: harmed(raw, rng) if harm else raw
            for (name, raw), harm in zip(ENTRY.items(), chosen, strict=True)
        }
        ok = judge(files, small)
        assert ok == legal(files, MASTER, TRANSACTIONS), files
        outcomes[ok] += 1
    assert min(outcomes.values()) > SMALL_ROUNDS // 10


def test_the_other_formats_survive_too() -> None:
    rng = np.random.default_rng(20170)
    first, second = test_pwscup2017, test_pwscup2018
    sheet = read_sheet(io.BytesIO(first.ORIGINAL))
    sheet_2018 = read_sheet_2018(io.BytesIO(second.ORIGINAL))
    for _ in range(OTHER_ROUNDS):
        released, answer, guess = (
            harmed(raw, rng) for raw in (first.RELEASED, second.RELEASED, b"1\n-\n\n2\n3\n")
        )
        for name, raw, (value, verdict) in (
            ("AT.csv", released, check_2017(io.BytesIO(released), sheet)),
            ("A.csv", answer, check_2018(io.BytesIO(answer), sheet_2018)),
            ("Q.csv", guess, check_guess(io.BytesIO(guess), 5, 3)),
        ):
            well_told(verdict, {name: raw})
            assert (value is None) == (not verdict.ok)


def test_entries_of_the_real_size_survive(shared_data: Path) -> None:
    rng = np.random.default_rng(20161)
    original = read_original(shared_data / "pwscup2016")
    files = pseudonymised(shared_data / "pwscup2016")
    assert judge(files, original)
    for _ in range(LARGE_ROUNDS):
        judge({name: harmed(raw, rng) for name, raw in files.items()}, original)


def pseudonymised(folder: Path) -> dict[str, bytes]:
    """The original as an entry: every id gets an x before it."""
    files = {
        name: b"".join(b"x" + line for line in (folder / name).read_bytes().splitlines(keepends=True))
        for name in ("M.csv", "T.csv")
    }
    return {**files, "P.csv": b"".join(b"%d\n" % (row + 1) for row in range(files["M.csv"].count(b"\n")))}


MEMORY_PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from games.shop.data.folder import read_original
from tests.games.shop.data.test_fuzz import judge, pseudonymised
folder = Path(sys.argv[1])
original, files, rng = read_original(folder), pseudonymised(folder), np.random.default_rng(1)
judge(files, original)
judge({name: b"\\n" * len(raw) for name, raw in files.items()}, original)
judge({name: b"," * len(raw) for name, raw in files.items()}, original)
numbers = rng.integers(0, 2**63, 30_000).tolist()
cells = (b",".join(b"%d" % (number % 10**6 + k) for k in range(6)) for number in numbers)
distinct = b"".join(b"%x,%b\\n" % (number, rest) for number, rest in zip(numbers, cells))
judge({**files, "T.csv": distinct}, original)
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""


def test_checking_the_real_size_needs_less_than_200_megabytes(shared_data: Path) -> None:
    if not Path("/proc/self/status").exists():
        missing("/proc absent: the peak of a process's memory is read there")
    command = [sys.executable, "-c", MEMORY_PROGRAM, str(shared_data / "pwscup2016")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    kilobytes = int(done.stdout)
    assert kilobytes < 200 * 1024


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b",", b"\0", b"\r", b"\xff", b"\xef\xbb", b"\xef\xbb\xbf", b"\n" * 1000]
)
def test_files_of_almost_nothing(small: PurchaseData, raw: bytes) -> None:
    for name in ENTRY:
        assert not judge({**ENTRY, name: raw}, small)
    checked = check_tables(io.BytesIO(raw), io.BytesIO(raw), FileRules().max_bytes)
    assert not checked.verdict.ok
    assert checked.data is None
