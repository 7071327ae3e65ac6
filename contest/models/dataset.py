from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import models

from games.formats import Format, find_format


class Dataset(models.Model):
    """The original of a round: its public files in the entries store, by name, and facts about them.

    A fact is the code of a label and a value: a number, a text, or both ends of a span. ``files_key`` is one
    hash of all files; it is derived from them.
    """

    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    format = models.CharField(max_length=20)
    files = models.JSONField(default=dict, db_default={}, help_text="Name → sha256; all of them are public.")
    files_key = models.CharField(max_length=64, db_default="")
    facts = models.JSONField(default=list, db_default=[], blank=True)
    n_people = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How many people an attacker chooses from."
    )
    source = models.JSONField(
        default=dict,
        blank=True,
        help_text="How it was made, as its bundle says, and its files.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "format", "files_key"], name="dataset_files_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def spec(self) -> Format:
        return find_format(self.format)

    @property
    def fact(self) -> dict[str, Any]:
        """The facts by the codes of their labels."""
        return dict(self.facts)


def files_key(files: Mapping[str, str]) -> str:
    """One hash of the names and hashes of some files, in whatever order a database keeps them."""
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()
