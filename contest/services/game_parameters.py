"""Other parameters of a game for a round that nobody has played yet: its data are made again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, cast

from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import published
from contest.jobs.queue import enqueue_once
from contest.models import Attack, AttackRun, Dataset, Entry, Job, Round, Sealed
from contest.models.dataset import files_key
from contest.models.round import BuildState
from contest.models.sealed import SEED
from contest.play.table import Table
from contest.services.game_rounds import require_rule
from contest.services.house import checked_settings


def checked_changes(round_: Round, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes of a round as its game accepts them; refused where entries were judged by what is there."""
    found = dict(changes)
    declared = Table(round_).declared
    if "params" in found:
        found["params"] = checked_settings(declared.parameters, {**round_.params, **found["params"]})
        if found["params"] == round_.params:
            del found["params"]
    if "ranking" in found:
        found["ranking"] = require_rule(declared, found["ranking"])
    if {"params", "ranking"} & set(found) and is_played(round_):
        text = _(
            "There are entries or answers that were judged by these parameters and this rule; they stay. "
            "Upload another version of the game to change how entries are judged."
        )
        raise Refused("entries-exist", text)
    return found


def is_played(round_: Round) -> bool:
    """Whether anybody, also the house, has handed in an entry or an answer."""
    entries = Entry.objects.filter(round=round_).exclude(upload_sha256="")
    return entries.exists() or Attack.objects.filter(round=round_, team__isnull=False).exists()


def build_again(round_: Round) -> None:
    """Throw away what the game made, and let a worker make it from what organisers brought. Call it inside
    the transaction of the change, before anybody has played."""
    brought = Entry.objects.filter(round=round_, upload_sha256="")
    AttackRun.objects.filter(entry__in=brought).delete()
    brought.delete()
    sources = _sources(round_)
    Sealed.objects.filter(round=round_, seat__isnull=False).delete()
    made = Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND).exclude(name=SEED)
    made.exclude(name__in=sources).delete()
    Dataset.objects.filter(pk=round_.dataset_id).update(files={}, files_key=files_key({}), facts=[])
    Round.objects.filter(pk=round_.pk).update(build_state=BuildState.WAITING, build_reason="", build_log="")
    enqueue_once(Job.Kind.BUILD, round_.pk)


def _sources(round_: Round) -> set[str]:
    """The names of what organisers brought, all of it in the vault again."""
    declared = Table(round_).declared.files_of("round", "organiser")

    def is_source(name: str) -> bool:
        return any(file.pattern.fullmatch(name) for file in declared)

    for name, sha256 in round_.dataset.files.items():
        if is_source(name):
            with published.open(sha256) as file:
                stored = vault.keep_secret(cast(BinaryIO, file).read())
            Sealed.objects.update_or_create(
                round=round_,
                scope=Sealed.Scope.ROUND,
                name=name,
                defaults={"sha256": stored.sha256, "bytes": stored.size},
            )
    rows = Sealed.objects.filter(round=round_, scope=Sealed.Scope.ROUND).values_list("name", flat=True)
    return {name for name in rows if is_source(name)}
