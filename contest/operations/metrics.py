"""What Prometheus reads: how much work waits, how old it is, what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from contest.jobs.job_version import RELEASE
from contest.jobs.queues import QUEUES
from contest.models import AttackRun, Entry, Job
from contest.operations.overview import tally

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Gauge:
    """A number that goes up and down, by labels, in Prometheus' text format."""

    name: str
    help: str
    samples: list[tuple[dict[str, str], float]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        yield f"# HELP kakurenbo_{self.name} {self.help}"
        yield f"# TYPE kakurenbo_{self.name} gauge"
        for labels, value in self.samples:
            shown = ",".join(f'{key}="{_escaped(word)}"' for key, word in labels.items())
            yield f"kakurenbo_{self.name}{{{shown}}} {value:g}"


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def exposition() -> str:
    gauges = [_info(), *_jobs(), _states("entries", Entry), _states("attack_runs", AttackRun)]
    return "\n".join(line for gauge in gauges for line in gauge.lines()) + "\n"


def _info() -> Gauge:
    labels = {"version": settings.VERSION, "release": str(RELEASE)}
    return Gauge("info", "The version that answers.", [(labels, 1)])


def _jobs() -> list[Gauge]:
    number = Gauge("jobs", "Jobs by kind, queue and state.")
    age = Gauge("oldest_waiting_seconds", "How long the oldest waiting job of a kind has waited.")
    now = timezone.now()
    for row in tally(Job.objects.all()):
        labels = {"kind": row.kind.value, "queue": QUEUES[row.kind]}
        number.samples.append(({**labels, "state": row.state}, row.n))
        if row.state == Job.State.QUEUED:
            age.samples.append((labels, max(0.0, (now - row.oldest).total_seconds())))
    return [number, age]


def _states(name: str, model: type[Entry] | type[AttackRun]) -> Gauge:
    rows = model.objects.order_by("state").values("state").annotate(n=Count("id"))
    return Gauge(name, "Rows by state.", [({"state": row["state"]}, row["n"]) for row in rows])
