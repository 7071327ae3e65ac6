"""`kakurenbo check` and `kakurenbo data` as a team calls them: output and exit code."""

from __future__ import annotations

import json
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from kakurenbo.main import main
from tests.conftest import ROOT
from tests.games.shop.data import test_pwscup2017, test_pwscup2018
from tests.games.shop.data.conftest import ENTRY, MASTER, TRANSACTIONS


@pytest.fixture
def original(tmp_path: Path) -> Path:
    folder = tmp_path / "original"
    folder.mkdir()
    (folder / "M.csv").write_bytes(MASTER)
    (folder / "T.csv").write_bytes(TRANSACTIONS)
    return folder


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    folder = tmp_path / "entry"
    folder.mkdir()
    for name, raw in ENTRY.items():
        (folder / name).write_bytes(raw)
    return folder


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"kakurenbo {declared}\n"


def test_a_legal_entry_is_valid(original: Path, entry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--original", str(original), "--entry", str(entry)]) == 0
    assert capsys.readouterr().out == "valid\n"


def test_an_illegal_entry_is_told_line_by_line(
    original: Path, entry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry / "T.csv").write_bytes(ENTRY["T.csv"].replace(b",24", b",-3"))
    assert main(["check", "--original", str(original), "--entry", str(entry)]) == 1
    told = "column quantity: got '-3', expected a natural number up to 6 digits. [bad-quantity]"
    assert capsys.readouterr().out.splitlines() == [
        f"T.csv, line 1, {told}",
        f"T.csv, line 2, {told}",
        "invalid: 2 problems",
    ]


def test_json_has_the_promised_form(original: Path, entry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (entry / "P.csv").write_bytes(b"1\n2\n3\n3\n")
    assert main(["check", "--original", str(original), "--entry", str(entry), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "valid": False,
        "remarks": [],
        "problems": [
            {
                "file": "P.csv",
                "line": 4,
                "column": "row",
                "code": "repeated-row",
                "got": "3",
                "expected": "each row of M exactly once",
            }
        ],
        "total": 1,
    }


def test_more_problems_than_are_told_are_counted(
    original: Path, entry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry / "T.csv").write_bytes(b"x\n" * 250)
    assert main(["check", "--original", str(original), "--entry", str(entry)]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["… and 150 more.", "invalid: 250 problems"]


def test_an_entry_may_be_a_zip(original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "entry.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in ENTRY.items():
            archive.writestr(f"mine/{name}", raw)
    assert main(["check", "--original", str(original), "--entry", str(path)]) == 0
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../evil.csv", b"")
    assert main(["check", "--original", str(original), "--entry", str(path)]) == 1
    assert "entry.zip: got '../evil.csv'" in capsys.readouterr().out


def test_a_missing_file_is_invalid_and_a_missing_folder_unreadable(
    original: Path, entry: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry / "P.csv").unlink()
    assert main(["check", "--original", str(original), "--entry", str(entry)]) == 1
    assert "P.csv: expected a file P.csv. [missing-file]" in capsys.readouterr().out
    assert main(["check", "--original", str(original), "--entry", str(tmp_path / "nowhere")]) == 2
    assert main(["check", "--original", str(tmp_path / "nowhere")]) == 2
    told = capsys.readouterr().err
    assert told.count("Cannot read") == 2
    assert "Traceback" not in told


def test_an_original_is_checked_alone(
    original: Path, entry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--original", str(original)]) == 0
    (original / "M.csv").write_bytes(MASTER + b"101,f,1950/1/31,France\n")
    assert main(["check", "--original", str(original)]) == 1
    assert "duplicate-id" in capsys.readouterr().out
    assert main(["check", "--original", str(original), "--entry", str(entry)]) == 2
    assert "is itself not valid" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("preset", "file", "sample"),
    [("pwscup2017", "AT.csv", test_pwscup2017), ("pwscup2018", "A.csv", test_pwscup2018)],
)
def test_the_presets_of_other_years(tmp_path: Path, preset: str, file: str, sample: ModuleType) -> None:
    (tmp_path / "T.csv").write_bytes(sample.ORIGINAL)
    people = {line.partition(b",")[0] for line in sample.ORIGINAL.splitlines()}
    (tmp_path / "M.csv").write_bytes(b"".join(name + b",f,1950/1/31,France\n" for name in sorted(people)))
    (tmp_path / file).write_bytes(sample.RELEASED)
    call = ["check", "--preset", preset, "--original", str(tmp_path)]
    assert main(call) == 0
    assert main([*call, "--entry", str(tmp_path)]) == 0
    (tmp_path / file).write_bytes(sample.RELEASED.replace(b"6", b"x"))
    assert main([*call, "--entry", str(tmp_path)]) == 1


def test_generated_data_is_legal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "made"
    assert main(["data", "generate", "--customers", "30", "--seed", "4", "--out", str(out)]) == 0
    assert "M.csv with 30 customers" in capsys.readouterr().out
    assert main(["check", "--original", str(out)]) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["generate", "--customers", "0", "--seed", "1", "--out", "x"], "Got 0 instead"),
        (["online-retail", "nowhere.csv", "--out", "x"], "Cannot use nowhere.csv"),
    ],
)
def test_a_wrong_call_is_told(
    call: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["data", *call]) == 2
    assert message in capsys.readouterr().err
