"""Checking and scoring entries."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from contest.files import vault
from contest.jobs.queue import CHECKING_FILES, READING_UPLOAD, STORING, Claim
from contest.models import Entry
from contest.models.sealed import TRUTH
from contest.services import entries, limit_changes
from contest.services.datasets import load_original, load_released, store_files
from contest.services.stored_uploads import check_stored
from contest.work import game_entries
from contest.work.other_rounds import with_round_of
from datasets.messages import Message
from datasets.tables import Integers
from games.formats.limits import judged
from games.formats.measures import measure
from games.formats.portrait import portrait
from games.formats.rules import FileRules, measure_options
from scoring.measure import Measure, Measurement
from scoring.rules import Limit
from scoring.run import measure_pair

Pair = tuple[Any, Any, Integers | None]


def _entry(claim: Claim) -> Entry:
    return Entry.objects.select_related("round__contest", "round__dataset", "round__game", "team").get(
        jobs=claim.job
    )


def check(claim: Claim) -> None:
    entry = _entry(claim)
    entries.begin_check(entry)
    if entry.round.game_id is not None:
        game_entries.check(claim, entry)
        return
    spec = entry.round.dataset.spec
    claim.report(10, READING_UPLOAD())
    original = load_original(entry.round.dataset)
    claim.report(30, CHECKING_FILES())
    checked = check_stored(entry, original)
    neutral, verdict = checked.neutral, with_round_of(entry, checked.verdict)
    if neutral is None:
        entries.refuse_files(claim, entry, verdict)
        return
    claim.report(70, STORING())
    with tempfile.TemporaryDirectory() as folder:
        spec.write_released(Path(folder), neutral.released)
        stored = store_files(Path(folder), spec.public_files)
    truth = vault.keep_truth(neutral.truth)
    entries.accept_files(
        claim,
        entry,
        published=stored,
        sealed={TRUTH: truth},
        n_people=neutral.n_released,
        remarks=verdict.remarks,
    )


def score(claim: Claim) -> None:
    entry = _entry(claim)
    if entry.round.game_id is not None:
        game_entries.score(claim, entry)
        return
    limits = [Limit(**limit) for limit in entry.round.limits]
    pair = _pair(entry)
    measurements = _measured(entry, pair, [limit.measure for limit in limits], claim.report)
    verdict = judged(measurements, limits)
    scored = entries.Scored(
        scores=entries.scores_of(entry, measurements),
        measures={name: result.value for name, result in measurements.items()},
        utility=verdict.score,
        because=[reason.as_data() for reason in verdict.because],
    )
    entries.record_scores(claim, entry, scored, portrait(*pair))


def measure_for_limits(claim: Claim) -> None:
    entry = _entry(claim)
    measurements = _measured(entry, _pair(entry), claim.job.payload["measures"], claim.report)
    limit_changes.record_measures(claim, entry, measurements)


def measure_again(entry: Entry, names: Sequence[str]) -> Mapping[str, Measurement]:
    """Measure an entry as a worker does; nothing is written."""
    return _measured(entry, _pair(entry), names, lambda progress, step: None)


def _pair(entry: Entry) -> Pair:
    """Original, release and truth as the measures of the format take them."""
    dataset = entry.round.dataset
    return dataset.spec.measured(load_original(dataset), load_released(entry), vault.truth_of(entry))


def _measured(
    entry: Entry, pair: Pair, names: Sequence[str], show: Callable[[int, Message | str], None]
) -> Mapping[str, Measurement]:

    def report(done: int, total: int, current: Measure | None) -> None:
        show(100 * done // max(1, total), current.title if current else "")

    return measure_pair(
        *pair,
        [measure(name) for name in names],
        on_progress=report,
        options=measure_options(FileRules(**entry.round.file_rules)),
    )
