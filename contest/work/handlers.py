"""Which handler does which kind of job."""

from __future__ import annotations

from collections.abc import Callable

from contest.jobs.queue import Claim, perform_next
from contest.models import Job
from contest.outside.announcement_mails import send_mails
from contest.work import (
    attacks,
    entries,
    game_attacks,
    game_packages,
    game_programs,
    game_rounds,
    house,
    messages,
    signals,
    tally,
    team_orders,
    trials,
)

HANDLERS: dict[Job.Kind, Callable[[Claim], None]] = {
    Job.Kind.CHECK: entries.check,
    Job.Kind.SCORE: entries.score,
    Job.Kind.MEASURE: entries.measure_for_limits,
    Job.Kind.ATTACK: attacks.attack,
    Job.Kind.PROGRAM: attacks.run_program_job,
    Job.Kind.JUDGE: attacks.judge,
    Job.Kind.BUILD: game_rounds.build,
    Job.Kind.HIDE: game_programs.hide,
    Job.Kind.SEEK: game_attacks.seek,
    Job.Kind.ANSWER: game_attacks.answer,
    Job.Kind.TALLY: tally.tally,
    Job.Kind.GAME: game_packages.try_game,
    Job.Kind.TRIAL: trials.try_version,
    Job.Kind.SIGNALS: signals.look_for_signals,
    Job.Kind.HOUSE: house.make_house_entry,
    Job.Kind.ORDER: team_orders.make_order,
    Job.Kind.MAIL: send_mails,
    Job.Kind.LETTER: messages.send_letter,
    Job.Kind.WEBHOOK: messages.deliver_news,
}


def work_on(kind: Job.Kind) -> None:
    """Claim the next job of a kind, if there is one, and do it."""
    perform_next(kind, HANDLERS[kind])


def work_off() -> None:
    """Do all queued jobs in this process; workers that run beside take some of them."""
    while job := Job.objects.filter(state=Job.State.QUEUED).order_by("pk").first():
        work_on(Job.Kind(job.kind))
