"""Files that were made for another round of the same contest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import BinaryIO

from contest.models import Round
from contest.services.datasets import load_original
from datasets.archive import ArchiveError, Limits, open_upload
from datasets.messages import Template
from datasets.problems import Verdict
from datasets.remarks import Remark
from games.formats.rules import FileRules

OTHER_ROUND = Template("other-round", "These files fit the round “%(round)s”, not this one.")
GO_THERE = Template("advice.other-round", "Upload them there, or make files from the data of this round.")
MOST_ROUNDS = 5
"""How many other rounds are tried: each is a whole check."""

Upload = Callable[[], AbstractContextManager[BinaryIO]]
"""Opens the upload as one archive, at its start."""


def with_fitting_round(verdict: Verdict, round_: Round, others: Iterable[Round], upload: Upload) -> Verdict:
    """A verdict that names the round that refused files were made for: then nothing else needs a cause.

    ``others`` are rounds whose data the team may read: that files fit one of them tells it nothing new.
    """
    if verdict.ok:
        return verdict
    for other in _candidates(round_, others):
        if _fits(other, upload):
            remark = Remark("upload", OTHER_ROUND(round=other.name), GO_THERE())
            return replace(verdict, remarks=(remark, *(it for it in verdict.remarks if it.accepted)))
    return verdict


def _candidates(round_: Round, others: Iterable[Round]) -> list[Round]:
    """Rounds with other data, each data set once. Games check files by their own code and are not asked."""
    with_data = (other for other in others if other.game_id is None)
    found = {other.dataset_id: other for other in with_data if other.dataset_id != round_.dataset_id}
    return list(found.values())[:MOST_ROUNDS]


def _fits(other: Round, upload: Upload) -> bool:
    try:
        with upload() as file:
            return _fits_format(other, file)
    except ArchiveError:
        return False


def _fits_format(other: Round, file: BinaryIO) -> bool:
    spec, rules = other.dataset.spec, FileRules(**other.file_rules)
    limits = Limits(file_bytes=rules.max_bytes)
    files = open_upload(file, spec.upload_names, limits, ignore_others=True, aliases=spec.upload_aliases)
    try:
        return spec.check_upload(files, load_original(other.dataset), rules).verdict.ok
    finally:
        for part in files.values():
            part.close()
