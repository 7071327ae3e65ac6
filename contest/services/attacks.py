"""Attacks on entries: which are due, and what the judge's word changes."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from attacks.evaluate import Judgement
from attacks.registry import attack as find_attack
from contest.models import Attack, AttackRun, Entry, Job, Round, User
from contest.services import audit, jobs
from contest.services.entries import bump_board


def add_house_attack(round_: Round, name: str, user: User | None = None) -> Attack:
    """Let a house attack take part in a round; entries that are valid already are attacked too."""
    described = find_attack(name)
    with transaction.atomic():
        attack, created = Attack.objects.get_or_create(
            round=round_, kind=Attack.Kind.HOUSE, name=described.name, version=described.version
        )
        if created:
            audit.record("attack.added", attack, contest=round_.contest, actor=user, after={"name": name})
            for entry in Entry.objects.filter(round=round_, state=Entry.State.VALID):
                queue_house_attacks(entry)
    return attack


def queue_house_attacks(entry: Entry) -> int:
    """Queue the house attacks that this entry has not faced yet. Call it inside a transaction."""
    queued = 0
    for attack in Attack.objects.filter(round=entry.round, kind=Attack.Kind.HOUSE, is_active=True):
        run, created = AttackRun.objects.get_or_create(attack=attack, entry=entry)
        if created:
            jobs.enqueue_job(Job.Kind.ATTACK, attack_run=run)
            queued += 1
    if not queued:
        settle_entry(entry.pk)
    return queued


def begin_run(run: AttackRun) -> None:
    waiting = (AttackRun.State.QUEUED, AttackRun.State.RUNNING)
    AttackRun.objects.filter(pk=run.pk, state__in=waiting).update(state=AttackRun.State.RUNNING)


def record_judgement(claim: jobs.Claim, run: AttackRun, judgement: Judgement) -> None:
    """Write the judge's word once, and the entry's safety when its last attack has come in."""
    with claim.finish():
        AttackRun.objects.filter(pk=run.pk).exclude(state=AttackRun.State.DONE).update(
            state=AttackRun.State.DONE,
            hits=judgement.hits,
            rate=judgement.rate,
            low=judgement.low,
            high=judgement.high,
            baseline=judgement.baseline,
            expected_hits=judgement.expected_hits,
            finished_at=timezone.now(),
        )
        audit.record("attack_run.done", run, contest=run.entry.round.contest, after={"hits": judgement.hits})
        settle_entry(run.entry_id)


def settle_entry(entry_id: int) -> None:
    """An entry's risk is the best attack against it; it is known when no attack is under way."""
    entry = Entry.objects.select_for_update().get(pk=entry_id)
    runs = AttackRun.objects.filter(entry=entry)
    under_way = runs.filter(~Q(state__in=AttackRun.FINAL)).exists()
    best = runs.filter(state=AttackRun.State.DONE).order_by("-hits", "attack__name").first()
    known = best is not None and not under_way
    entry.most_hits = best.hits if best is not None and known else None
    entry.strongest_attack = best.attack.name if best is not None and known else ""
    entry.save(update_fields=["most_hits", "strongest_attack"])
    bump_board(entry.round_id)
