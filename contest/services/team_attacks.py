"""What teams bring against the entries of others: guess files, and programs that run in the sandbox."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import IO, BinaryIO

from django.db import connection, transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from attacks.sandbox import ProgramError, read_program
from contest.errors import Refused
from contest.files.storage import Stored, submitted
from contest.jobs import queue
from contest.language.translation import say
from contest.models import Attack, AttackRun, Entry, Job, Phase, Round, Team, User
from contest.play.programs import private_inputs
from contest.play.table import Table
from contest.records import audit
from contest.records.locks import lock_team
from contest.services.attacks import (
    challenges_of,
    enqueue_run,
    queue_runs_of,
    require_attempts_left,
    require_targets_left,
    targets_of,
)
from contest.services.board_versions import bump_board, has_game
from contest.services.teams import require_playing
from datasets.messages import Template
from datasets.remarks import Remark
from games.programs import SEEKER

NO_FILES = Template("program.no-answer", "The program wrote no files that can be read as an answer.")
NOT_ANSWERED = Template("program.not-answered", "The program gave no answer to this challenge.")
MAX_GUESS_BYTES = 16 * 1024 * 1024
MAX_PROGRAM_BYTES = 4 * 1024 * 1024


def submit_guesses(
    round_: Round,
    team: Team,
    user: User,
    guesses: Mapping[int, BinaryIO],
    note: str = "",
    remarks: Iterable[Remark] = (),
) -> Attack:
    """Accept one guess per target. Each is judged on its own; a bad one does not harm the others.

    ``remarks`` say how the files were read when they were checked.
    """
    stored = {target: submitted.put(file, MAX_GUESS_BYTES) for target, file in guesses.items()}
    with transaction.atomic():
        attack = accept(round_, team, user, Attack.Kind.GUESS, note)
        targets = {entry.pk: entry for entry in targets_of(round_, team)}
        unknown = sorted(set(stored) - set(targets))
        if unknown:
            raise Refused(
                "not-a-target",
                _("There is no target %(unknown)s for your team. Targets: %(listed)s.")
                % {"unknown": unknown[0], "listed": _listed(targets)},
            )
        if not stored:
            raise Refused(
                "no-guess", _("The upload holds no guess. Expected one file per target, such as 12.csv.")
            )
        missing = sorted(set(targets) - set(stored))
        if round_.all_targets and missing:
            text = _("Guesses are sent for all targets at once. Missing: %(missing)s.")
            raise Refused("targets-missing", text % {"missing": _shortened(missing)})
        require_targets_left(round_, team, [targets[target] for target in sorted(stored)])
        for target, file in stored.items():
            run = AttackRun.objects.create(
                attack=attack,
                entry=targets[target],
                challenge=challenges_of(attack)[0],
                answer_sha256=file.sha256,
            )
            enqueue_run(run)
        Attack.objects.filter(pk=attack.pk).update(remarks=[remark.as_data() for remark in remarks])
        bump_board(round_.pk, is_seen=False)
    return attack


def submit_program(round_: Round, team: Team, user: User, program: Stored, note: str = "") -> Attack:
    """Accept a re-identifier; it is run once against every target, also those that come later."""
    _require_taken(round_)
    with transaction.atomic():
        attack = accept(round_, team, user, Attack.Kind.PROGRAM, note, program_sha256=program.sha256)
        _add_inputs(attack)
        require_targets_left(round_, team, targets_of(round_, team))
        queue_runs_of(attack)
    return attack


def submit_tried(tried: Attack, user: User) -> Attack:
    """Send a program that went through its dry run against all targets; it counts like any other."""
    assert tried.team is not None
    return submit_program(tried.round, tried.team, user, Stored(tried.program_sha256, 0))


def try_program(round_: Round, team: Team, user: User, program: Stored) -> Attack:
    """A free run against the practice entry, with its log; it counts for nothing."""
    _require_taken(round_)
    practice = practice_entry(round_, team)
    if practice is None:
        raise Refused("no-practice-entry", _("There is no house entry to practise on yet."))
    with transaction.atomic():
        require_playing(lock_team(team.pk))
        mine = Attack.objects.filter(round=round_, team=team, is_dry_run=True)
        if Job.objects.filter(
            attack_run__attack__in=mine, state__in=[Job.State.QUEUED, Job.State.RUNNING]
        ).exists():
            raise Refused("dry-run-under-way", _("Your last dry run is not finished yet."))
        attack = _create(round_, team, user, Attack.Kind.PROGRAM, "", program.sha256, is_dry_run=True)
        _add_inputs(attack)
        for challenge in challenges_of(attack, practice):
            enqueue_run(AttackRun.objects.create(attack=attack, entry=practice, challenge=challenge))
    return attack


def _add_inputs(attack: Attack) -> None:
    """In a round of a game, what the program may read beyond public files is stored with it."""
    if attack.round.game_id is None or attack.team is None:
        return
    stored = submitted.put(io.BytesIO(private_inputs(Table(attack.round), attack.team, "publish")))
    Attack.objects.filter(pk=attack.pk).update(upload_sha256=stored.sha256, upload_bytes=stored.size)
    attack.upload_sha256, attack.upload_bytes = stored.sha256, stored.size


def practice_entry(round_: Round, team: Team) -> Entry | None:
    """What dry runs are made against: the house entry in the middle by utility, of two the more useful one.

    In the most useful one next to nothing is hidden, so that any program seems to work; in the least useful
    one there is nothing left to find.
    """
    ordered = practice_entries(round_)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def practice_entries(round_: Round) -> list[Entry]:
    """The house's valid entries, the most useful one first."""
    house = Entry.objects.filter(round=round_, team__is_house=True, state=Entry.State.VALID, mark="")
    ordered = house.order_by(F("utility").desc(nulls_last=True), "pk")
    return list(ordered.select_related("team"))


def _require_taken(round_: Round) -> None:
    if round_.game_id is not None and not Table(round_).declared.takes("seek"):
        raise Refused("no-programs", _("The game of this round takes answers, not programs."))


def keep_program(file: IO[bytes], entry: str = SEEKER) -> Stored:
    """Store a program; refused at once is what no sandbox could run: without the script that is started, or
    in a broken or hostile archive."""
    try:
        read_program(file.read(MAX_PROGRAM_BYTES + 1), entry)
    except ProgramError as error:
        raise Refused("bad-program", say(error.message)) from None
    file.seek(0)
    return submitted.put(file, MAX_PROGRAM_BYTES)


def store_guess(claim: queue.Claim, run: AttackRun, guess: bytes, log: str, seconds: float) -> None:
    """A program has answered: store its guess and queue it for the judge."""
    stored = submitted.put(io.BytesIO(guess), MAX_GUESS_BYTES)
    with claim.finish():
        AttackRun.objects.filter(pk=run.pk).update(answer_sha256=stored.sha256, log=log, seconds=seconds)
        run.answer_sha256 = stored.sha256
        enqueue_run(run)


def earlier_answer(run: AttackRun) -> AttackRun | None:
    """The same program on the same files has answered before: its answer holds."""
    same = AttackRun.objects.filter(
        attack__program_sha256=run.attack.program_sha256,
        attack__upload_sha256=run.attack.upload_sha256,
        attack__team=run.attack.team,
    )
    # In a round of a game one run of a program answers all challenges about its target.
    is_game = has_game(run.entry.round_id)
    same = same.filter(entry=run.entry_id) if is_game else same.filter(challenge=run.challenge)
    answered = same.exclude(pk=run.pk).exclude(answer_sha256="").order_by("pk")
    answered = answered.only("answer_sha256", "log", "seconds")
    if connection.vendor == "postgresql":
        return answered.filter(entry__published=run.entry.published).first()
    # Compared here: SQLite would compare the maps as texts.
    seen = answered.values_list("pk", "entry__published")
    found = next((pk for pk, files in seen if files == run.entry.published), None)
    return None if found is None else answered.get(pk=found)


def accept(
    round_: Round, team: Team, user: User, kind: Attack.Kind, note: str, program_sha256: str = ""
) -> Attack:
    """A new attack of a team, if the phase is open and it has an attempt left."""
    require_playing(lock_team(team.pk))
    require_may_attack(round_, team)
    return _create(round_, team, user, kind, note, program_sha256)


def require_may_attack(round_: Round, team: Team) -> None:
    """Refuse an attack outside the phase for it, or of a team without an attempt left."""
    now = timezone.now()
    if not Phase.objects.filter(
        round=round_, kind=Phase.Kind.ATTACK, starts_at__lte=now, ends_at__gt=now, closed_at=None
    ).exists():
        raise Refused("phase-closed", _("Attacks are accepted only while the attack phase is open."))
    require_attempts_left(round_, team, now)


def _create(
    round_: Round,
    team: Team,
    user: User,
    kind: Attack.Kind,
    note: str,
    program_sha256: str = "",
    is_dry_run: bool = False,
) -> Attack:
    last = (
        Attack.objects.filter(round=round_, team=team, kind=kind).aggregate(last=Max("version"))["last"] or 0
    )
    attack = Attack.objects.create(
        round=round_,
        team=team,
        kind=kind,
        name=kind,
        version=last + 1,
        submitted_by=user,
        program_sha256=program_sha256,
        note=note,
        is_dry_run=is_dry_run,
    )
    audit.record(
        "attack.submitted",
        attack,
        contest=round_.contest,
        actor=user,
        after={"team": team.name, "kind": kind, "version": attack.version, "program": program_sha256},
    )
    return attack


def _listed(targets: Mapping[int, Entry]) -> str:
    return _shortened(sorted(targets)) if targets else "none"


def _shortened(keys: list[int]) -> str:
    return ", ".join(map(str, keys[:20])) + (" …" if len(keys) > 20 else "")
