"""Archives that people download, and archives of guesses that they upload."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, Any, BinaryIO, cast

from django.http import FileResponse, Http404
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files.storage import published
from contest.language.translation import say
from contest.models import Round, Team
from contest.services.attacks import targets_of
from datasets.archive import ArchiveError, open_upload
from datasets.zip_writer import ZipWriter, chunks_of


def targets_bundle(round_: Round, team: Team) -> IO[bytes]:
    """All targets of a team in one zip, each in a folder named by its number."""
    files: dict[str, str] = {}
    for entry in targets_of(round_, team):
        entry.round = round_
        files |= {f"{entry.pk}/{name}": sha256 for name, sha256 in entry.published.items()}
    return _zipped(files)


def data_download(round_: Round, name: str) -> FileResponse:
    """A file of a round's original, such as T.csv, or all as data.zip."""
    files = round_.dataset.files
    if name in files:
        return FileResponse(
            published.open(files[name]), as_attachment=True, filename=name, content_type="text/csv"
        )
    if name != "data.zip":
        raise Http404
    archive = f"{round_.contest.slug}-{round_.slug}.zip"
    return FileResponse(_zipped(files), as_attachment=True, filename=archive)


def _zipped(files: Mapping[str, str]) -> IO[bytes]:
    """Published files in a zip whose bytes depend on nothing but them. The caller closes it."""
    bundle = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    with ZipWriter(bundle) as writer:
        for name, sha256 in files.items():
            with published.open(sha256) as source:
                writer.add(name, chunks_of(source))
    bundle.seek(0)
    return bundle


@contextmanager
def guesses_in(round_: Round, team: Team, upload: Any) -> Iterator[dict[int, BinaryIO]]:
    """The guesses of an upload by target. A single CSV is named by its target, as in the zip."""
    names = {f"{entry.pk}.csv": entry.pk for entry in targets_of(round_, team)}
    if upload.name in names:
        yield {names[upload.name]: cast(BinaryIO, upload)}
        return
    if re.fullmatch(r"[0-9]+\.csv", upload.name or ""):
        raise Refused(
            "not-a-target", _("%(name)s is not named after a target of your team.") % {"name": upload.name}
        )
    try:
        opened = open_upload(cast(BinaryIO, upload), list(names))
    except ArchiveError as error:
        raise Refused("bad-archive", say(error.verdict.problems[0].message)) from None
    with ExitStack() as stack:
        for file in opened.values():
            stack.callback(file.close)
        yield {names[name]: file for name, file in opened.items()}
