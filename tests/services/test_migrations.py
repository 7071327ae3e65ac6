"""Migrations on rows that exist already, on every database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from contest.models import Round
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
