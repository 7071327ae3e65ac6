"""Whether other sites may show the boards of a contest in a frame. Contests of before may not be."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contest", "0034_team_orders")]

    operations = [
        migrations.AddField(
            model_name="contest",
            name="may_be_embedded",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Other sites may show its boards in a frame."
            ),
        ),
    ]
