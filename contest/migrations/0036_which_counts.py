"""Rounds in which the best entry counts; in those that exist, the latest counts as before."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0035_embedding'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='which_counts',
            field=models.CharField(choices=[('best', 'the best valid one'), ('latest', 'the latest valid one')], db_default='latest', default='latest', help_text="Which of a team's valid entries counts until the team pins one.", max_length=10),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('which_counts__in', ['best', 'latest'])), name='round_which_counts'),
        ),
    ]
