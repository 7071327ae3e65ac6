from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from contest.models.attack import Attack, AttackRun
from contest.models.entry import Entry
from contest.models.game_package import GamePackage
from contest.models.house_order import HouseOrder
from contest.models.message_field import MessageField
from contest.models.round import Round
from contest.models.team import Team


class Job(models.Model):
    """A piece of work. This row is the source of truth; a broker's message only says "look here".

    A worker claims a queued job by a conditional update that sets its token and a lease. To write
    the outcome it must still hold that token, so a worker that was thought dead cannot write a second one.
    """

    class Kind(models.TextChoices):
        CHECK = "check", _("check an entry's files")
        SCORE = "score", _("measure an entry")
        MEASURE = "measure", _("measure an entry for a re-score")
        ATTACK = "attack", _("attack an entry")
        PROGRAM = "program", _("run a team's program on an entry")
        JUDGE = "judge", _("judge a guess")
        BUILD = "build", _("make the data of a round")
        HIDE = "hide", _("run a hider")
        SEEK = "seek", _("let the house attack an entry")
        ANSWER = "answer", _("check and judge an answer")
        TALLY = "tally", _("count the boards of a round")
        GAME = "game", _("try a game")
        TRIAL = "trial", _("try a version of a game on a round")
        HOUSE = "house", _("make a house entry")
        ORDER = "order", _("make what a team asked the house for")
        SIGNALS = "signals", _("look for signals of cheating")
        MAIL = "mail", _("send an announcement")
        LETTER = "letter", _("send an e-mail")
        WEBHOOK = "webhook", _("deliver news to an address")

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    OPEN = (State.QUEUED, State.RUNNING)

    kind = models.CharField(max_length=10, choices=Kind)
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    attack_run = models.ForeignKey(
        AttackRun, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    house_order = models.ForeignKey(
        HouseOrder, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    attack = models.ForeignKey(Attack, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    round = models.ForeignKey(Round, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    game = models.ForeignKey(
        GamePackage, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    owner = models.ForeignKey(
        Team,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,  # The index of the turns begins with it.
        help_text=_("For whom it is."),
    )
    payload = models.JSONField(default=dict, blank=True)
    release = models.PositiveIntegerField(
        db_default=1,
        help_text=_("The lowest number of a worker that can do it; see contest/jobs/job_version.py."),
    )
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    progress = models.PositiveSmallIntegerField(default=0)
    step = MessageField(blank=True)
    reason = MessageField(blank=True)
    error = models.TextField(blank=True, help_text=_("Traceback, for organisers only."))
    created_at = models.DateTimeField(auto_now_add=True)
    rung_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            # The sweeper: which job's notice is oldest, and whose lease lapses first.
            models.Index(fields=["state", "kind", "rung_at", "id"], name="job_bells"),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="job_leases"),
            # Turns: the oldest queued job of each owner, and when an owner began a job last.
            models.Index(fields=["kind", "state", "owner", "id"], name="job_queue"),
            models.Index(fields=["owner", "kind", "started_at"], name="job_last_turn"),
            # The pace of the last jobs, and the jobs in which something went wrong.
            models.Index(fields=["kind", "state", "finished_at"], name="job_pace"),
            models.Index(fields=["id"], condition=Q(state="failed") | ~Q(error=""), name="job_broken"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "entry"],
                condition=Q(state__in=["queued", "running"], entry__isnull=False),
                name="one_open_job_an_entry",
            ),
            models.UniqueConstraint(
                fields=["kind", "attack_run"],
                condition=Q(state__in=["queued", "running"], attack_run__isnull=False),
                name="one_open_job_a_run",
            ),
            models.UniqueConstraint(
                fields=["kind", "house_order"],
                condition=Q(state__in=["queued", "running"], house_order__isnull=False),
                name="one_open_job_an_order",
            ),
            models.UniqueConstraint(
                fields=["kind", "attack"],
                condition=Q(state__in=["queued", "running"], attack__isnull=False),
                name="one_open_job_an_attack",
            ),
            # While one of these runs, what has changed since it began needs another.
            models.UniqueConstraint(
                fields=["kind", "round"],
                condition=Q(state="queued", round__isnull=False),
                name="one_queued_job_a_round",
            ),
            models.UniqueConstraint(
                fields=["kind", "game"],
                condition=Q(state__in=["queued", "running"], game__isnull=False),
                name="one_open_job_a_game",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="job_state"
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | (Q(lease_until__isnull=False) & ~Q(token="")),
                name="running_job_has_lease",
            ),
            models.CheckConstraint(condition=Q(progress__lte=100), name="job_progress"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
