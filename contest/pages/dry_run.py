"""A check of files before they are handed in: the verdict at once, for free, and nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, BinaryIO, cast

from django.core.cache import cache
from django.utils.translation import gettext as _

from contest import access
from contest.errors import Refused
from contest.files import vault
from contest.models import Round, Team
from contest.services.datasets import load_original
from contest.services.other_rounds import with_fitting_round
from datasets.archive import ArchiveError, Limits, Opened, open_upload
from datasets.problems import Verdict
from games.formats.rules import FileRules

CHECKS_A_MINUTE = 20
"""A check is our time, not the team's: this bounds how much of it one team takes."""


def check_upload(
    round_: Round, team: Team, archive: IO[bytes] | None, parts: Mapping[str, IO[bytes]]
) -> Verdict:
    """What the checker would say of a zip, or of files that came one by one."""
    take_turn(team)
    verdict = _checked(round_, archive, parts)
    return named_round(verdict, round_, archive, parts)


def _checked(round_: Round, archive: IO[bytes] | None, parts: Mapping[str, IO[bytes]]) -> Verdict:
    dataset = round_.dataset
    rules = FileRules(**round_.file_rules)
    with ExitStack() as stack:
        files = Opened({name: cast(BinaryIO, file) for name, file in parts.items()})
        if archive is not None:
            try:
                limits = Limits(file_bytes=rules.max_bytes)
                names, aliases = dataset.spec.upload_names, dataset.spec.upload_aliases
                opened = cast(BinaryIO, archive)
                files = open_upload(opened, names, limits, ignore_others=True, aliases=aliases)
            except ArchiveError as error:
                return error.verdict
            for file in files.values():
                stack.callback(file.close)
        verdict = dataset.spec.check_upload(files, load_original(dataset), rules).verdict
        return verdict.explained(files.remarks)


def named_round(
    verdict: Verdict, round_: Round, archive: IO[bytes] | None, parts: Mapping[str, IO[bytes]]
) -> Verdict:
    """The verdict, with the announced round that refused files were made for, where there is one."""

    @contextmanager
    def upload() -> Iterator[BinaryIO]:
        for file in (archive,) if archive is not None else parts.values():
            file.seek(0)
        yield cast(BinaryIO, archive if archive is not None else vault.zip_of(parts))

    return with_fitting_round(verdict, round_, access.announced_rounds(round_.contest), upload)


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
