"""Archives as file managers make them are opened; those made to do harm are refused, and cheaply."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Sequence

import pytest

from datasets.archive import MEMBERS, ArchiveError, Limits, open_upload
from datasets.problems import Problem

WANTED = ("M.csv", "T.csv", "P.csv")
GOOD = (("M.csv", b"m\n"), ("T.csv", b"t\n"), ("P.csv", b"1\n"))


def packed(
    members: Sequence[tuple[str | zipfile.ZipInfo, bytes]], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(info, data, compress_type=method)
    return buffer.getvalue()


def opened(raw: bytes, limits: Limits | None = None, wanted: Sequence[str] = WANTED) -> dict[str, bytes]:
    files = open_upload(io.BytesIO(raw), wanted, limits)
    contents = {}
    for name, file in files.items():
        contents[name] = file.read()
        file.close()
    return contents


def refused(raw: bytes, limits: Limits | None = None, wanted: Sequence[str] = WANTED) -> tuple[Problem, ...]:
    with pytest.raises(ArchiveError) as error:
        opened(raw, limits, wanted)
    return error.value.verdict.problems


@pytest.mark.parametrize(
    "members",
    [
        GOOD,
        tuple((f"entry/{name}", data) for name, data in GOOD),
        (("entry/", b""), *((f"entry/{name}", data) for name, data in GOOD)),
        tuple((name.lower(), data) for name, data in GOOD),
        tuple((name.upper(), data) for name, data in GOOD),
        (*GOOD, ("__MACOSX/._M.csv", b"junk"), (".DS_Store", b"junk"), ("._T.csv", b"junk")),
        (
            *((f"entry/{name}", data) for name, data in GOOD),
            ("__MACOSX/entry/._M.csv", b"junk"),
            ("entry/.DS_Store", b"junk"),
        ),
    ],
)
def test_archives_as_people_make_them_are_opened(members: Sequence[tuple[str, bytes]]) -> None:
    assert opened(packed(members)) == dict(GOOD)


def test_an_absent_file_is_left_to_the_checker() -> None:
    assert opened(packed(GOOD[:2])) == dict(GOOD[:2])


def test_one_wanted_file_may_come_alone_plain_or_gzipped() -> None:
    assert opened(b"1\n2\n", wanted=("Q.csv",)) == {"Q.csv": b"1\n2\n"}
    assert opened(gzip.compress(b"1\n2\n", mtime=0), wanted=("Q.csv",)) == {"Q.csv": b"1\n2\n"}
    assert opened(packed((("Q.csv", b"1\n"),)), wanted=("Q.csv",)) == {"Q.csv": b"1\n"}


def linked(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def raw_name(name: str) -> zipfile.ZipInfo:
    """A member whose name the library would otherwise tidy up."""
    info = zipfile.ZipInfo("x")
    info.filename = name
    return info


A_PATH = "a plain file name, without '..', '\\', ':' or a leading '/'"


@pytest.mark.parametrize(
    ("member", "code", "expected"),
    [
        ("../M.csv", "bad-path", A_PATH),
        ("entry/../../M.csv", "bad-path", A_PATH),
        ("/etc/M.csv", "bad-path", A_PATH),
        (raw_name("entry\\M.csv"), "bad-path", A_PATH),
        (raw_name("C:M.csv"), "bad-path", A_PATH),
        (linked("link.csv"), "not-a-file", "a regular file, no link and no device"),
        ("readme.txt", "unknown-member", "only M.csv, T.csv, P.csv"),
        ("a/b/M.csv", "unknown-member", "only M.csv, T.csv, P.csv"),
        ("m.csv", "duplicate-member", "M.csv once"),
        ("entry/M.csv", "duplicate-member", "M.csv once"),
    ],
)
def test_a_suspicious_member_is_named(member: str | zipfile.ZipInfo, code: str, expected: str) -> None:
    name = member if isinstance(member, str) else member.filename
    problems = refused(packed((*GOOD, (member, b"x"))))
    assert [(problem.code, problem.got, str(problem.expected)) for problem in problems] == [
        (code, name, expected)
    ]


def test_the_very_same_name_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        raw = packed((*GOOD, GOOD[0]))
    assert [(problem.code, problem.got) for problem in refused(raw)] == [("duplicate-member", "M.csv")]


def test_all_suspicious_members_are_named() -> None:
    problems = refused(packed((("../M.csv", b""), ("x.exe", b""), (linked("T.csv"), b"/etc/passwd"))))
    assert [problem.code for problem in problems] == ["bad-path", "unknown-member", "not-a-file"]


def test_files_of_one_entry_stand_in_one_folder() -> None:
    problems = refused(packed((("a/M.csv", b""), ("b/T.csv", b""))))
    assert [(problem.code, problem.got) for problem in problems] == [("several-folders", "a, b")]


def test_an_encrypted_member_is_refused() -> None:
    raw = bytearray(packed(GOOD, zipfile.ZIP_STORED))
    # Bit 0 of the flags, in the local header and in the directory.
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    assert [problem.code for problem in refused(bytes(raw))] == ["encrypted"]


def test_an_exotic_compression_is_refused() -> None:
    assert {problem.code for problem in refused(packed(GOOD, zipfile.ZIP_LZMA))} == {"compression-method"}


INNER = [packed(GOOD), gzip.compress(b"1\n", mtime=0), b"BZh91AY&SY", b"\xfd7zXZ\x00"]


@pytest.mark.parametrize("inner", INNER)
def test_an_archive_in_an_archive_is_refused(inner: bytes) -> None:
    problems = refused(packed((("M.csv", inner),)))
    assert [(problem.code, problem.got) for problem in problems] == [("nested-archive", "M.csv")]


def test_bombs_are_stopped_early() -> None:
    bomb = packed((("T.csv", bytes(100_000_000)),))
    assert len(bomb) < 200_000
    tracemalloc.start()
    problems = refused(bomb, Limits(memory_bytes=10**9))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [problem.code for problem in problems] == ["too-large"]
    # The ratio stops it: 200 times the packed size, and not the whole.
    assert peak < 60_000_000


def test_a_gzip_bomb_is_stopped_early() -> None:
    bomb = gzip.compress(bytes(50_000_000), mtime=0)
    assert [problem.code for problem in refused(bomb, wanted=("Q.csv",))] == ["too-large"]


def test_a_lying_size_is_not_believed() -> None:
    raw = bytearray(packed((("T.csv", bytes(5_000_000)),)))
    # The directory and the local header claim ten bytes.
    directory = raw.index(b"PK\x01\x02")
    raw[22:26] = struct.pack("<I", 10)
    raw[directory + 24 : directory + 28] = struct.pack("<I", 10)
    assert [problem.code for problem in refused(bytes(raw))] == ["corrupt-archive"]


def test_limits_hold_for_each_file_and_for_all_together() -> None:
    raw = packed((("M.csv", b"a" * 600), ("T.csv", b"b" * 600)), zipfile.ZIP_STORED)
    assert [problem.got for problem in refused(raw, Limits(file_bytes=500))] == ["M.csv"]
    assert [problem.got for problem in refused(raw, Limits(total_bytes=1000))] == ["T.csv"]


def test_too_many_members_are_refused_before_they_are_listed() -> None:
    raw = packed([(f"{number}.csv", b"") for number in range(3000)])
    tracemalloc.start()
    problems = refused(raw, Limits(members=100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [problem.code for problem in problems] == ["too-many-members"]
    assert peak < 1_000_000
    few = packed([(f"{number}.csv", b"") for number in range(200)])
    assert refused(few, Limits(members=100))[0].got == MEMBERS(n=200)


@pytest.mark.parametrize("raw", [b"", b"a,b\n", gzip.compress(b"x", mtime=0)])
def test_what_is_no_zip_is_refused_where_several_files_are_wanted(raw: bytes) -> None:
    assert [problem.code for problem in refused(raw)] == ["not-a-zip"]


def test_damage_anywhere_is_a_verdict_and_never_a_crash() -> None:
    data = tuple((name, bytes(range(256)) * 20) for name, _ in GOOD)
    whole = packed(data)
    outcomes = set()
    for cut in range(4, len(whole), 7):
        outcomes.update(problem.code for problem in refused(whole[:cut]))
    assert outcomes == {"corrupt-archive"}
    for place in range(4, len(whole)):
        harmed = bytearray(whole)
        harmed[place] ^= 0xFF
        try:
            assert set(opened(bytes(harmed))) <= set(WANTED)
        except ArchiveError as error:
            assert error.verdict.total


@pytest.mark.parametrize("cut", [5, 12, 25])
def test_a_damaged_gzip_is_corrupt(cut: int) -> None:
    raw = gzip.compress(b"1\n2\n3\n4\n" * 50, mtime=0)
    assert [problem.code for problem in refused(raw[:cut], wanted=("Q.csv",))] == ["corrupt-archive"]
    assert [problem.code for problem in refused(raw + b"more", wanted=("Q.csv",))] == ["corrupt-archive"]
