"""What one team is told of by webhook, besides the verdicts on its entries: events of the contest's log that
concern it alone."""

from __future__ import annotations

from contest.models import AuditEvent, Notification, Phase, Question, Round, Webhook
from contest.outside.event_feed import Event

EVENT_OF: dict[str, str] = {
    Notification.Kind.SCORED: "own-entry",
    Notification.Kind.OVERTAKEN: "overtaken",
    Notification.Kind.REMINDER: "reminder",
    Notification.Kind.ANSWER: "answer",
    Notification.Kind.ANNOUNCEMENT: "announcement",
}
"""The kind of event by which each kind of notice is delivered."""


def team_events(webhook: Webhook, until: int) -> list[Event]:
    """Answers to a team's questions, reminders and places that it lost, up to an event of the log."""
    rows = AuditEvent.objects.filter(
        contest=webhook.contest,
        verb__in=["question.answered", "phase.reminded", "round.overtaken"],
        number__gt=webhook.after,
        number__lte=until,
    ).order_by("number")
    return [event for row in rows if (event := _event(webhook, row)) is not None]


def _event(webhook: Webhook, row: AuditEvent) -> Event | None:
    assert webhook.team is not None
    number = row.number or 0
    if row.verb == "question.answered":
        question = Question.objects.filter(pk=row.subject_id or 0, team=webhook.team_id).first()
        return Event(number, row.at, "answer", None, {"question_id": question.pk}) if question else None
    if row.verb == "phase.reminded":
        phase = Phase.objects.filter(pk=row.subject_id or 0).select_related("round").first()
        if phase is None or webhook.team.name not in row.after["teams"]:
            return None
        facts = {"phase": phase.kind, "ends_at": row.after["ends_at"], "hours": row.after["hours"]}
        return Event(number, row.at, "reminder", phase.round.slug, facts)
    round_ = Round.objects.filter(pk=row.subject_id or 0).first()
    places = row.after["places"].get(webhook.team.name)
    if round_ is None or places is None:
        return None
    return Event(number, row.at, "overtaken", round_.slug, {"was": places[0], "place": places[1]})
