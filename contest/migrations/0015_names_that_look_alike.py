from django.db import migrations, models

import contest.models.look_key
from contest.names.lookalikes import look_of


def fill(apps, schema_editor):
    """Names that look alike already keep standing: all but the first get a longer key."""
    for model, of, within in (("User", "username", None), ("Team", "name", "contest_id"), ("Contest", "slug", None)):
        rows = apps.get_model("contest", model)._default_manager
        taken = set()
        for row in rows.order_by("pk").only("pk", of, *([within] if within else [])).iterator():
            look = look_of(getattr(row, of))
            scope = getattr(row, within) if within else None
            key = look if (scope, look) not in taken else f"{look[:220]} #{row.pk}"
            taken.add((scope, key))
            rows.filter(pk=row.pk).update(look_key=key)
    users = apps.get_model("contest", "User")._default_manager
    taken = set()
    for row in users.exclude(alias="").order_by("pk").only("pk", "alias").iterator():
        look = look_of(row.alias)
        key = look if look not in taken else f"{look[:220]} #{row.pk}"
        taken.add(key)
        users.filter(pk=row.pk).update(alias_key=key)


class Migration(migrations.Migration):
    dependencies = [("contest", "0014_letters_about_guesses")]

    operations = [
        migrations.AddField(
            "user",
            "look_key",
            contest.models.look_key.LookKey(editable=False, max_length=255, null=True, of="username", verbose_name="user name"),
        ),
        migrations.AddField(
            "user",
            "alias_key",
            contest.models.look_key.LookKey(default=None, editable=False, max_length=255, null=True, of="alias", unique=True, verbose_name="public name"),
        ),
        migrations.AddField(
            "team", "look_key", contest.models.look_key.LookKey(editable=False, max_length=255, null=True, of="name")
        ),
        migrations.AddField(
            "contest", "look_key", contest.models.look_key.LookKey(editable=False, max_length=255, null=True, of="slug")
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            "user",
            "look_key",
            contest.models.look_key.LookKey(editable=False, max_length=255, null=True, of="username", unique=True, verbose_name="user name"),
        ),
        migrations.AlterField(
            "contest", "look_key", contest.models.look_key.LookKey(editable=False, max_length=255, null=True, of="slug", unique=True)
        ),
        migrations.AddConstraint(
            "team", models.UniqueConstraint(fields=("contest", "look_key"), name="team_look_once")
        ),
    ]
