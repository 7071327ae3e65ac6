"""Claiming, sweeping and the pages find their jobs by index, however many wait or are done."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0016_secret_seeds'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='job',
            name='job_by_state',
        ),
        migrations.RemoveIndex(
            model_name='job',
            name='job_by_owner',
        ),
        migrations.AlterField(
            model_name='job',
            name='owner',
            field=models.ForeignKey(blank=True, db_index=False, help_text='For whom it is.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='contest.team'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['state', 'kind', 'rung_at', 'id'], name='job_bells'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['lease_until'], name='job_leases'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['kind', 'state', 'owner', 'id'], name='job_queue'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['owner', 'kind', 'started_at'], name='job_last_turn'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(fields=['kind', 'state', 'finished_at'], name='job_pace'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('state', 'failed'), models.Q(('error', ''), _negated=True), _connector='OR'), fields=['id'], name='job_broken'),
        ),
    ]
