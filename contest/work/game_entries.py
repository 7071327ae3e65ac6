"""Checking and scoring entries of games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contest.files import vault
from contest.files.storage import Stored, published
from contest.jobs.queue import CHECKING_FILES, DRAWING, READING_TABLES, READING_UPLOAD, STORING, Claim
from contest.models import Entry, Score
from contest.play.boxes import MemoryBox
from contest.play.pictures import illustrated_entry
from contest.play.table import Table
from contest.services import entries, hiders
from contest.services.stored_uploads import read_upload
from contest.work.other_rounds import with_round_of
from datasets.archive import ArchiveError
from datasets.messages import Message, message_from
from datasets.problems import Problem
from games.checks import check_entry
from games.contract.boxes import MemoryOut
from games.contract.declaration import is_shown
from games.contract.guard import require_made, require_numbers
from games.contract.values import Figures, FileVerdict, Target, Verdict
from games.programs import HIDER


def check(claim: Claim, entry: Entry) -> None:
    """The declared checks, then the game's own; a legal entry is published and its secrets sealed."""
    table = Table(entry.round)
    claim.report(10, READING_UPLOAD())
    if entry.program_sha256:
        if not entry.made_sha256:
            problem = Problem(f"{HIDER}.py", None, None, None, _reason(entry))
            entries.refuse_files(claim, entry, FileVerdict.of(problem))
            return
        hiders.take_made(entry)
    try:
        upload = read_upload(table, entry)
    except ArchiveError as error:
        entries.refuse_files(claim, entry, with_round_of(entry, error.verdict))
        return
    claim.report(30, CHECKING_FILES())
    target = table.target(entry, upload=upload, reader="judge")
    own = table.seat(table.seat_of(entry), "team")
    verdict = check_entry(table.game, table.world(), target, table.lookup(own)).explained(upload.remarks)
    if not verdict.ok:
        entries.refuse_files(claim, entry, with_round_of(entry, verdict))
        return
    claim.report(70, STORING())
    seen, secret = publish(table, target)
    entries.accept_files(claim, entry, published=seen, sealed=secret, remarks=verdict.remarks)


def _reason(entry: Entry) -> Message:
    """Why a hider made nothing."""
    said = entry.program_reason
    return message_from(said) or entries.NOT_MADE() if isinstance(said, Mapping) else entries.NOT_MADE()


def publish(table: Table, target: Target) -> tuple[dict[str, str], dict[str, Stored]]:
    """What attackers see of a target, by hash, and what is sealed."""
    made = table.declared.files_of("entry", "publish", "upload")
    out = MemoryOut(made)
    table.game.publish(table.world(), target, table.rng("publish", target.key), out)
    require_made(table.declared.files_of("entry", "publish"), out.files)
    seen, secret = {}, {}
    for name, content in out.files.items():
        file = table.declared.file(name, "entry")
        assert file is not None, name
        with MemoryBox({name: content}).open(name) as stream:
            if is_shown(file.shown, "all", "publish"):
                seen[name] = published.put(stream).sha256
            else:
                secret[name] = vault.keep_secret(content)
    return seen, secret


def score(claim: Claim, entry: Entry) -> None:
    table = Table(entry.round)
    claim.report(10, READING_TABLES())
    target = judged_target(table, entry)
    figures, verdict = measured(table, target)
    scored = entries.Scored(
        scores=list(scores_of(table, entry, figures)),
        measures=figures,
        utility=verdict.utility,
        because=[entries.BROKEN_LIMIT(name=name).as_data() for name in verdict.because],
        parts=verdict.parts,
    )
    claim.report(80, DRAWING())
    entries.record_scores(claim, entry, scored, pictures=illustrated_entry(table, target))


def judged_target(table: Table, entry: Entry) -> Target:
    """An entry with all that its judge sees."""
    return table.target(entry, upload=read_upload(table, entry), secret=True, reader="judge")


def measured(table: Table, target: Target) -> tuple[dict[str, float | None], Verdict]:
    """All measures of an entry, and the game's verdict on them; nothing is written."""
    names = [number.name for number in table.declared.measures]
    figures: Figures = table.game.measure(table.world(), target, names) if names else {}
    require_numbers(names, figures)
    verdict = table.game.verdict(table.rule, figures, table.params)
    return _plain(figures), verdict._replace(utility=_one(verdict.utility), parts=_plain(verdict.parts))


def _plain(figures: Figures) -> dict[str, float | None]:
    """Numbers as JSON has them."""
    return {name: _one(value) for name, value in figures.items()}


def _one(value: float | None) -> float | None:
    return None if value is None else float(value)


def scores_of(table: Table, entry: Entry, figures: Mapping[str, float | None]) -> Iterator[Score]:
    for number in table.declared.measures:
        value = figures.get(number.name)
        if value is not None:
            yield Score(
                entry=entry,
                measure=number.name[:40],
                version=number.version,
                game=table.package.identity,
                value=value,
                detail={},
            )
