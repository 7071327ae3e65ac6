"""Tracks, times of registration and a least size of teams. Contests of before have none of them."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contest", "0038_questions_and_notifications")]

    operations = [
        migrations.AddField(
            model_name="contest",
            name="registration_opens",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="contest",
            name="registration_closes",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="contest",
            name="min_team_size",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="contest",
            name="tracks",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Divisions of the teams, one per line; see `contest/names/tracks.py`.",
            ),
        ),
        migrations.AddField(
            model_name="team",
            name="track",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The name of its track; empty where the contest had none when the team was made.",
                max_length=30,
            ),
        ),
    ]
