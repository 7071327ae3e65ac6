"""Attacks on entries: which are due, and what a verdict changes."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from attacks.attack import HouseAttack
from contest.board.ranking import Found, find_ranking
from contest.errors import Refused
from contest.jobs import queue
from contest.models import Attack, AttackRun, Entry, Job, Round, Team, User
from contest.play.table import Table
from contest.records import audit
from contest.services.board_versions import bump_board
from datasets.messages import Message, Template
from games.contract.declaration import Method
from games.formats.attacks import attack as find_attack
from games.formats.guessing import Outcome, find_game

UNREADABLE_GUESS = Template("unreadable-guess", "The guess cannot be read. %(problem)s")
ALL_TARGETS = Template("answer.all-targets", "an answer to all targets at once")
TARGET_USED = Template("answer.target-used", "at most %(n)s answers about one target")
OWN_SEAT = Template("attack.own-seat", "The house attacks from the seat that this entry was made from.")
STOPPED = Template("job.stopped", "Stopped by an organiser.")


def add_house_attack(round_: Round, name: str, user: User | None = None) -> Attack:
    """Let a house attack take part in a round; entries that are valid already are attacked too."""
    described = _house_attack(round_, name)
    with transaction.atomic():
        attack, created = Attack.objects.get_or_create(
            round=round_, kind=Attack.Kind.HOUSE, name=described.name, version=described.version
        )
        if created:
            audit.record("attack.added", attack, contest=round_.contest, actor=user, after={"name": name})
            queue_runs_of(attack)
    return attack


def _house_attack(round_: Round, name: str) -> HouseAttack | Method:
    if round_.game_id is not None:
        declared = Table(round_).declared
        found = next((one for one in declared.attacks if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in declared.attacks) or "–"
            text = _("The game %(game)s has no attack %(name)r. Expected one of %(known)s.")
            raise Refused("no-such-attack", text % {"game": declared.name, "name": name, "known": known})
        return found
    described = find_attack(name)
    if described not in find_game(round_.dataset.format).attacks:
        raise Refused(
            "attack-of-another-format",
            _("The attack %(name)s is not made for the format of this round's data, %(format)s.")
            % {"name": name, "format": round_.dataset.format},
        )
    return described


def targets_of(round_: Round, attacker: Team | None) -> list[Entry]:
    """What may be attacked: the official entries of all other teams."""
    entries = Entry.objects.filter(round=round_, is_official=True).select_related("team").order_by("pk")
    return list(entries.exclude(team=attacker) if attacker else entries)


def queue_runs_of(attack: Attack) -> int:
    """Fill the missing cells of an attack's row, and mark the board as changed."""
    queued = _fill_row(attack)
    bump_board(attack.round_id, is_seen=False)
    return queued


def _fill_row(attack: Attack) -> int:
    """The house attacks every valid entry, others their targets."""
    if attack.kind == Attack.Kind.HOUSE:
        entries = list(Entry.objects.filter(round=attack.round, state=Entry.State.VALID))
    else:
        entries = targets_of(attack.round, attack.team)
    return sum(_queue_runs(attack, entry) for entry in entries)


def queue_attacks_on(entry: Entry) -> int:
    """Fill the missing cells of an entry's column. Call it inside a transaction."""
    active = Attack.objects.filter(round=entry.round, is_active=True, is_dry_run=False)
    due = list(active.filter(kind=Attack.Kind.HOUSE).order_by("pk"))
    if entry.is_official:
        # Of a team's programs the newest plays; its guess files were made for the targets of their day.
        programs = active.filter(kind=Attack.Kind.PROGRAM).exclude(team=entry.team_id)
        due += {attack.team_id: attack for attack in programs.order_by("version")}.values()
    queued = sum(_queue_runs(attack, entry) for attack in due)
    if not queued:
        settle_entry(entry.pk)
    return queued


def _queue_runs(attack: Attack, entry: Entry) -> int:
    return sum(_queue_run(attack, entry, challenge) for challenge in challenges_of(attack, entry))


def _queue_run(attack: Attack, entry: Entry, challenge: str) -> int:
    run, created = AttackRun.objects.get_or_create(attack=attack, entry=entry, challenge=challenge)
    if created:
        enqueue_run(run)
    return int(created)


def challenges_of(attack: Attack, entry: Entry | None = None) -> tuple[str, ...]:
    """The questions of the round's game that an attack answers, about an entry those of its slot."""
    if attack.round.game_id is None:
        return (find_game(attack.round.dataset.format).challenge,)
    declared = Table(attack.round).declared
    method = next((one for one in declared.attacks if one.name == attack.name), None)
    answered = method.challenges if attack.kind == Attack.Kind.HOUSE and method else ()
    return tuple(
        challenge.name
        for challenge in declared.challenges
        if (not answered or challenge.name in answered) and (entry is None or challenge.slot == entry.slot)
    )


def enqueue_run(run: AttackRun) -> None:
    """Give a run its job: a house algorithm, a program in the sandbox, or the judge for a guess file."""
    attack = run.attack
    if run.answer_sha256:
        kind = Job.Kind.JUDGE
    elif attack.kind == Attack.Kind.PROGRAM:
        kind = Job.Kind.PROGRAM
    elif attack.round.game_id is not None:
        kind = Job.Kind.SEEK
    else:
        kind = Job.Kind.ATTACK
    owner = attack.team_id if attack.team_id is not None else run.entry.team_id
    queue.enqueue_job(kind, attack_run=run, owner_id=owner)


def begin_run(run: AttackRun) -> None:
    waiting = (AttackRun.State.QUEUED, AttackRun.State.RUNNING)
    AttackRun.objects.filter(pk=run.pk, state__in=waiting).update(state=AttackRun.State.RUNNING)


def record_judgement(claim: queue.Claim, run: AttackRun, outcome: Outcome, *, seconds: float | None) -> None:
    """Write the verdict once, and the entry's safety when its last attack is done."""
    judgement = outcome.judgement
    with claim.finish():
        changes = {"seconds": seconds} if seconds is not None else {}
        AttackRun.objects.filter(pk=run.pk).exclude(state=AttackRun.State.DONE).update(
            state=AttackRun.State.DONE,
            risk=judgement.rate,
            numbers=outcome.numbers,
            low=judgement.low,
            high=judgement.high,
            baseline=judgement.baseline,
            found_rows=outcome.found.tolist(),
            finished_at=timezone.now(),
            **changes,
        )
        after = {"hits": judgement.hits, "risk": judgement.rate}
        audit.record("attack_run.done", run, contest=run.entry.round.contest, after=after)
        settle_entry(run.entry_id)


def refuse_run(
    claim: queue.Claim, run: AttackRun, reason: Message | str, log: str = "", seconds: float | None = None
) -> None:
    """The guess or the program cannot count, through the team's fault; the sentence says why."""
    with claim.finish(reason):
        AttackRun.objects.filter(pk=run.pk).update(
            state=AttackRun.State.REFUSED,
            reason=reason,
            log=log,
            seconds=seconds,
            finished_at=timezone.now(),
        )
        audit.record("attack_run.refused", run, contest=run.entry.round.contest, reason=str(reason)[:300])
        settle_entry(run.entry_id)


def fail_run(claim: queue.Claim, run: AttackRun, reason: Message | str) -> None:
    """We cannot run it (no sandbox, say): our fault, to be run again when the organisers have fixed it."""
    with claim.finish(reason):
        AttackRun.objects.filter(pk=run.pk).update(
            state=AttackRun.State.FAILED, reason=reason, finished_at=timezone.now()
        )
        audit.record("attack_run.failed", run, contest=run.entry.round.contest, reason=str(reason)[:300])
        settle_entry(run.entry_id)


def settle_entry(entry_id: int) -> None:
    """Rewrite an entry's risk, and mark its board as changed."""
    bump_board(_settle(entry_id), is_seen=False)


def settle_entries(round_id: int, entry_ids: Iterable[int]) -> None:
    """Settle several entries of a round. Its row comes last, as for one, so that two of these cannot lock
    each other out.
    """
    for entry_id in sorted(set(entry_ids)):
        _settle(entry_id)
    bump_board(round_id, is_seen=False)


def _settle(entry_id: int) -> int:
    """An entry's risk is the best attack against it; it is known when no house attack is under way.

    What teams bring counts as soon as it is judged: a slow program of one team must not hide another's place.
    Returns the entry's round.
    """
    # Not the key: runs that others add to this entry meanwhile need not wait, so there is no deadlock.
    locked = Entry.objects.select_for_update(no_key=True)
    entry = locked.only("round_id", "n_people", *RISK_FIELDS).get(pk=entry_id)
    runs = AttackRun.objects.filter(entry=entry, attack__is_dry_run=False)
    due = runs.filter(attack__kind=Attack.Kind.HOUSE, attack__is_active=True)
    under_way = due.exclude(state__in=AttackRun.FINAL).exists()
    best = None if under_way else strongest_run(entry)
    entry.risk = best.risk if best else None
    entry.numbers = best.numbers if best else {}
    entry.strongest_attack = best.attack.label[:60] if best else ""
    entry.save(update_fields=RISK_FIELDS)
    return entry.round_id


RISK_FIELDS = ("risk", "numbers", "strongest_attack")
"""What an entry knows of the strongest attack on it."""


def strongest_run(entry: Entry) -> AttackRun | None:
    """The judged attack that counts, as the round's ranking rule says; of equals the first by name."""
    runs = AttackRun.objects.filter(entry=entry, attack__is_dry_run=False, state=AttackRun.State.DONE)
    found = runs.select_related("attack__team").defer("found_rows", "evidence_sha256", "log")
    ordered = found.order_by("attack__name", "pk")
    if entry.round.game_id is not None:
        return max(ordered, key=lambda run: -1.0 if run.risk is None else run.risk, default=None)
    strength = find_ranking(entry.round.ranking).strength
    return max(ordered, key=lambda run: strength(_found_by(run, entry)), default=None)


def _found_by(run: AttackRun, entry: Entry) -> Found:
    # What was judged before claims were counted claims everybody.
    guesses = (entry.n_people or 0) if run.guesses is None else run.guesses
    return Found(hits=run.hits or 0, guesses=guesses, rate=run.risk or 0.0)


def rerun(runs: list[AttackRun], user: User, reason: str) -> int:
    """Run cells again: the audit log keeps the old verdict, and the new one replaces it."""
    again = 0
    touched: dict[int, set[int]] = {}
    with transaction.atomic():
        locked = AttackRun.objects.select_for_update(no_key=True, of=("self",))
        chosen = locked.filter(pk__in=[run.pk for run in runs], state__in=AttackRun.FINAL)
        for run in chosen.select_related("attack", "entry__round__contest").order_by("pk"):
            audit.record(
                "attack_run.rerun",
                run,
                contest=run.entry.round.contest,
                actor=user,
                before={"state": run.state, "hits": run.hits},
                reason=reason,
            )
            run.state, run.risk, run.numbers, run.finished_at = AttackRun.State.QUEUED, None, {}, None
            if run.attack.kind != Attack.Kind.GUESS:
                run.answer_sha256 = ""
            run.save()
            enqueue_run(run)
            touched.setdefault(run.entry.round_id, set()).add(run.entry_id)
            again += 1
        for round_id, entry_ids in sorted(touched.items()):
            settle_entries(round_id, entry_ids)
    return again


def set_attack_active(attack: Attack, user: User, active: bool) -> None:
    """Stop an attack, whose waiting cells then stay empty, or let it continue where it stopped."""
    with transaction.atomic():
        touched = _switch(attack, user, active)
        if touched is not None:
            settle_entries(attack.round_id, touched)


def stop_attacks_of(team: Team, user: User) -> dict[int, set[int]]:
    """Stop all attacks of a team; returns, by round, the entries that the caller has to settle then."""
    touched: dict[int, set[int]] = {}
    active = Attack.objects.filter(team=team, is_active=True).select_related("round__contest")
    for attack in active.order_by("pk"):
        touched.setdefault(attack.round_id, set()).update(_switch(attack, user, False) or ())
    return touched


def _switch(attack: Attack, user: User, active: bool) -> set[int] | None:
    """Stop or resume an attack; returns the entries whose risk may differ now, None if it was so before."""
    if not Attack.objects.filter(pk=attack.pk).exclude(is_active=active).update(is_active=active):
        return None
    attack.is_active = active
    verb = "attack.resumed" if active else "attack.stopped"
    audit.record(verb, attack, contest=attack.round.contest, actor=user)
    waiting = AttackRun.objects.filter(attack=attack, state=AttackRun.State.QUEUED)
    if active:
        _enqueue_again(waiting)
        _fill_row(attack)
    else:
        Job.objects.filter(attack_run__in=waiting, state=Job.State.QUEUED).update(
            state=Job.State.FAILED, reason=STOPPED(), finished_at=timezone.now()
        )
    return set(waiting.values_list("entry", flat=True))


def _enqueue_again(waiting: QuerySet[AttackRun]) -> None:
    """Give waiting runs jobs again, but for those that have one: a worker was about to begin."""
    locked = waiting.select_for_update(no_key=True, of=("self",)).select_related("attack", "entry")
    held = {run.pk: run for run in locked.order_by("pk")}
    unfinished = Job.objects.filter(attack_run__in=held, state__in=[Job.State.QUEUED, Job.State.RUNNING])
    for key in sorted(held.keys() - set(unfinished.values_list("attack_run", flat=True))):
        enqueue_run(held[key])


def require_attempts_left(round_: Round, team: Team, now: datetime.datetime) -> None:
    """Attacks of a day, counted like entries: from midnight in the contest's zone."""
    midnight = now.astimezone(round_.contest.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    mine = attacks_of(round_, team).filter(costs_attempt=True)
    if round_.attacks_in_total is not None and mine.count() >= round_.attacks_in_total:
        text = _("All %(n)s attacks that a team has in this round are used.")
        raise Refused("attacks-used", text % {"n": round_.attacks_in_total})
    if mine.filter(created_at__gte=midnight).count() >= round_.attacks_per_day:
        raise Refused(
            "attacks-used-today",
            _("Today's %(attacks_per_day)s attacks are used; more at midnight, %(zone)s.")
            % {"attacks_per_day": round_.attacks_per_day, "zone": round_.contest.zone},
        )


def attacks_of(round_: Round, team: Team) -> QuerySet[Attack]:
    """What a team has asked in a round. A merged team has asked what its parts had asked."""
    same = Q(team=team) | Q(team__merged_into=team)
    return Attack.objects.filter(same, round=round_, is_dry_run=False)


def require_targets_left(round_: Round, team: Team, targets: Iterable[Entry]) -> None:
    """Attacks on one entry, where the round has a limit on them."""
    if round_.attacks_per_target is None:
        return
    runs = AttackRun.objects.filter(attack__in=attacks_of(round_, team)).values_list("entry", flat=True)
    used = Counter(runs)
    for entry in targets:
        if used[entry.pk] >= round_.attacks_per_target:
            text = _("All %(n)s attacks that a team has on target %(target)s are used.")
            values = {"n": round_.attacks_per_target, "target": entry.pk}
            raise Refused("target-used", text % values)


def unfilled_cells(round_: Round) -> QuerySet[AttackRun]:
    """The cells of the matrix that an attack still has to fill."""
    runs = AttackRun.objects.filter(attack__round=round_, attack__is_active=True, attack__is_dry_run=False)
    return runs.exclude(state__in=AttackRun.FINAL)
