from django.db import migrations

import contest.models.message_field


class WidenColumn(migrations.AlterField):
    """SQLite holds texts of any length in any column: no table is copied while workers use it."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    """Reasons and steps become messages. The sentences in the rows stay as they are and are still shown."""

    dependencies = [
        ("contest", "0022_house_orders"),
    ]

    operations = [
        WidenColumn(
            model_name=model,
            name=name,
            field=contest.models.message_field.MessageField(blank=True),
        )
        for model, name in (("attackrun", "reason"), ("job", "reason"), ("job", "step"))
    ]
