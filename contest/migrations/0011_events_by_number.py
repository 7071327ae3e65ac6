from django.db import migrations
from django.db.models import F, Max, Min

FAR = 10**12
"""More than any event's number or key: where deliveries are put while others take their places."""


def by_number(apps, schema_editor):
    """Events are known by their number in the contest's log, no longer by their primary key."""
    renumber(apps, "id", "number")


def by_key(apps, schema_editor):
    renumber(apps, "number", "id")


def renumber(apps, old, new):
    Webhook, Delivery = apps.get_model("contest", "Webhook"), apps.get_model("contest", "Delivery")
    logged = apps.get_model("contest", "AuditEvent").objects.filter(number__isnull=False)
    Delivery.objects.update(event=F("event") + FAR)
    for webhook in Webhook.objects.all():
        events = logged.filter(contest=webhook.contest_id)
        webhook.since = last_seen(events, webhook.since, old, new)
        webhook.after = last_seen(events, webhook.after, old, new)
        webhook.save(update_fields=["since", "after"])
        known = dict(events.values_list(old, new))
        deliveries = Delivery.objects.filter(webhook=webhook)
        for event in list(deliveries.values_list("event", flat=True)):
            deliveries.filter(event=event).update(event=known.get(event - FAR, event))


def last_seen(events, seen, old, new):
    """Everything up to here was seen; what was seen beyond it is known by its delivery."""
    unseen = events.filter(**{f"{old}__gt": seen}).aggregate(first=Min(new))["first"]
    return events.aggregate(last=Max(new))["last"] or 0 if unseen is None else unseen - 1


class Migration(migrations.Migration):

    dependencies = [
        ('contest', '0010_signals'),
    ]

    operations = [migrations.RunPython(by_number, by_key)]
