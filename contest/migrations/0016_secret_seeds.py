from django.db import migrations, models
from django.db.models import Q

import contest.models.seeds

PUBLISHED = (1,)
"""The seed of every house entry in the presets of earlier versions."""


def mark_known_seeds(apps, schema_editor):
    """Rounds that were made from a preset before its seeds were secret say so from now on."""
    job, round_ = apps.get_model("contest", "Job"), apps.get_model("contest", "Round")
    orders = job.objects.filter(kind="house").values_list("payload", flat=True)
    known = {order["round"] for order in orders.iterator() if order.get("seed") in PUBLISHED}
    round_.objects.filter(pk__in=known).update(seeds_known=True)


class Migration(migrations.Migration):
    dependencies = [("contest", "0015_names_that_look_alike")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="seeds_known",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text=(
                    "Its seeds were named, not drawn: who has them knows the truths of its house entries."
                ),
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="seed_named",
            field=models.BooleanField(
                db_default=False, default=False, help_text="The seed was written in its bundle, not drawn."
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="seed",
            field=models.PositiveBigIntegerField(default=contest.models.seeds.secret_seed),
        ),
        migrations.AlterField(
            model_name="commitment",
            name="what",
            field=models.CharField(
                choices=[
                    ("seed", "seed of the house attacks"),
                    ("house", "seed of a house entry"),
                    ("entries", "frozen entries and their truths"),
                    ("board", "final board"),
                ],
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="commitment", name="one_standing_commitment"),
        migrations.RemoveConstraint(model_name="commitment", name="commitment_what"),
        migrations.AddConstraint(
            model_name="commitment",
            constraint=models.UniqueConstraint(
                fields=["round", "what"],
                condition=Q(withdrawn_at__isnull=True) & ~Q(what="house"),
                name="one_standing_commitment",
            ),
        ),
        migrations.AddConstraint(
            model_name="commitment",
            constraint=models.CheckConstraint(
                condition=Q(what__in=["seed", "house", "entries", "board"]), name="commitment_what"
            ),
        ),
        migrations.RunPython(mark_known_seeds, migrations.RunPython.noop),
    ]
