"""A check of files before they are handed in: the verdict at once, for free, and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import IO, BinaryIO, cast

from django.core.cache import cache
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Round, Team
from contest.services.datasets import load_original
from datasets.archive import ArchiveError, Limits, open_upload
from datasets.problems import Verdict
from datasets.rules import FileRules

CHECKS_A_MINUTE = 20
"""A check is our time, not the team's: this bounds how much of it one team takes."""


def check_upload(
    round_: Round, team: Team, archive: IO[bytes] | None, parts: Mapping[str, IO[bytes]]
) -> Verdict:
    """What the checker would say of a zip, or of files that came one by one."""
    take_turn(team)
    dataset = round_.dataset
    rules = FileRules(**round_.file_rules)
    with ExitStack() as stack:
        files = {name: cast(BinaryIO, file) for name, file in parts.items()}
        if archive is not None:
            try:
                limits = Limits(file_bytes=rules.max_bytes)
                files = dict(open_upload(cast(BinaryIO, archive), dataset.spec.upload_names, limits))
            except ArchiveError as error:
                return error.verdict
            for file in files.values():
                stack.callback(file.close)
        return dataset.spec.check_upload(files, load_original(dataset), rules).verdict


def take_turn(team: Team) -> None:
    """Refuse more checks of a team than it has per minute."""
    key = f"dry-run-{team.pk}"
    cache.add(key, 0, timeout=60)
    try:
        used = cache.incr(key)
    except ValueError:
        used = 1  # The minute ended between the two lines.
    if used > CHECKS_A_MINUTE:
        raise Refused(
            "too-many-checks",
            _("At most %(most)s checks per minute; wait a little.") % {"most": CHECKS_A_MINUTE},
        )
