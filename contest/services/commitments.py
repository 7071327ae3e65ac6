"""Commit and reveal: a hash is published first, what it hashes later, and anybody can compare the two."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.files import vault
from contest.files.storage import published
from contest.models import AuditEvent, Commitment, Round, Team
from contest.records import audit
from contest.services.committed_facts import (
    SHAPE,
    Facts,
    committed_files,
    facts_of,
    file_facts,
    files_today,
)


def commit(round_: Round, what: Commitment.What, now: datetime.datetime) -> Commitment:
    """Publish the hash of the current state. Call it inside the transaction that creates that state."""
    return _publish(round_, what, facts_of(round_, what), now)


def commit_house_seed(round_: Round, facts: dict[str, Any]) -> Commitment:
    """Store how a house entry is made where only organisers of the site can reach it, and publish its hash.

    Call it inside a transaction. After the results nothing needs to be hidden any more.
    """
    # Two orders at once must not take the same version.
    fresh = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    now = timezone.now()
    made = _publish(round_, Commitment.What.HOUSE, [facts], now)
    if fresh.revealed_at is not None:
        Commitment.objects.filter(pk=made.pk).update(revealed_at=now)
    return made


def commit_files(round_: Round, seat: int | None, files: Mapping[str, str]) -> None:
    """Publish one hash of files that a game has made, of the round or of a seat, before anybody sees them.

    Call it inside the transaction that stores the files. The same files are committed once.
    """
    if not files:
        return
    fresh = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    facts, now = file_facts(round_, seat, files), timezone.now()
    standing = Commitment.objects.filter(round=round_, what=Commitment.What.FILES, withdrawn_at=None)
    if any(json.loads(one.payload)["facts"] == facts for one in standing):
        return
    made = _publish(round_, Commitment.What.FILES, facts, now)
    if fresh.revealed_at is not None:
        Commitment.objects.filter(pk=made.pk).update(revealed_at=now)


def _publish(round_: Round, what: Commitment.What, facts: Facts, now: datetime.datetime) -> Commitment:
    payload = canonical_json(
        {
            "contest": round_.contest.slug,
            "round": round_.slug,
            "what": what.value,
            "salt": secrets.token_hex(16),
            "facts": facts,
        }
    )
    last = Commitment.objects.filter(round=round_, what=what).aggregate(last=Max("version"))["last"] or 0
    commitment = Commitment.objects.create(
        round=round_,
        what=what,
        version=last + 1,
        shape=SHAPE,
        sha256=_sha256(payload),
        payload=payload,
        published_at=now,
    )
    audit.record(
        "commitment.published",
        commitment,
        contest=round_.contest,
        after={"what": what.value, "sha256": commitment.sha256},
    )
    return commitment


def withdraw_commitment(round_: Round, what: Commitment.What, now: datetime.datetime, reason: str) -> None:
    """What was committed will change, openly: the old hash stays readable, marked as withdrawn."""
    for commitment in Commitment.objects.filter(round=round_, what=what, withdrawn_at=None):
        Commitment.objects.filter(pk=commitment.pk).update(withdrawn_at=now)
        audit.record("commitment.withdrawn", commitment, contest=round_.contest, reason=reason)


def reveal_commitments(round_: Round, now: datetime.datetime) -> int:
    """Open what was committed, so that everybody can verify it."""
    closed = Commitment.objects.filter(round=round_, revealed_at=None)
    for commitment in closed:
        audit.record("commitment.revealed", commitment, contest=round_.contest)
    return closed.update(revealed_at=now)


@dataclass(frozen=True)
class Verification:
    """What a check of a commitment found. ``differences`` says in sentences what does not agree."""

    sha256: str
    recomputed: str
    differences: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return self.sha256 == self.recomputed and not self.differences

    def as_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "differences": list(self.differences)}

    @classmethod
    def from_json(cls, kept: Any) -> Verification | None:
        """What `as_json` gave, or nothing where it is something else."""
        match kept:
            case {"sha256": str(sha256), "recomputed": str(recomputed), "differences": list(differences)}:
                return cls(sha256, recomputed, tuple(str(it) for it in differences))
        return None


def verify_commitment(commitment: Commitment) -> Verification:
    """Hash the payload again, and compare it with what the database and the stores hold today."""
    if commitment.revealed_at is None:
        raise Refused("not-revealed", _("What this hash stands for is not revealed yet."))
    recomputed = _sha256(commitment.payload)
    differences = [] if recomputed == commitment.sha256 else ["The payload has another hash than published."]
    # The seed of a house entry is stored nowhere else, so there is nothing to compare it with.
    if commitment.withdrawn_at is None and commitment.what != Commitment.What.HOUSE:
        committed = json.loads(commitment.payload)["facts"]
        what = Commitment.What(commitment.what)
        differences += _differences(committed, _today(commitment, what, committed))
        if what == Commitment.What.ENTRIES:
            differences += _damaged_files(commitment.round, committed)
        if what == Commitment.What.FILES:
            differences += _damaged_game_files(committed)
    return Verification(commitment.sha256, recomputed, tuple(differences))


def _today(commitment: Commitment, what: Commitment.What, committed: Facts) -> Facts:
    if what == Commitment.What.FILES:
        return files_today(commitment.round, committed)
    today: Facts = json.loads(canonical_json(facts_of(commitment.round, what, commitment.shape)))
    return today


def canonical_json(value: Any) -> str:
    """The one way to write a value: sorted keys, no spaces, numbers that read back as the same."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _differences(committed: Facts, today: Facts) -> list[str]:
    gone = [row for row in committed if row not in today]
    new = [row for row in today if row not in committed]
    said = [f"Committed, but not so today: {canonical_json(row)}" for row in gone]
    return said + [f"So today, but not committed: {canonical_json(row)}" for row in new]


def _damaged_files(round_: Round, rows: Facts) -> list[str]:
    said = []
    withheld = _withheld_teams(round_)
    for row in rows:
        public, sealed = committed_files(row)
        may_be_gone = row["team"] in withheld
        broken = [*_broken(published, public, may_be_gone), *_broken(vault, sealed, may_be_gone)]
        entry = f"entry {row['entry']} of {row['team']}"
        said += [f"The {name} file of {entry} is not the one committed." for name in broken]
    return said


def _damaged_game_files(rows: Facts) -> list[str]:
    broken = [row for row in rows if not any(store.is_intact(row["sha256"]) for store in (vault, published))]
    return [f"The file {row['name']} is not the one committed." for row in broken]


class _Store(Protocol):
    def exists(self, sha256: str) -> bool: ...

    def is_intact(self, sha256: str) -> bool: ...


def _broken(store: _Store, files: Mapping[str, str], may_be_gone: bool) -> list[str]:
    """The names of files that are damaged, or missing where they may not be."""
    return [
        name
        for name, sha256 in files.items()
        if not store.is_intact(sha256) and (store.exists(sha256) or not may_be_gone)
    ]


def _withheld_teams(round_: Round) -> set[str]:
    """In a contest that was imported, teams that did not consent are there without their files."""
    imported = AuditEvent.objects.filter(
        contest=None, verb="contest.imported", subject_id=round_.contest_id, subject__startswith="contest "
    )
    if not imported.exists():
        return set()
    silent = Team.objects.filter(contest=round_.contest_id, in_archive=False)
    return set(silent.values_list("name", flat=True))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
