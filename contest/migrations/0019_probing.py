from django.db import migrations, models
from django.db.models import Q

FEEDBACK = [
    ("full", "everything at once"),
    ("bands", "in bands"),
    ("none", "nothing until the reveal"),
]
KINDS = [
    ("near-duplicate", "two entries changed the same rows in the same way"),
    ("row-order", "the order of the pseudonyms follows the truth"),
    ("low-digits", "low digits of numbers follow the truth"),
    ("shared-mistakes", "two teams make the same wrong guesses"),
    ("climbing", "a team changes few rows of its best guess, again and again"),
]
IN_TOTAL = "Attacks per team; empty: as many as the days allow."


class Migration(migrations.Migration):
    """Rounds that are there keep their feedback and have no further limits; new ones are on the safe side."""

    dependencies = [("contest", "0018_heartbeat_slots")]

    operations = [
        migrations.AlterField(
            model_name="round",
            name="feedback",
            field=models.CharField(choices=FEEDBACK, default="bands", max_length=10),
        ),
        migrations.AddField(
            model_name="round",
            name="feedback_bands",
            field=models.PositiveSmallIntegerField(
                db_default=4, default=4, help_text="Of how many bands an answer is, where it is one."
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="attacks_in_total",
            field=models.PositiveSmallIntegerField(blank=True, null=True, help_text=IN_TOTAL),
        ),
        migrations.AlterField(
            model_name="round",
            name="attacks_in_total",
            field=models.PositiveSmallIntegerField(blank=True, default=8, null=True, help_text=IN_TOTAL),
        ),
        migrations.AddField(
            model_name="round",
            name="attacks_per_target",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, help_text="Attacks per team and entry; empty: as many as in all."
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="all_targets",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Guesses are sent for all targets at once."
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="all_targets",
            field=models.BooleanField(
                db_default=False, default=True, help_text="Guesses are sent for all targets at once."
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=Q(feedback_bands__gte=2), name="round_feedback_bands"
            ),
        ),
        migrations.AlterField(
            model_name="signal",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
    ]
