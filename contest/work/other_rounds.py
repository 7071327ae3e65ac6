"""Whether a refused entry was made for another round that its team may see."""

from __future__ import annotations

from contest import access
from contest.files import vault
from contest.models import Entry
from contest.services.other_rounds import with_fitting_round
from datasets.problems import Verdict


def with_round_of(entry: Entry, verdict: Verdict) -> Verdict:
    if verdict.ok or not entry.upload_sha256:
        return verdict
    others = access.announced_rounds(entry.round.contest)
    return with_fitting_round(verdict, entry.round, others, lambda: vault.upload_of(entry))
