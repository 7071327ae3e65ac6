"""Rounds that exist keep the places that they have published, those of the house included; new ones give it none."""

from django.db import migrations, models

HELP = 'Whether house entries and house attacks are ranked among the teams.'


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0012_hidden_rounds'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='house_takes_places',
            field=models.BooleanField(db_default=True, default=True, help_text=HELP),
        ),
        migrations.AlterField(
            model_name='round',
            name='house_takes_places',
            field=models.BooleanField(db_default=False, default=False, help_text=HELP),
        ),
    ]
