"""Uploads of games as boxes of files."""

from __future__ import annotations

import io

import pytest

from contest.play.uploads import upload_box
from datasets.archive import ArchiveError
from datasets.zip_writer import zipped
from games.contract.boxes import contents
from games.contract.declaration import File
from tests.outside_games.scripts import submission

SUBMISSION = File("submission.zip", "answer", "upload", max_bytes=1 << 20)
TABLE = File("who.csv", "answer", "upload", max_bytes=1 << 20)


def test_where_the_one_file_is_a_zip_the_upload_is_that_file() -> None:
    """A submission to Codabench is a zip."""
    (sent,) = submission("10110010").values()
    assert contents(upload_box(io.BytesIO(sent), {"submission.zip": SUBMISSION})) == {"submission.zip": sent}


@pytest.mark.parametrize("content", [b"", b"no zip", zipped({"../a": b""}), zipped({"a": b"1" * 9})[:-9]])
def test_such_a_zip_is_refused_where_it_cannot_be_read(content: bytes) -> None:
    with pytest.raises(ArchiveError) as refused:
        upload_box(io.BytesIO(content), {"submission.zip": SUBMISSION})
    assert [problem.file for problem in refused.value.verdict.problems] == ["submission.zip"]


def test_other_files_come_packed_or_as_they_are() -> None:
    for sent in (b"1\n", zipped({"who.csv": b"1\n"})):
        assert contents(upload_box(io.BytesIO(sent), {"who.csv": TABLE})) == {"who.csv": b"1\n"}
    with pytest.raises(ArchiveError):
        upload_box(io.BytesIO(zipped({"who.csv": zipped({"who.csv": b"1\n"})})), {"who.csv": TABLE})
