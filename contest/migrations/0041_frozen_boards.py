"""Boards that stand still from a moment on, and reveals place by place; rounds that exist have neither."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0040_identities'),
    ]

    operations = [
        migrations.CreateModel(
            name='Reveal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('shown', models.PositiveIntegerField(default=0)),
                ('version', models.PositiveIntegerField(default=1)),
                ('column', models.CharField(blank=True, default='', max_length=60)),
                ('places', models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name='StillBoard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField()),
                ('shows_attacks', models.BooleanField()),
                ('rows', models.JSONField(default=list)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='storedboard',
            name='stored_board_view',
        ),
        migrations.AddField(
            model_name='round',
            name='board_frozen_at',
            field=models.DateTimeField(blank=True, default=None, help_text='From then on everybody but organisers sees the board of this moment, until the results.', null=True),
        ),
        migrations.AddField(
            model_name='round',
            name='reveal_ended_at',
            field=models.DateTimeField(blank=True, help_text='All places were revealed, where that is done step by step.', null=True),
        ),
        migrations.AddField(
            model_name='round',
            name='reveal_in_steps',
            field=models.BooleanField(db_default=False, default=False, help_text='Its results are hidden until an organiser has revealed them place by place.'),
        ),
        migrations.AddField(
            model_name='round',
            name='still_since',
            field=models.DateTimeField(blank=True, help_text='The board that everybody sees stands still since then.', null=True),
        ),
        migrations.AlterField(
            model_name='storedboard',
            name='view',
            field=models.CharField(choices=[('live', 'as everybody may see it before the results'), ('final', 'with all that attacks found'), ('still', 'as everybody sees it while it stands still'), ('trial', 'by a version of the game that is being tried')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='storedboard',
            constraint=models.CheckConstraint(condition=models.Q(('view__in', ['live', 'final', 'still', 'trial'])), name='stored_board_view'),
        ),
        migrations.AddField(
            model_name='reveal',
            name='round',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reveal', to='contest.round'),
        ),
        migrations.AddField(
            model_name='stillboard',
            name='round',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='still_board', to='contest.round'),
        ),
    ]
