"""Archives of contests: which teams agree to be in one, and how a contest is restored from one."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.archive.file_stores import STORES
from contest.archive.format_1 import lifted
from contest.archive.games import absent_games, require_sound_games
from contest.archive.older import bring_up_to_date
from contest.archive.rows import Numbers, object_of
from contest.archive.tables import PERSON, TABLES, Table
from contest.archive.writing import write_archive
from contest.errors import Refused
from contest.models import (
    AuditChain,
    AuditEvent,
    Contest,
    Dataset,
    Entry,
    GamePackage,
    Organiser,
    StoredBoard,
    Team,
    User,
)
from contest.models.dataset import files_key
from contest.names.lookalikes import look_of
from contest.names.validation import clean_slug, require_visible
from contest.records import audit
from contest.records.verify import KIND, MAX_TOTAL, Archive, BadArchive, verify
from contest.services.entries import lacking_truth

NAMES = ((PERSON, "name"), ("contest", "title"), ("round", "name"), ("team", "name"))
"""What people read as a name, by table."""
UNPACKED_BYTES = 1024**3
"""Of an archive that is imported on the page; the command line takes larger ones."""


def set_archive_consent(team: Team, user: User, consents: bool) -> None:
    """A team decides whether the archive may contain its files, or only their hashes."""
    with transaction.atomic():
        changed = Team.objects.filter(pk=team.pk).exclude(in_archive=consents).update(in_archive=consents)
        if changed:
            audit.record(
                "team.archive_consent",
                team,
                contest=team.contest,
                actor=user,
                before={"in_archive": not consents},
                after={"in_archive": consents},
            )


def archive_contest(contest: Contest, target: IO[bytes], user: User | None = None) -> dict[str, Any]:
    """Write the archive of a contest. The site's log records it, since the archive holds the contest's."""
    absent = absent_games(contest)
    if absent:
        # The bundle in an archive says what organisers brought, which only the game knows.
        raise Refused("no-such-game", absent[0])
    audit.extend_chain(contest.pk)
    manifest = write_archive(contest, target)
    after = {"contest": contest.slug, "files": len(manifest["files"])}
    audit.record("contest.archived", contest, contest=None, actor=user, after=after)
    return manifest


def import_upload(upload: IO[bytes], user: User, *, slug: str | None = None) -> Contest:
    """Create the contest of an archive that came with a request; it may unpack to less than others."""
    with tempfile.TemporaryDirectory(prefix="kakurenbo-import-") as folder:
        path = Path(folder) / "archive.zip"
        with path.open("wb") as file:
            shutil.copyfileobj(upload, file)
        return import_archive(path, user, slug=slug, max_total=UNPACKED_BYTES)


def import_archive(path: Path, user: User, *, slug: str | None = None, max_total: int = MAX_TOTAL) -> Contest:
    """Create the contest of an archive, all or nothing; nothing is written before everything is verified."""
    try:
        with Archive(path, max_total=max_total) as archive:
            verify(archive)
            return _import(archive, user, slug)
    except BadArchive as error:
        raise Refused("bad-archive", str(error)) from None


def _import(archive: Archive, user: User, slug: str | None) -> Contest:
    tables = {table: archive.rows(table) for table in archive.manifest["tables"]}
    bring_up_to_date(tables)
    if archive.manifest[KIND] == 1:
        tables = lifted(tables)
    absent = sorted({PERSON, *(table.name for table in TABLES)} - set(tables))
    if absent or len(tables["contest"]) != 1:
        raise BadArchive(
            _("%(file)s: expected the rows of one contest.")
            % {"file": f"rows/{absent[0] if absent else 'contest'}.jsonl"}
        )
    slug = slug or str(tables["contest"][0].get("slug"))
    try:
        clean_slug(slug)
    except ValidationError as error:
        raise Refused("bad-address", f"{slug}: {error.messages[0]}") from None
    if Contest.objects.filter(Q(slug=slug) | Q(look_key=look_of(slug))).exists():
        raise Refused(
            "slug-taken",
            _("There is a contest with the address %(slug)s already. Choose another.") % {"slug": slug},
        )
    tables["contest"][0]["slug"] = slug
    _require_visible_names(tables)
    try:
        with transaction.atomic():
            contest = _write_rows(tables, user)
            _keep_files(archive, tables)
            require_sound_games(contest)
    except IntegrityError as error:
        text = _("The rows contradict each other: %(error)s") % {"error": error}
        raise BadArchive(text) from None
    return contest


def _require_visible_names(tables: dict[str, list[dict[str, Any]]]) -> None:
    """Archives may be older than the policy of names, but no name may hide or turn what is around it."""
    for table, column in NAMES:
        for row in tables[table]:
            try:
                require_visible(" ".join(str(row.get(column, "")).split()))
            except ValidationError as error:
                raise BadArchive(f"rows/{table}.jsonl, row {row['id']}: {error.messages[0]}") from None


def _write_rows(tables: dict[str, list[dict[str, Any]]], user: User) -> Contest:
    """Every row gets a new primary key; what referred to the old number refers to the new one."""
    numbers: Numbers = {PERSON: _people(tables[PERSON])}
    for table in TABLES:
        numbers[table.name] = known = {}
        for row in tables[table.name]:
            known[row["id"]] = _insert(table, object_of(table, row, numbers))
    contest = Contest.objects.get(pk=numbers["contest"][1])
    valid = Entry.objects.filter(round__contest=contest, round__game=None, state=Entry.State.VALID)
    if lacking_truth(valid).exists():
        raise BadArchive("rows/sealed.jsonl: expected a truth for each valid entry.")
    last = AuditEvent.objects.filter(contest=contest).order_by("-number").first()
    if last is not None:
        AuditChain.objects.create(contest_key=contest.pk, number=last.number or 0, hash=last.hash)
    Organiser.objects.create(contest=contest, user=user)
    audit.record("contest.imported", contest, contest=None, actor=user, after={"contest": contest.slug})
    return contest


def _insert(table: Table, made: models.Model) -> int:
    if isinstance(made, Dataset):
        made.files_key = files_key(made.files)
        same = Dataset.objects.filter(name=made.name, format=made.format, files_key=made.files_key).first()
        if same is not None:
            return int(same.pk)
        made.created_at = timezone.now()
    if isinstance(made, GamePackage):
        if not made.is_uploaded:
            return _installed(made)
        made.created_at = timezone.now()
    if isinstance(made, StoredBoard):
        made.counted = made.round.full_version
    if isinstance(made, Contest):
        made.look_key = look_of(made.slug)
    if isinstance(made, Team):
        made.look_key = _free_look(made)
    # Raw: times that the database would set to now stay as they were.
    made.save_base(raw=True, force_insert=True)
    return int(made.pk)


def _installed(made: GamePackage) -> int:
    """The row of an installed game here, also where the site does not have it: then it cannot be played."""
    row, _made = GamePackage.objects.get_or_create(
        name=made.name,
        version=made.version,
        origin=GamePackage.Origin.INSTALLED,
        defaults={"state": GamePackage.State.READY},
    )
    return int(row.pk)


def _free_look(team: Team) -> str:
    """Archives may hold teams whose names look alike; they are distinguished by their numbers."""
    look = look_of(team.name)
    taken = set(Team.objects.filter(contest=team.contest_id).values_list("look_key", flat=True))
    others = (f"{look} #{number}" for number in itertools.count(2))
    return next(key for key in itertools.chain([look], others) if key not in taken)


def _people(rows: list[dict[str, Any]]) -> dict[int, int]:
    """People of an archive are names in its log, not accounts; they are nobody here with the same name."""
    known = {}
    for row in rows:
        name = " ".join(str(row.get("name", "")).split())
        if len(name) > 40:
            where = f"rows/{PERSON}.jsonl, row {row['id']}"
            raise BadArchive(_("%(where)s: expected a name of up to 40 characters.") % {"where": where})
        placeholder = User(username=name, email="", is_active=False)
        placeholder.set_unusable_password()
        # The keys are unique and no log-in leads to them; a password that cannot be used is random each time.
        placeholder.name_key = placeholder.email_key = f"imported {placeholder.password[-40:]}"
        placeholder.look_key = placeholder.name_key
        placeholder.save()
        known[row["id"]] = placeholder.pk
    return known


def _keep_files(archive: Archive, tables: dict[str, list[dict[str, Any]]]) -> None:
    """Put every file that a row names into its store, verified once more on its way."""
    # The same bytes may belong in two stores: a guess that hits everybody is the truth itself.
    stored: set[tuple[str, str]] = set()
    for table in TABLES:
        for row in tables[table.name]:
            stored |= set(table.files_in(row))
    for row in tables["dataset"]:
        stored |= {(sha256, "entries") for sha256 in row.get("source", {}).get("stored", {}).values()}
    for sha256, store in sorted(stored):
        name = archive.by_hash.get(sha256)
        if name is not None:
            STORES[store].put(cast(IO[bytes], _Stream(archive.chunks(name))))


class _Stream:
    """Chunks as a readable file. Each chunk is given once, whatever size is asked for."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks = chunks

    def read(self, size: int = -1) -> bytes:
        return next(self.chunks, b"")
