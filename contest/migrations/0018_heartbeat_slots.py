"""A worker says how many jobs it does side by side; one of an older version counts as one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0017_queue_turns'),
    ]

    operations = [
        migrations.AddField(
            model_name='heartbeat',
            name='slots',
            field=models.PositiveSmallIntegerField(db_default=1, default=1, help_text='Jobs that it does side by side.'),
        ),
    ]
