import datetime

from django.db import migrations, models
from django.db.models import F, Q

from games.formats import find_format
from games.formats.older_columns import master_and_transactions

GONE = {
    "dataset": (
        "master_sha256", "transactions_sha256", "knowledge", "n_customers", "n_rows", "n_items",
        "n_receipts", "first_day", "last_day",
    ),
    "entry": (
        "master_sha256", "transactions_sha256", "truth_sha256", "n_released", "most_hits", "guesses",
    ),
    "attackrun": ("hits", "guesses", "rate", "expected_hits", "guess_sha256", "found_customers"),
}  # fmt: skip
BATCH = 500


def tell_older_code(apps, schema_editor):
    """Write back into the columns of shops what older code reads there."""
    tell_datasets(apps)
    tell_entries(apps)
    tell_runs(apps)
    # PostgreSQL changes no table while checks of its references are pending.
    schema_editor.connection.check_constraints()


def tell_datasets(apps):
    for row in apps.get_model("contest", "Dataset").objects.all():
        spec, facts = find_format(row.format), dict(row.facts)
        row.master_sha256, row.transactions_sha256 = master_and_transactions(spec.data_files, row.files)
        row.knowledge = {name: row.files[name] for name in spec.knowledge_files}
        row.n_customers, row.n_rows = row.n_people, facts["purchases"]
        row.n_items, row.n_receipts = facts["items"], facts.get("receipts", 0)
        row.first_day, row.last_day = map(datetime.date.fromisoformat, facts["days"])
        row.save(update_fields=GONE["dataset"])


def tell_entries(apps):
    entry = apps.get_model("contest", "Entry")
    entry.objects.update(n_released=F("n_people"))
    sealed = apps.get_model("contest", "Sealed").objects.filter(name="truth.txt", scope="entry")
    truths = dict(sealed.values_list("entry", "sha256"))
    formats = dict(apps.get_model("contest", "Round").objects.values_list("pk", "dataset__format"))
    for batch in batches(entry, ("round_id", "published", "numbers")):
        for row in batch:
            names = find_format(formats[row.round_id]).public_files
            row.master_sha256, row.transactions_sha256 = master_and_transactions(names, row.published)
            row.truth_sha256 = truths.get(row.pk, "")
            row.most_hits, row.guesses = row.numbers.get("hits"), row.numbers.get("guesses")
        entry.objects.bulk_update(batch, [name for name in GONE["entry"] if name != "n_released"])


def tell_runs(apps):
    run = apps.get_model("contest", "AttackRun")
    run.objects.update(rate=F("risk"), guess_sha256=F("answer_sha256"), found_customers=F("found_rows"))
    counted = ("hits", "guesses", "expected_hits")
    for batch in batches(run, ("numbers",)):
        for row in batch:
            for name in counted:
                setattr(row, name, row.numbers.get(name))
        run.objects.bulk_update(batch, counted)


def batches(model, columns):
    """All rows in the order of their keys, some at a time."""
    last = 0
    while batch := list(model.objects.filter(pk__gt=last).order_by("pk").only(*columns)[:BATCH]):
        yield batch
        last = batch[-1].pk


def with_default(name, field):
    """Only the state changes: a default of Python's, with which the column comes back for older code."""
    change = migrations.AlterField(model_name="dataset", name=name, field=field)
    return migrations.SeparateDatabaseAndState(state_operations=[change])


class Migration(migrations.Migration):
    """What 0024 wrote elsewhere goes in the same version: two places for one fact would part.

    Processes of an older version must be stopped before; docs/deployment.md says so.
    """

    dependencies = [("contest", "0024_any_game")]

    operations = [
        migrations.RemoveConstraint(model_name="dataset", name="dataset_once_a_format"),
        migrations.RemoveConstraint(model_name="dataset", name="dataset_has_customers"),
        migrations.RemoveConstraint(model_name="entry", name="one_official_entry"),
        migrations.RemoveConstraint(model_name="entry", name="one_pinned_entry"),
        migrations.RemoveConstraint(model_name="entry", name="valid_entry_has_score"),
        migrations.RemoveConstraint(model_name="attackrun", name="attack_run_once"),
        migrations.RemoveConstraint(model_name="attackrun", name="attack_run_done_has_hits"),
        with_default("transactions_sha256", models.CharField(default="", max_length=64)),
        with_default("n_customers", models.PositiveIntegerField(default=0)),
        with_default("n_rows", models.PositiveIntegerField(default=0)),
        with_default("n_items", models.PositiveIntegerField(default=0)),
        with_default("n_receipts", models.PositiveIntegerField(default=0)),
        with_default("first_day", models.DateField(default=datetime.date(1970, 1, 1))),
        with_default("last_day", models.DateField(default=datetime.date(1970, 1, 1))),
        migrations.RunPython(migrations.RunPython.noop, tell_older_code),
        *(
            migrations.RemoveField(model_name=model, name=name)
            for model, names in GONE.items()
            for name in names
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.UniqueConstraint(
                fields=("name", "format", "files_key"), name="dataset_files_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=Q(is_official=True),
                fields=("round", "team", "slot"),
                name="one_official_entry_a_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=Q(is_pinned=True),
                fields=("round", "team", "slot"),
                name="one_pinned_entry_a_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=~Q(state="valid") | Q(utility__isnull=False), name="valid_entry_has_utility"
            ),
        ),
        migrations.AddConstraint(
            model_name="attackrun",
            constraint=models.UniqueConstraint(
                fields=("attack", "entry", "challenge"), name="attack_run_once_a_challenge"
            ),
        ),
    ]
