"""The way through an archive and back, on every database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contest import queries
from contest.archive.tables import TABLES
from contest.feed import feed
from contest.models import Contest, Entry
from contest.services import audit
from contest.services.archiving import import_archive
from contest.services.recount import recount
from tests.archives import archived, play
from tests.factories import make_user

pytestmark = pytest.mark.django_db


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
    Contest.objects.filter(pk=contest.pk).update(slug="original")
    imported = import_archive(path, make_user())
    assert imported.pk != contest.pk
    assert not set(_keys(imported)) & set(_keys(contest))
    assert [(place.rank, place.total, entry.team.name) for place, entry in _places(imported)] == board
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
