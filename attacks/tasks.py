"""Celery tasks that attack entries: a guess from public files, which the judge compares with the truth."""

from __future__ import annotations

from celery import shared_task

from attacks.evaluate import judge
from attacks.registry import run_attack as make_guess
from contest import vault
from contest.models import AttackRun
from contest.services import attacks
from contest.services.datasets import load_tables
from contest.services.jobs import Claim, perform


@shared_task(name="attacks.tasks.run_attack")
def run_attack(job_id: int) -> None:
    perform(job_id, _attack)


def _attack(claim: Claim) -> None:
    run = AttackRun.objects.select_related(
        "attack", "entry__team", "entry__round__contest", "entry__round__dataset"
    ).get(jobs=claim.job)
    attacks.begin_run(run)
    entry = run.entry
    dataset = entry.round.dataset
    claim.report(5, "reading the tables")
    original = load_tables(dataset.master_sha256, dataset.transactions_sha256)
    released = load_tables(entry.master_sha256, entry.transactions_sha256)
    claim.report(20, run.attack.name)
    guess = make_guess(run.attack.name, original, released, entry.round.seed)
    claim.report(90, "judging")
    attacks.record_judgement(claim, run, judge(guess, vault.truth_of(entry), original.n_customers))
