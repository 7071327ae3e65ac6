import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from contest.models.house_order import RECEIVED_WITHIN
from contest.models.message_field import MessageField

NEEDED = 2
"""The release of workers that know orders; see contest/jobs/job_version.py."""
OPEN = ("queued", "running")
STATES = {"queued": "waiting", "running": "waiting", "done": "made", "failed": "failed"}


def order_house_entries(apps, schema_editor):
    """Make an order of each job for a house entry. Its payload stays for older code, but for a named seed.

    Attack machines may read jobs. An older worker that has begun a job has read its seed already; one that
    waits is left to the workers that know orders.
    """
    job, order = apps.get_model("contest", "Job"), apps.get_model("contest", "HouseOrder")
    rounds = set(apps.get_model("contest", "Round").objects.values_list("pk", flat=True))
    linked = set()
    for row in job.objects.filter(kind="house", house_order=None).order_by("pk").iterator():
        payload = row.payload
        if payload.get("round") not in rounds:
            continue
        entry = made_entry(apps, row, linked) if row.state == "done" else None
        linked |= {entry} - {None}
        made = order.objects.create(
            round_id=payload["round"],
            method=payload["method"],
            parameters=payload["parameters"],
            seed=payload.get("seed"),
            commitment_id=commitment_of(apps, payload),
            requested_by_id=requested_by(apps, row),
            requested_at=row.created_at,
            state=STATES[row.state],
            reason=row.reason if row.state == "failed" else "",
            entry_id=entry,
        )
        payload = {key: value for key, value in payload.items() if key != "seed"}
        release = NEEDED if row.state in OPEN else row.release
        job.objects.filter(pk=row.pk).update(house_order=made, payload=payload, release=release)


def made_entry(apps, job, linked):
    """The entry that a finished job handed in, where it can be told from the others."""
    values = ", ".join(f"{name}={value}" for name, value in sorted(job.payload["parameters"].items()))
    team = f"House · {job.payload['method']}" + (f" ({values})" if values else "")
    entries = apps.get_model("contest", "Entry").objects.filter(
        round_id=job.payload["round"], method=job.payload["method"], team__is_house=True, team__name=team
    )
    until = job.finished_at + RECEIVED_WITHIN
    found = entries.filter(received_at__gte=job.finished_at, received_at__lte=until).exclude(pk__in=linked)
    return found.order_by("received_at", "pk").values_list("pk", flat=True).first()


def commitment_of(apps, payload):
    if "seed" in payload:
        return None
    kept = apps.get_model("contest", "Commitment").objects.filter(
        round_id=payload["round"], what="house", version=payload.get("commitment")
    )
    return kept.values_list("pk", flat=True).first()


def requested_by(apps, job):
    asked = apps.get_model("contest", "AuditEvent").objects.filter(
        verb="house_entry.requested", subject=f"job {job.pk}"
    )
    return asked.values_list("actor", flat=True).first()


def tell_older_code(apps, schema_editor):
    """Write back into the jobs what older code reads there, and let its workers do what waits."""
    job = apps.get_model("contest", "Job")
    for row in job.objects.filter(house_order__isnull=False).select_related("house_order__commitment"):
        order = row.house_order
        payload = {"round": order.round_id, "method": order.method, "parameters": order.parameters}
        if order.commitment is None:
            payload["seed"] = order.seed
        else:
            payload["commitment"] = order.commitment.version
        job.objects.filter(pk=row.pk).update(payload=payload)
    job.objects.filter(release=NEEDED, state__in=OPEN).update(release=NEEDED - 1)


class Migration(migrations.Migration):
    dependencies = [("contest", "0021_heartbeat_counted_by")]

    operations = [
        migrations.CreateModel(
            name="HouseOrder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("method", models.CharField(max_length=40)),
                ("parameters", models.JSONField(blank=True, default=dict)),
                (
                    "seed",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="As it was named, not drawn.", null=True
                    ),
                ),
                ("requested_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("made", "made"), ("failed", "failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    MessageField(blank=True, help_text="Why no entry was made."),
                ),
                (
                    "commitment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="house_order",
                        to="contest.commitment",
                    ),
                ),
                (
                    "entry",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="house_order",
                        to="contest.entry",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="house_orders",
                        to="contest.round",
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.AddField(
            model_name="job",
            name="house_order",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="jobs",
                to="contest.houseorder",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=Q(house_order__isnull=False, state__in=["queued", "running"]),
                fields=("kind", "house_order"),
                name="one_open_job_an_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="houseorder",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["waiting", "made", "failed"]), name="order_state"
            ),
        ),
        migrations.AddConstraint(
            model_name="houseorder",
            constraint=models.CheckConstraint(
                condition=Q(entry__isnull=True) | Q(state="made"), name="order_made"
            ),
        ),
        migrations.AddConstraint(
            model_name="houseorder",
            constraint=models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(commitment__isnull=True), name="order_has_one_seed"
            ),
        ),
        migrations.RunPython(order_house_entries, tell_older_code),
    ]
