"""Migrations on rows that exist already, on every database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from contest.models import Round
from contest.services.house import request_house_entry
from tests.factories import make_round

pytestmark = pytest.mark.django_db(transaction=True)


def migrate(name: str) -> None:
    MigrationExecutor(connection).migrate([("contest", name)])


@pytest.fixture
def newest() -> Iterator[str]:
    """Whatever a test leaves behind, the tests after it find the schema of today."""
    ((_app, name),) = MigrationExecutor(connection).loader.graph.leaf_nodes("contest")
    yield name
    migrate(name)


def test_rounds_keep_the_places_that_they_published_and_new_ones_give_the_house_none(newest: str) -> None:
    old = make_round(house_takes_places=False)
    migrate("0012_hidden_rounds")
    migrate(newest)
    assert Round.objects.get(pk=old.pk).house_takes_places
    new = make_round()
    assert not Round.objects.get(pk=new.pk).house_takes_places


def test_rounds_whose_house_entries_have_the_presets_old_seed_say_that_it_is_known(newest: str) -> None:
    known, secret = make_round(slug="known"), make_round(slug="secret")
    request_house_entry(known, None, "swap", {}, 1)
    request_house_entry(secret, None, "swap", {}, 1 << 40)
    migrate("0013_house_takes_places")
    migrate(newest)
    assert Round.objects.get(pk=known.pk).seeds_known
    assert not Round.objects.get(pk=secret.pk).seeds_known


def test_rounds_keep_what_they_told_and_how_often_they_could_be_asked(newest: str) -> None:
    old = make_round(feedback="full")
    migrate("0014_secret_seeds")
    migrate(newest)
    found = Round.objects.get(pk=old.pk)
    assert (found.feedback, found.attacks_in_total, found.attacks_per_target) == ("full", None, None)
    assert (found.feedback_bands, found.all_targets) == (4, False)
