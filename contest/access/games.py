"""Which files of a round that is played by a game somebody may read: by what its game declares, by how far
the round is, and by whose seat or entry they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404

from contest.access.attacks import feedback_for, owns_attack
from contest.access.entries import entry_for, owns_entry
from contest.access.organisers import is_organiser
from contest.access.rounds import results_have_begun, targets_are_public
from contest.access.teams import team_of
from contest.access.viewers import Viewer
from contest.models import Attack, Entry, Round, Sealed, Seat
from contest.models.round import Feedback
from contest.models.sealed import SEED
from contest.play.table import Table, moment_of
from games.contract.declaration import Declaration, File, Moment, Picture, is_shown


@dataclass(frozen=True)
class ReadableFile:
    """A file that somebody may read: in the public store, or in the vault where ``is_sealed``."""

    name: str
    file: File
    sha256: str
    is_sealed: bool
    seat: int | None = None


def moment_for(user: Viewer, round_: Round) -> Moment | None:
    """Which moment a round has reached; organisers see what is public before it begins."""
    moment = moment_of(round_)
    if moment is None and is_organiser(user, round_.contest):
        return "open"
    return moment


def seat_of(user: Viewer, round_: Round) -> Seat | None:
    """The seat of somebody's team in a round."""
    team = team_of(user, round_.contest)
    if team is None:
        return None
    return Seat.objects.filter(round=round_, team=team).select_related("team").first()


def round_files(user: Viewer, round_: Round) -> list[ReadableFile]:
    """The files of a round itself that somebody may read now."""
    moment, declared = moment_for(user, round_), Table(round_).declared
    if moment is None:
        return []
    found = []
    for name, sha256 in sorted(round_.dataset.files.items()):
        file = declared.file(name, "round")
        if file is not None and is_shown(file.shown, "all", moment):
            found.append(ReadableFile(name, file, sha256, False))
    rows = Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND).exclude(name=SEED)
    for row in rows.order_by("name"):
        file = declared.file(row.name, "round")
        if file is not None and is_shown(file.shown, "all", moment):
            found.append(ReadableFile(row.name, file, row.sha256, True))
    return found


def seat_files(user: Viewer, round_: Round) -> list[ReadableFile]:
    """The files of all seats that somebody may read now: those of the own one first."""
    moment, declared = moment_for(user, round_), Table(round_).declared
    if moment is None:
        return []
    mine = seat_of(user, round_)
    rows = Sealed.objects.filter(round=round_, scope=Sealed.Scope.SEAT).select_related("seat")
    if all(file.shown.all == "never" for file in declared.files_of("seat")):
        rows = rows.filter(seat=mine) if mine else rows.none()
    found = list(_of_seats(declared, rows.order_by("seat__number", "name"), mine, moment))
    return sorted(found, key=lambda one: (mine is None or one.seat != mine.number, one.seat or 0, one.name))


def _of_seats(
    declared: Declaration, rows: QuerySet[Sealed], mine: Seat | None, moment: Moment
) -> Iterator[ReadableFile]:
    entered: dict[int, int | None] = {}
    for row in rows:
        file = declared.file(row.name, "seat")
        if file is None or row.seat is None:
            continue
        is_mine = mine is not None and row.seat_id == mine.pk
        if is_mine and is_shown(file.shown, "team", moment):
            yield ReadableFile(row.name, file, row.sha256, True, row.seat.number)
        elif is_shown(file.shown, "all", moment):
            if row.seat.pk not in entered:
                entered[row.seat.pk] = _entered(row.seat)
            if is_of_variant(declared, file, row.name, entered[row.seat.pk]):
                yield ReadableFile(row.name, file, row.sha256, True, row.seat.number)


def _entered(seat: Seat) -> int | None:
    """The alternative of a seat that its team plays: the one that it chose, else that of what counts."""
    if seat.choice is not None:
        return seat.choice
    official = Entry.objects.filter(round=seat.round_id, team=seat.team_id, is_official=True)
    return official.values_list("variant", flat=True).order_by("pk").first()


def is_of_variant(declared: Declaration, file: File, name: str, variant: int | None) -> bool:
    """Whether others may read a file of a seat that has alternatives: of the one that is played alone."""
    variants = declared.seats.variants
    if variants < 2 or "{i}" not in file.name or file.count != variants:
        return True
    return variant is not None and name == file.names()[variant]


def round_file_for(user: Viewer, round_: Round, name: str) -> ReadableFile:
    found = next((one for one in round_files(user, round_) if one.name == name), None)
    if found is None:
        raise Http404
    return found


def seat_file_for(user: Viewer, round_: Round, number: int, name: str) -> ReadableFile:
    files = (one for one in seat_files(user, round_) if (one.seat, one.name) == (number, name))
    found = next(files, None)
    if found is None:
        raise Http404
    return found


def entry_files(user: Viewer, entry: Entry) -> list[ReadableFile]:
    """The files of an entry that somebody may read: what attackers see, and what else is declared."""
    round_ = entry.round
    moment, declared = moment_for(user, round_), Table(round_).declared
    if moment is None:
        return []
    is_target = entry.is_official and targets_are_public(round_)
    is_mine = owns_entry(user, entry)
    seen: Moment = "publish" if is_target and moment == "open" else moment

    def may_read(file: File) -> bool:
        to_all = (is_target or is_organiser(user, round_.contest)) and is_shown(file.shown, "all", seen)
        return to_all or (is_mine and is_shown(file.shown, "team", moment))

    rows = [(name, sha256, False) for name, sha256 in entry.published.items()]
    sealed = Sealed.objects.filter(entry=entry, scope=Sealed.Scope.ENTRY)
    rows += [(row.name, row.sha256, True) for row in sealed]
    found = []
    for name, sha256, is_sealed in sorted(rows):
        file = declared.file(name, "entry")
        if file is not None and may_read(file):
            found.append(ReadableFile(name, file, sha256, is_sealed))
    return found


def entry_pictures(user: Viewer, entry: Entry) -> list[Picture]:
    """The declared pictures of an entry that somebody who sees its page may see now."""
    declared = Table(entry.round).declared.entry_pictures()
    return _shown(user, entry.round, declared, is_own=bool(declared) and owns_entry(user, entry))


def answer_pictures(user: Viewer, attack: Attack, challenge: str) -> list[Picture]:
    """The same of an answer to a challenge. Before the results a picture, which may show every number at
    once, is told to those alone who are told all of them."""
    declared = Table(attack.round).declared
    pictures = declared.answer_pictures(challenge)
    if pictures and not (is_organiser(user, attack.round.contest) or results_have_begun(attack.round)):
        numbers = declared.challenge(challenge).numbers
        are_told = all(number.told == "at once" for number in numbers)
        if not are_told or feedback_for(user, attack) != Feedback.FULL:
            return []
    return _shown(user, attack.round, pictures, is_own=bool(pictures) and owns_attack(user, attack))


def _shown(user: Viewer, round_: Round, declared: Sequence[Picture], *, is_own: bool) -> list[Picture]:
    if not declared or is_organiser(user, round_.contest):
        return list(declared)
    moment = moment_of(round_)
    readers = ("all", "team") if is_own else ("all",)
    return [
        picture
        for picture in declared
        if moment is not None and any(is_shown(picture.shown, reader, moment) for reader in readers)
    ]


def target_file_for(
    user: Viewer, contest_slug: str, round_slug: str, round_: Round, entry_id: int, name: str
) -> ReadableFile:
    """A file of an entry; a target's are open to its attackers before its own page is."""
    entry = Entry.objects.filter(round=round_, pk=entry_id).select_related("team").first()
    if entry is None or not (entry.is_official and targets_are_public(round_)):
        entry = entry_for(user, contest_slug, round_slug, entry_id)
    entry.round = round_
    found = next((one for one in entry_files(user, entry) if one.name == name), None)
    if found is None:
        raise Http404
    return found
