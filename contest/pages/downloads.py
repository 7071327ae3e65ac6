"""Archives that people download, and archives of guesses that they upload."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, Any, BinaryIO, cast

from django.http import FileResponse, Http404
from django.utils.translation import gettext as _

from contest import access
from contest.errors import Refused
from contest.files.storage import published
from contest.language.translation import say
from contest.models import Entry, Round, Team
from contest.pages.dry_run import take_turn
from contest.services.attacks import targets_of
from contest.services.guess_checks import check_guesses
from datasets.archive import ArchiveError, open_upload
from datasets.problems import BadFiles
from datasets.remarks import Remark
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


class Guesses(dict[int, BinaryIO]):
    """Guess files by target, and how they were read where they are odd."""

    remarks: tuple[Remark, ...] = ()


@contextmanager
def guesses_in(round_: Round, team: Team, upload: Any) -> Iterator[Guesses]:
    """The guesses of an upload by target; raises `BadFiles` where one cannot be read.

    A guess is compared with its target only where the team may read that.
    """
    targets = {entry.pk: entry for entry in targets_of(round_, team)}
    with _opened_guesses(targets, upload) as guesses:
        if access.targets_are_public(round_):
            take_turn(team)
            for entry in targets.values():
                entry.round = round_
            verdict = check_guesses(targets, guesses)
            if not verdict.ok:
                raise BadFiles(verdict)
            guesses.remarks = (*guesses.remarks, *verdict.remarks)
        yield guesses


@contextmanager
def _opened_guesses(targets: Mapping[int, Entry], upload: Any) -> Iterator[Guesses]:
    """The files of an upload by target. A single CSV is named by its target, as in the zip."""
    names = {f"{key}.csv": key for key in targets}
    if upload.name in names:
        yield Guesses({names[upload.name]: cast(BinaryIO, upload)})
        return
    if re.fullmatch(r"[0-9]+\.csv", upload.name or ""):
        raise Refused(
            "not-a-target", _("%(name)s is not named after a target of your team.") % {"name": upload.name}
        )
    opened = open_upload(cast(BinaryIO, upload), list(names), ignore_others=True)
    with ExitStack() as stack:
        for file in opened.values():
            stack.callback(file.close)
        guesses = Guesses({names[name]: file for name, file in opened.items()})
        guesses.remarks = opened.remarks
        yield guesses


def refusal_of(error: BadFiles) -> Refused:
    """Guess files that were refused, in one sentence for programs: the cause, or else the first problem."""
    verdict = error.verdict
    causes = [remark.message for remark in verdict.remarks if not remark.accepted]
    code = "bad-archive" if isinstance(error, ArchiveError) else "bad-guess"
    return Refused(code, say([*causes, verdict.problems[0].message][0]))
