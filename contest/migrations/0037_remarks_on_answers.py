from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contest", "0036_which_counts")]

    operations = [
        migrations.AddField(
            model_name="attack",
            name="remarks",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text="What explains the problems, or how files were read.",
            ),
        ),
    ]
