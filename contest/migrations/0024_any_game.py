import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

from contest.models.dataset import files_key
from games.formats import find_format
from games.formats.older_columns import named_files

NEEDED = 3
"""The release of workers that know these columns; see contest/jobs/job_version.py."""
OPEN = ("queued", "running")
BATCH = 500
COUNTS = (
    ("customers", "n_customers"),
    ("purchases", "n_rows"),
    ("receipts", "n_receipts"),
    ("items", "n_items"),
)


def fill(apps, schema_editor):
    """Write what the columns of shops say into those of any game. It can be run again; no file is written."""
    fill_datasets(apps)
    fill_entries(apps)
    fill_runs(apps)
    apps.get_model("contest", "Job").objects.filter(state__in=OPEN).update(release=NEEDED)


def fill_datasets(apps):
    dataset = apps.get_model("contest", "Dataset")
    for row in dataset.objects.all():
        names = find_format(row.format).data_files
        row.files = named_files(names, row.master_sha256, row.transactions_sha256) | row.knowledge
        row.files_key = files_key(row.files)
        counts = [[code, getattr(row, name)] for code, name in COUNTS]
        days = [row.first_day.isoformat(), row.last_day.isoformat()]
        row.facts = [*(fact for fact in counts if fact[1] or fact[0] != "receipts"), ["days", days]]
        row.n_people = row.n_customers
        row.save(update_fields=["files", "files_key", "facts", "n_people"])


def fill_entries(apps):
    entry, sealed = apps.get_model("contest", "Entry"), apps.get_model("contest", "Sealed")
    entry.objects.update(n_people=F("n_released"))
    formats = dict(apps.get_model("contest", "Round").objects.values_list("pk", "dataset__format"))
    columns = ("round_id", "master_sha256", "transactions_sha256", "truth_sha256", "most_hits", "guesses")
    for batch in batches(entry, columns):
        for row in batch:
            names = find_format(formats[row.round_id]).public_files
            row.published = named_files(names, row.master_sha256, row.transactions_sha256)
            row.numbers = known(hits=row.most_hits, guesses=row.guesses)
        entry.objects.bulk_update(batch, ["published", "numbers"])
        truths = [
            sealed(
                round_id=row.round_id, scope="entry", entry=row, name="truth.txt", sha256=row.truth_sha256
            )
            for row in batch
            if row.truth_sha256
        ]
        sealed.objects.bulk_create(truths, ignore_conflicts=True)


def fill_runs(apps):
    run = apps.get_model("contest", "AttackRun")
    run.objects.update(risk=F("rate"), answer_sha256=F("guess_sha256"), found_rows=F("found_customers"))
    challenges = {"2016": "who", "2017": "months", "2018": "pid"}
    for format_name, challenge in challenges.items():
        run.objects.filter(attack__round__dataset__format=format_name).update(challenge=challenge)
    for batch in batches(run, ("hits", "guesses", "expected_hits")):
        for row in batch:
            row.numbers = known(hits=row.hits, guesses=row.guesses, expected_hits=row.expected_hits)
        run.objects.bulk_update(batch, ["numbers"])


def known(**numbers):
    return {name: number for name, number in numbers.items() if number is not None}


def batches(model, columns):
    """All rows in the order of their keys, some at a time."""
    last = 0
    while batch := list(model.objects.filter(pk__gt=last).order_by("pk").only(*columns)[:BATCH]):
        yield batch
        last = batch[-1].pk


def let_older_workers_go_on(apps, schema_editor):
    job = apps.get_model("contest", "Job")
    job.objects.filter(release=NEEDED, state__in=OPEN).update(release=NEEDED - 1)


class Migration(migrations.Migration):
    """Rows that carry any game: files and numbers by name, secrets as rows of their own."""

    dependencies = [("contest", "0023_messages")]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="files",
            field=models.JSONField(
                db_default={}, default=dict, help_text="Name → sha256; all of them are public."
            ),
        ),
        migrations.AddField(
            model_name="dataset", name="files_key", field=models.CharField(db_default="", max_length=64)
        ),
        migrations.AddField(
            model_name="dataset",
            name="facts",
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="dataset",
            name="n_people",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="How many people an attacker chooses from."
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="slot",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Which of a team's tasks it is for; one entry per slot counts.",
                max_length=40,
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="variant",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="From which of the team's alternatives it is made."
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="labels",
            field=models.JSONField(
                blank=True, db_default={}, default=dict, help_text="Name → text: what groups targets."
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="published",
            field=models.JSONField(
                blank=True, db_default={}, default=dict, help_text="Name → sha256; attackers may read them."
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="n_people",
            field=models.PositiveIntegerField(
                blank=True, help_text="How many people can be found in it.", null=True
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="numbers",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="What the strongest attack was judged to be.",
            ),
        ),
        migrations.AddField(
            model_name="attackrun",
            name="challenge",
            field=models.CharField(
                db_default="", default="", help_text="Which question of the game it answers.", max_length=40
            ),
        ),
        migrations.AddField(
            model_name="attackrun",
            name="risk",
            field=models.FloatField(
                blank=True, help_text="From 0 to 1; with people, the share found.", null=True
            ),
        ),
        migrations.AddField(
            model_name="attackrun",
            name="numbers",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="attackrun",
            name="answer_sha256",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="attackrun",
            name="found_rows",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text="Which people of the original were found.",
            ),
        ),
        migrations.AddField(
            model_name="commitment",
            name="shape",
            field=models.PositiveSmallIntegerField(db_default=1, default=2),
        ),
        migrations.CreateModel(
            name="Sealed",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[("round", "of a round"), ("entry", "of an entry")], max_length=10
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("sha256", models.CharField(max_length=64)),
                (
                    "bytes",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="Unknown for what is older than this table.", null=True
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sealed",
                        to="contest.entry",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sealed",
                        to="contest.round",
                    ),
                ),
            ],
            options={"ordering": ["id"], "verbose_name_plural": "sealed"},
        ),
        migrations.AddConstraint(
            model_name="sealed",
            constraint=models.UniqueConstraint(
                condition=Q(scope="entry"), fields=("entry", "name"), name="sealed_once_an_entry"
            ),
        ),
        migrations.AddConstraint(
            model_name="sealed",
            constraint=models.UniqueConstraint(
                condition=Q(scope="round"), fields=("round", "name"), name="sealed_once_a_round"
            ),
        ),
        migrations.AddConstraint(
            model_name="sealed",
            constraint=models.CheckConstraint(
                condition=Q(scope="entry", entry__isnull=False) | Q(scope="round", entry__isnull=True),
                name="sealed_has_owner",
            ),
        ),
        migrations.RunPython(fill, let_older_workers_go_on),
    ]
