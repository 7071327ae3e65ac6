from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from contest.models import AuditEvent, Contest


class AuditSearchForm(forms.Form):
    """What to look for in the log of a contest; everything is optional."""

    words = forms.CharField(
        label=_("Words"),
        required=False,
        max_length=100,
        help_text=_("In the action, its subject, who, or why."),
    )
    verb = forms.ChoiceField(label=_("Action"), required=False)
    since = forms.DateField(
        label=_("From (UTC)"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("Until (UTC)"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        verbs = AuditEvent.objects.filter(contest=contest).order_by("verb").values_list("verb", flat=True)
        field = self.fields["verb"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("every action")), *((verb, verb) for verb in verbs.distinct())]

    def narrowed(self, events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        wanted = self.cleaned_data
        if wanted["verb"]:
            events = events.filter(verb=wanted["verb"])
        if wanted["since"]:
            events = events.filter(at__date__gte=wanted["since"])
        if wanted["until"]:
            events = events.filter(at__date__lte=wanted["until"])
        for word in wanted["words"].split():
            events = events.filter(
                Q(verb__icontains=word)
                | Q(subject__icontains=word)
                | Q(actor_name__icontains=word)
                | Q(reason__icontains=word)
            )
        return events
