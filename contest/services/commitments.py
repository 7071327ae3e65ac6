"""Commit and reveal: a hash is published first, what it hashes later, and anybody can compare the two."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.board import queries
from contest.errors import Refused
from contest.files import vault
from contest.files.storage import published
from contest.models import AuditEvent, Commitment, Entry, Round, Team
from contest.records import audit


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


def _publish(
    round_: Round, what: Commitment.What, facts: list[dict[str, Any]], now: datetime.datetime
) -> Commitment:
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
        today = json.loads(canonical_json(facts_of(commitment.round, what)))
        differences += _differences(committed, today)
        if what == Commitment.What.ENTRIES:
            differences += _damaged_files(commitment.round, committed)
    return Verification(commitment.sha256, recomputed, tuple(differences))


def facts_of(round_: Round, what: Commitment.What) -> list[dict[str, Any]]:
    """What a commitment of this kind is about, as it is now, in an order that depends on nothing else.

    Entries are named by team and number, not by primary key: that is the same in every installation.
    """
    if what == Commitment.What.SEED:
        return [{"seed": round_.seed}]
    if what == Commitment.What.ENTRIES:
        frozen = Entry.objects.filter(round=round_, frozen_at__isnull=False).select_related("team")
        return [
            {
                "team": entry.team.name,
                "entry": entry.number,
                "master": entry.master_sha256,
                "transactions": entry.transactions_sha256,
                "truth": entry.truth_sha256,
            }
            for entry in frozen.order_by("pk")
        ]
    return [
        {
            "rank": place.rank,
            "team": entry.team.name,
            "entry": entry.number,
            "total": place.total,
            "utility": entry.utility,
            "hits": entry.most_hits,
        }
        for place, entry in queries.places(round_, show_attacks=True)
    ]


def canonical_json(value: Any) -> str:
    """The one way to write a value: sorted keys, no spaces, numbers that read back as the same."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _differences(committed: list[dict[str, Any]], today: list[dict[str, Any]]) -> list[str]:
    gone = [row for row in committed if row not in today]
    new = [row for row in today if row not in committed]
    said = [f"Committed, but not so today: {canonical_json(row)}" for row in gone]
    return said + [f"So today, but not committed: {canonical_json(row)}" for row in new]


def _damaged_files(round_: Round, rows: list[dict[str, Any]]) -> list[str]:
    said = []
    withheld = _withheld_teams(round_)
    for row in rows:
        entry = f"entry {row['entry']} of {row['team']}"
        for name, store in (("master", published), ("transactions", published), ("truth", vault)):
            # A format without a master table has no hash of one.
            gone = not row[name] or (row["team"] in withheld and not store.exists(row[name]))
            if row[name] and not gone and not store.is_intact(row[name]):
                said.append(f"The {name} file of {entry} is not the one committed.")
    return said


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
