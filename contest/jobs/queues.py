"""Which queue the jobs of each kind wait in; workers listen to some of them."""

from __future__ import annotations

from django.conf import settings

from contest.models import Job

QUEUES = {
    Job.Kind.CHECK: "checks",
    Job.Kind.SCORE: "scoring",
    Job.Kind.MEASURE: "scoring",
    Job.Kind.ATTACK: "attacks",
    Job.Kind.PROGRAM: "programs",
    Job.Kind.JUDGE: "checks",
    Job.Kind.BUILD: "house",
    Job.Kind.HIDE: "programs",
    Job.Kind.SEEK: "house",
    Job.Kind.ANSWER: "scoring",
    Job.Kind.TALLY: "scoring",
    Job.Kind.GAME: "house",
    Job.Kind.TRIAL: "house",
    Job.Kind.SIGNALS: "scoring",
    Job.Kind.HOUSE: "house",
    Job.Kind.ORDER: "house",
    Job.Kind.MAIL: "checks",
    Job.Kind.LETTER: "checks",
    Job.Kind.WEBHOOK: "checks",
}


def queue_names() -> list[str]:
    """The queues that workers listen to. A prefix lets several installations share one broker."""
    return sorted({settings.QUEUE_PREFIX + queue for queue in QUEUES.values()})
