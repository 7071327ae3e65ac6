"""House attacks and answers of teams in rounds that are played by a game."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, cast

from contest.files.storage import submitted
from contest.jobs.queue import CHECKING_FILES, JUDGING, READING_UPLOAD, Claim
from contest.models import Attack, AttackRun, Entry, Seat
from contest.play.boxes import MemoryBox
from contest.play.house import own_seat, seek_with
from contest.play.pictures import Illustrated, illustrated_answers
from contest.play.table import Table
from contest.play.uploads import answer_files, upload_box
from contest.services import answers, attacks
from datasets.archive import ArchiveError
from datasets.problems import Problem, Verdict
from datasets.remarks import Remark
from games.checks import check_answer
from games.contract import values
from games.contract.broken import STRANGE, BadAnswer
from games.contract.guard import require_result
from games.contract.values import Box, Question, Result

Shown = tuple[Result, Illustrated]
"""A result with its pictures."""


def seek(claim: Claim) -> None:
    """Let a house attack answer all its challenges about one entry, and judge it."""
    related = (
        "attack",
        "entry__team",
        "entry__round__contest",
        "entry__round__dataset",
        "entry__round__game",
    )
    run = AttackRun.objects.select_related(*related).get(jobs=claim.job)
    if run.state == AttackRun.State.DONE:
        # Another challenge of the same attack was first and answered for all.
        with claim.finish():
            return
    attacks.begin_run(run)
    claim.report(10, run.attack.name)
    start = time.monotonic()
    results = dict(seek_results(Table(run.entry.round), run.attack.name, run.entry))
    if not results:
        attacks.refuse_run(claim, run, attacks.OWN_SEAT())
        return
    siblings = AttackRun.objects.filter(attack=run.attack, entry=run.entry).select_related(*related)
    judged = [(one, *results[one.challenge]) for one in siblings.order_by("pk") if one.challenge in results]
    if not any(one.pk == run.pk for one, *_ in judged):
        raise BadAnswer(STRANGE(), "attack")
    answers.record_results(claim, judged, time.monotonic() - start)


def seek_results(table: Table, name: str, entry: Entry) -> Iterator[tuple[str, Shown]]:
    """What a house attack achieves against an entry, with its pictures, by challenge; nothing is written."""
    spare = table.spare_seat()
    rng = table.public_rng("attack", name, entry.key)
    box = MemoryBox(seek_with(table, spare, [entry], name, rng))
    seat, world, seen = own_seat(table, spare), table.world(secret=False), [table.target(entry)]
    found = check_answer(table.game, world, seat, box, seen, table.lookup(seat))
    if not found.verdict.ok or not found.pairs:
        if spare is not None and table.seat_of(entry) == spare:
            # The entry was made from the house's own data, about which a game need not ask.
            return
        raise BadAnswer(STRANGE(), "attack")
    by = table.seat(spare) or seat
    shown = judge(table, found.pairs, [entry], by, box)
    yield from zip((challenge for _, challenge in found.pairs), shown, strict=True)


def judge(
    table: Table,
    pairs: Sequence[tuple[str, str]],
    entries: Iterable[Entry],
    by: values.Seat | None,
    answer: Box,
) -> list[Shown]:
    """The results of an answer with their pictures, in the order of the cells that it fills."""
    targets = {entry.key: table.target(entry, secret=True, reader="judge") for entry in entries}
    questions = [Question(challenge, by, targets[key], answer) for key, challenge in pairs]
    results = list(table.game.judge_all(table.world(), questions)) if questions else []
    if len(results) != len(questions):
        raise BadAnswer(STRANGE(), "judge_all")
    for question, result in zip(questions, results, strict=True):
        numbers = table.declared.challenge(question.challenge).numbers
        require_result([number.name for number in numbers], result)
    return list(zip(results, illustrated_answers(table, questions, results), strict=True))


def answer(claim: Claim) -> None:
    """Check an answer of a team as a whole, then judge every cell that it fills."""
    related = ("team", "round__contest", "round__dataset", "round__game")
    attack = Attack.objects.select_related(*related).get(jobs=claim.job)
    answers.begin_answer(attack)
    claim.report(10, READING_UPLOAD())
    table = Table(attack.round)
    targets = answerable(attack)
    claim.report(20, CHECKING_FILES())
    checked = checked_answer(table, attack, targets)
    if isinstance(checked, Verdict):
        answers.refuse_answer(claim, attack, checked)
        return
    pairs, box, remarks = checked
    claim.report(50, JUDGING())
    by = {entry.key: entry for entry in targets}
    covered = [by[key] for key in {key for key, _ in pairs}]
    shown = judge(table, pairs, covered, seat_of(table, attack), box)
    cells = [(by[key], challenge, *one) for (key, challenge), one in zip(pairs, shown, strict=True)]
    answers.record_answer(claim, attack, cells, remarks)


def answerable(attack: Attack) -> list[Entry]:
    """The targets of a team's answer."""
    found = attacks.targets_of(attack.round, attack.team)
    for entry in found:
        entry.round = attack.round
    return found


def seat_of(table: Table, attack: Attack, reader: str = "judge") -> values.Seat | None:
    """The seat of an attack's team, as the judge or the team itself sees it."""
    row = Seat.objects.filter(round=attack.round, team=attack.team_id).select_related("team").first()
    return table.seat(row, reader)  # type: ignore[arg-type]


def checked_answer(
    table: Table, attack: Attack, targets: Sequence[Entry]
) -> Verdict | tuple[tuple[tuple[str, str], ...], Box, tuple[Remark, ...]]:
    """What is wrong with an answer, or the cells that it fills with its files and how they were read."""
    keys = [entry.key for entry in targets]
    try:
        with submitted.open(attack.upload_sha256) as file:
            box = upload_box(cast(BinaryIO, file), answer_files(table.declared, keys))
    except ArchiveError as error:
        return error.verdict
    seat = seat_of(table, attack, "team")
    world = table.world(secret=False)
    seen = [table.target(entry) for entry in targets]
    found = check_answer(table.game, world, seat, box, seen, table.lookup(seat))
    verdict = found.verdict.explained(box.remarks)
    if not verdict.ok:
        return verdict
    wrong = _beyond_limits(attack, targets, {key for key, _ in found.pairs})
    return wrong if wrong is not None else (found.pairs, box, verdict.remarks)


def _beyond_limits(attack: Attack, targets: Sequence[Entry], covered: set[str]) -> Verdict | None:
    """What the round's own limits refuse: an answer that leaves targets out, or one too many about one."""
    if not covered or (attack.round.all_targets and len(covered) < len(targets)):
        return Verdict.of(Problem("–", None, None, None, attacks.ALL_TARGETS()))
    most = attack.round.attacks_per_target
    if most is None or attack.team is None:
        return None
    earlier = attacks.attacks_of(attack.round, attack.team).exclude(pk=attack.pk)
    for entry in targets:
        runs = AttackRun.objects.filter(attack__in=earlier, entry=entry)
        if entry.key in covered and runs.values("attack").distinct().count() >= most:
            return Verdict.of(Problem(entry.key, None, None, None, attacks.TARGET_USED(n=most)))
    return None
