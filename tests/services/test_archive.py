"""The way through an archive and back, on every database."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from contest.archive.importing import import_archive
from contest.archive.tables import TABLES
from contest.board import queries
from contest.models import Contest, Entry, Round
from contest.outside.event_feed import feed
from contest.records import audit
from contest.work.verification import recount
from tests.archives import archived, members, play
from tests.factories import as_zip, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture
def contest() -> Contest:
    return play()


def test_what_was_imported_beside_the_original_is_the_same_to_the_last_byte(
    contest: Contest, tmp_path: Path
) -> None:
    first = archived(contest)
    assert archived(contest) == first
    path = tmp_path / "played.zip"
    path.write_bytes(first)
    board = [(place.rank, place.total, entry.team.name) for place, entry in _places(contest)]
    # The original stays, under another address: every row number that it has is taken.
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")
    imported = import_archive(path, make_user())
    assert imported.pk != contest.pk
    assert not set(_keys(imported)) & set(_keys(contest))
    assert [(place.rank, place.total, entry.team.name) for place, entry in _places(imported)] == board
    assert [place.rank is None for place, _ in _places(imported)] == [
        entry.is_house for _, entry in _places(imported)
    ]
    assert archived(imported) == first
    assert audit.verify_chain(imported.pk)[1] == ""
    assert recount(imported).differences == []
    assert [event.facts for event in feed(imported, 0).events if event.kind == "announcement"] == [
        {"title": "Over"}
    ]
    entries = set(Entry.objects.filter(round__contest=imported).values_list("pk", flat=True))
    told = [event.facts["entry_id"] for event in feed(imported, 0).events if "entry_id" in event.facts]
    assert told
    assert set(told) <= entries


def test_an_archive_from_before_the_house_could_be_without_a_place_gives_the_same_board(
    tmp_path: Path,
) -> None:
    contest = play(house_takes_places=True)
    board = [(place.rank, place.total, entry.team.name) for place, entry in _places(contest)]
    assert [rank for rank, _, _ in board] == [1, 2, 3, 4]
    files = members(archived(contest))
    path = tmp_path / "old.zip"
    path.write_bytes(_without_the_setting(files))
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")
    imported = import_archive(path, make_user())
    assert imported.rounds.get().house_takes_places
    assert imported.rounds.get().which_counts == "latest"
    old = imported.rounds.get()
    assert (old.attacks_in_total, old.attacks_per_target, old.all_targets) == (None, None, False)
    assert [(place.rank, place.total, entry.team.name) for place, entry in _places(imported)] == board
    found = recount(imported)
    assert found.compared["commitment"] == 3
    assert list(found.sentences())[-1] == "all the same"
    # The committed board names the places: with the default of today it would be another one.
    Round.objects.filter(contest=imported).update(house_takes_places=False)
    assert recount(imported).differences != []


LATER = (
    "house_takes_places", "seeds_known", "seed_named", "feedback_bands", "attacks_in_total",
    "attacks_per_target", "all_targets", "which_counts",
)  # fmt: skip
"""Columns that an archive of the first version lacks."""


def _without_the_setting(files: dict[str, bytes]) -> bytes:
    """The archive as an older version wrote it."""
    name = "rows/round.jsonl"
    row = json.loads(files[name])
    for column in LATER:
        del row[column]
    files[name] = json.dumps(row).encode() + b"\n"
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = {
        "bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()
    }  # fmt: skip
    files["manifest.json"] = json.dumps(manifest).encode()
    return as_zip(files)


def _places(contest: Contest) -> list[Any]:
    return queries.places(contest.rounds.get(), show_attacks=True)


def _keys(contest: Contest) -> list[tuple[str, int]]:
    shared = {"dataset"}
    return [
        (table.name, key)
        for table in TABLES
        if table.name not in shared
        for key in table.rows(contest).values_list("pk", flat=True)
    ]
