"""Which handler does which kind of job."""

from __future__ import annotations

from collections.abc import Callable

from contest.jobs.queue import Claim, perform_next
from contest.models import Job
from contest.outside.announcement_mails import send_mails
from contest.work import attacks, entries, house, messages, signals

HANDLERS: dict[Job.Kind, Callable[[Claim], None]] = {
    Job.Kind.CHECK: entries.check,
    Job.Kind.SCORE: entries.score,
    Job.Kind.MEASURE: entries.measure_for_limits,
    Job.Kind.ATTACK: attacks.attack,
    Job.Kind.PROGRAM: attacks.run_program_job,
    Job.Kind.JUDGE: attacks.judge,
    Job.Kind.SIGNALS: signals.look_for_signals,
    Job.Kind.HOUSE: house.make_house_entry,
    Job.Kind.MAIL: send_mails,
    Job.Kind.LETTER: messages.send_letter,
    Job.Kind.WEBHOOK: messages.deliver_news,
}


def work_on(kind: Job.Kind) -> None:
    """Claim the next job of a kind, if there is one, and do it."""
    perform_next(kind, HANDLERS[kind])
