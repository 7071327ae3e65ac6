"""The data page of a game: facts, every file with its rules, and what the reader may fetch now."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO, cast

from django.http import FileResponse, Http404
from django.urls import reverse

from contest import access
from contest.files import vault
from contest.files.storage import published
from contest.language.declared import readable, shown_to
from contest.language.game_words import worded
from contest.language.translation import say
from contest.models import Entry, Phase, Round, Seat, Team
from contest.models.round import BuildState
from contest.pages.dataset_facts import fact_label
from contest.play.table import Table
from contest.services.attacks import targets_of
from datasets.zip_writer import ZipWriter, chunks_of
from games.contract.declaration import Declaration, File
from games.contract.sentences import sentences


@dataclass(frozen=True)
class Download:
    """A file that the reader may fetch; the hash of a secret one that is shown now is no secret any more."""

    name: str
    url: str
    sha256: str
    seat: int | None = None


@dataclass(frozen=True)
class DescribedFile:
    """A declared file: what it means, its rules, who may read it when, and what of it is here."""

    name: str
    meaning: str
    rules: list[str]
    shown: list[str]
    is_secret: bool
    is_committed: bool
    downloads: list[Download] = field(default_factory=list)


def described(file: File, downloads: Sequence[Download] = ()) -> DescribedFile:
    return DescribedFile(
        file.name,
        worded(file.meaning),
        [say(sentence) for sentence in sentences(file)],
        [] if file.scope == "answer" else shown_to(file),
        file.scope != "answer" and file.shown.is_secret,
        file.committed,
        list(downloads),
    )


def data_context(user: access.Viewer, round_: Round) -> dict[str, Any]:
    table = Table(round_)
    declared = table.declared
    own, seat = access.seat_files(user, round_), access.seat_of(user, round_)
    of_round = _grouped(
        _told_of(user, round_, declared), _downloads(round_, access.round_files(user, round_))
    )
    mine = [one for one in own if seat is not None and one.seat == seat.number]
    others = [one for one in own if seat is None or one.seat != seat.number]
    team = access.team_of(user, round_.contest)
    return {
        "contest": round_.contest,
        "round": round_,
        "declared": declared,
        "facts": [(_fact_title(declared, label), value) for label, value in round_.dataset.facts],
        "has_begun": access.moment_for(user, round_) is not None,
        "has_kit": has_kit(user, round_),
        "team": team,
        "seat": seat,
        "round_files": of_round,
        "has_public": any(file.downloads for file in of_round),
        "seat_files": _grouped(declared.files_of("seat"), _downloads(round_, mine)),
        "has_own": bool(mine),
        "other_files": _downloads(round_, others),
        "alternatives": _alternatives(round_, table, seat),
        "choices": _choices(round_, declared.seats.variants),
    }


def _fact_title(declared: Declaration, label: str) -> str:
    return worded(declared.facts.get(label, {})) or fact_label(label, readable(label))


def _told_of(user: access.Viewer, round_: Round, declared: Declaration) -> list[File]:
    """The files of a round, but for the sources that organisers bring and nobody else ever reads."""
    is_organiser = access.is_organiser(user, round_.contest)
    return [
        file
        for file in declared.files_of("round")
        if is_organiser or file.made != "organiser" or not file.shown.is_secret
    ]


def has_kit(user: access.Viewer, round_: Round) -> bool:
    """Whether there is a kit for somebody: its data are made, and they may read them."""
    return round_.build_state == BuildState.READY and access.moment_for(user, round_) is not None


def _downloads(round_: Round, files: Iterable[access.ReadableFile]) -> list[tuple[File, Download]]:
    place = [round_.contest.slug, round_.slug]
    found = []
    for one in files:
        if one.seat is None:
            url = reverse("game_download", args=[*place, one.name])
        else:
            url = reverse("seat_download", args=[*place, one.seat, one.name])
        found.append((one.file, Download(one.name, url, one.sha256, one.seat)))
    return found


def _grouped(files: Sequence[File], found: Sequence[tuple[File, Download]]) -> list[DescribedFile]:
    return [described(file, [one for owner, one in found if owner == file]) for file in files]


@dataclass(frozen=True)
class Alternative:
    """One of a seat's alternatives, counted from 1 as teams count."""

    number: int
    is_chosen: bool


def _alternatives(round_: Round, table: Table, seat: Seat | None) -> list[Alternative]:
    if seat is None or table.declared.seats.variants < 2:
        return []
    return [Alternative(number + 1, seat.choice == number) for number in range(table.declared.seats.variants)]


def may_choose(round_: Round, seat: Seat | None, phase: Phase | None) -> bool:
    """Whether the page offers the choice: while hiding is open and before the team has handed in."""
    if seat is None or phase is None:
        return False
    return not Entry.objects.filter(round=round_, team=seat.team_id).exists()


def _choices(round_: Round, variants: int) -> list[tuple[Team, int]]:
    """Which team has chosen which alternative, which everybody may know."""
    if variants < 2:
        return []
    seats = Seat.objects.filter(round=round_, choice__isnull=False, team__isnull=False)
    rows = seats.select_related("team").order_by("team__name")
    return [(seat.team, seat.choice + 1) for seat in rows if seat.team and seat.choice is not None]


def file_answer(one: access.ReadableFile) -> FileResponse:
    """A file that `contest.access` has let somebody read."""
    name = one.name.rpartition("/")[2]
    kind = "text/csv" if name.endswith((".csv", ".txt")) else "application/octet-stream"
    return FileResponse(opened(one), as_attachment=True, filename=name, content_type=kind)


def opened(one: access.ReadableFile) -> BinaryIO:
    if one.is_sealed:
        return vault.open_secret(one.sha256)
    return cast(BinaryIO, published.open(one.sha256))


def download_answer(user: access.Viewer, round_: Round, name: str) -> FileResponse:
    """All files of a round that somebody may read, or all of the own seat, in one zip; or one by its name."""
    start = f"{round_.contest.slug}-{round_.slug}"
    if name == "data.zip":
        return zip_answer([(one.name, one) for one in access.round_files(user, round_)], f"{start}.zip")
    if name == "mine.zip":
        seat = access.seat_of(user, round_)
        own = access.seat_files(user, round_) if seat else []
        mine = [(one.name, one) for one in own if seat is not None and one.seat == seat.number]
        return zip_answer(mine, f"{start}-mine.zip")
    return file_answer(access.round_file_for(user, round_, name))


def zip_answer(files: Sequence[tuple[str, access.ReadableFile]], name: str) -> FileResponse:
    """Several readable files in one zip, whose bytes depend on nothing but them."""
    if not files:
        raise Http404
    return FileResponse(zipped(files), as_attachment=True, filename=name)


def targets_answer(user: access.Viewer, round_: Round, team: Team) -> FileResponse:
    """All targets of a team in one zip, each in a folder named by its key."""
    files = []
    for entry in targets_of(round_, team) if access.targets_are_public(round_) else []:
        entry.round = round_
        files += [(f"{entry.key}/{one.name}", one) for one in access.entry_files(user, entry)]
    return zip_answer(files, f"{round_.contest.slug}-{round_.slug}-targets.zip")


def zipped(files: Iterable[tuple[str, access.ReadableFile]]) -> IO[bytes]:
    bundle = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    with ZipWriter(bundle) as writer:
        for path, one in files:
            with opened(one) as source:
                writer.add(path, chunks_of(cast(IO[bytes], io.BytesIO(source.read()))))
    bundle.seek(0)
    return bundle
