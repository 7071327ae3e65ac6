"""Uploads of programs: what is accepted, and archives that attack whoever unpacks them."""

from __future__ import annotations

import io
import os
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest

from attacks.sandbox import Program, ProgramError, read_program
from attacks.sandbox.stage import remove_forgotten, staged


def zipped(files: dict[str, bytes], kind: int = stat.S_IFREG, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o644) << 16
            info.compress_type = method
            archive.writestr(info, content)
    return buffer.getvalue()


def test_one_python_file_is_a_program(tmp_path: Path) -> None:
    path = tmp_path / "reidentify.py"
    path.write_bytes(b"print(1)\n")
    assert read_program(path) == Program({"reidentify.py": b"print(1)\n"}, "reidentify.py")


def test_the_folder_and_the_litter_that_archivers_add_are_dropped() -> None:
    upload = zipped(
        {
            "team/reidentify.py": b"import model",
            "team/model/__init__.py": b"",
            "__MACOSX/team/._reidentify.py": b"junk",
            "team/.DS_Store": b"junk",
        }
    )
    program = read_program(upload)
    assert sorted(program.files) == ["model/__init__.py", "reidentify.py"]


def test_an_executable_is_preferred_to_the_script() -> None:
    program = read_program(zipped({"reidentify": b"#!/bin/sh\n", "reidentify.py": b"pass"}))
    assert program.entry == "reidentify"
    assert read_program(zipped({"reidentify": b"text", "reidentify.py": b"pass"})).entry == "reidentify.py"


BAD_UPLOADS = {
    "empty": (b" \n", "empty"),
    "binary": (b"\x7fELF\0\0", "NUL byte"),
    "too large": (b"#" * (20 << 20) + b"#", "up to 20 MB"),
    "damaged": (b"PK\x03\x04 and then nothing", "cannot be read"),
    "no entry": (zipped({"main.py": b"pass"}), "neither reidentify.py"),
    "slip": (zipped({"reidentify.py": b"", "../../escaped.py": b""}), "no acceptable name"),
    "absolute": (zipped({"reidentify.py": b"", "/tmp/escaped.py": b""}), "no acceptable name"),
    "backslash": (zipped({"reidentify.py": b"", "..\\escaped.py": b""}), "no acceptable name"),
    "too deep": (zipped({"reidentify.py": b"", "a/b/c/d/e/f.py": b""}), "no acceptable name"),
    "link": (zipped({"reidentify.py": b"/etc/passwd"}, kind=stat.S_IFLNK), "a link or a device"),
    "device": (zipped({"reidentify.py": b""}, kind=stat.S_IFCHR), "a link or a device"),
    "bomb": (zipped({"reidentify.py": b"", "zeros": bytes(41 << 20)}), "unpacks to more than 40 MB"),
    "many": (zipped({f"{n}.py": b"" for n in range(201)}), "more than 200 files"),
    "twice": (zipped({"reidentify.py": b"", "Reidentify.py": b""}), "twice"),
    "file and folder": (
        zipped({"reidentify.py": b"", "a": b"", "a/b": b""}),
        "both as a file and as a folder",
    ),
    "rare method": (zipped({"reidentify.py": b"pass"}, method=zipfile.ZIP_LZMA), "stored or deflated"),
}


@pytest.mark.parametrize("name", BAD_UPLOADS)
def test_a_bad_upload_is_refused_with_the_reason(name: str) -> None:
    upload, words = BAD_UPLOADS[name]
    with pytest.raises(ProgramError, match=words):
        read_program(upload)


def test_the_size_in_the_header_is_not_believed() -> None:
    upload = bytearray(zipped({"reidentify.py": b"", "zeros": bytes(41 << 20)}))
    size = (41 << 20).to_bytes(4, "little")
    lie = (10).to_bytes(4, "little")
    with pytest.raises(ProgramError):
        read_program(bytes(upload).replace(size, lie))


def test_an_encrypted_archive_is_refused() -> None:
    upload = bytearray(zipped({"reidentify.py": b"pass"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        upload[upload.index(signature) + offset] |= 1
    with pytest.raises(ProgramError, match="encrypted"):
        read_program(bytes(upload))


def make_inputs(folder: Path) -> dict[str, Path]:
    for side in ("original", "entry"):
        (folder / side).mkdir(mode=0o700)
        for name in ("M.csv", "T.csv", "P.csv"):
            (folder / side / name).write_text("1\n")
            (folder / side / name).chmod(0o600)
    return {side: folder / side for side in ("original", "entry")}


def test_only_the_public_files_are_laid_out_and_nothing_is_left(tmp_path: Path) -> None:
    program = read_program(zipped({"reidentify.py": b"pass", "model/weights.bin": b"1"}))
    with staged(program, make_inputs(tmp_path)) as stage:
        laid_out = {str(path.relative_to(stage.folder)) for path in stage.folder.rglob("*") if path.is_file()}
        assert stat.S_IMODE(stage.folder.stat().st_mode) == 0o700
    assert laid_out == {
        "entry/M.csv",
        "entry/T.csv",
        "original/M.csv",
        "original/T.csv",
        "program/reidentify.py",
        "program/model/weights.bin",
    }
    assert not stage.folder.exists()


def test_folders_of_killed_runs_are_removed_and_living_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "inputs").mkdir()
    inputs = make_inputs(tmp_path / "inputs")
    names = ("kakurenbo-run-old", "kakurenbo-run-young", "another")
    for name in names:
        (tmp_path / name).mkdir()
    with staged(read_program(b"pass"), inputs) as living:
        for folder in (living.folder, tmp_path / "kakurenbo-run-old", tmp_path / "another"):
            os.utime(folder, (0, 0))
        remove_forgotten()
        assert living.folder.is_dir()
    assert [(tmp_path / name).exists() for name in names] == [False, True, True]


def test_an_input_that_is_a_link_is_a_fault_of_the_platform(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path)
    (inputs["entry"] / "T.csv").unlink()
    (inputs["entry"] / "T.csv").symlink_to(inputs["entry"] / "P.csv")
    with (
        pytest.raises(ValueError, match=r"must hold T\.csv as a plain file"),
        staged(read_program(b"pass"), inputs),
    ):
        pass
