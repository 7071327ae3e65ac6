from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.declarations.question import MAX_ANSWER, MAX_QUESTION, MAX_TITLE
from contest.models import Question, Round


class RoundField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Round) -> str:
        return obj.name


class QuestionForm(forms.Form):
    """A team's question. Whoever asks chooses whether everybody reads it."""

    body = forms.CharField(
        label=_("Your question"),
        max_length=MAX_QUESTION,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Markdown."),
    )
    round = RoundField(
        Round.objects.none(), label=_("About the round"), required=False, empty_label=_("The whole contest")
    )
    openly = forms.TypedChoiceField(
        label=_("Who reads it"),
        choices=[
            ("no", _("Only the organisers")),
            ("yes", _("Everybody, with the name of your team")),
        ],
        coerce=lambda value: value == "yes",
        initial="no",
        widget=forms.RadioSelect,
    )

    def __init__(self, rounds: list[Round], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["round"]
        assert isinstance(field, RoundField)
        field.queryset = Round.objects.filter(pk__in=[round_.pk for round_ in rounds])


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label=_("Your answer"),
        max_length=MAX_ANSWER,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Markdown."),
    )
    to = forms.ChoiceField(
        label=_("Who reads the answer"), choices=Question.Audience.choices, widget=forms.RadioSelect
    )
    title = forms.CharField(
        label=_("The question in your words"),
        max_length=MAX_TITLE,
        required=False,
        help_text=_("What everybody reads above the answer. The words of a private question are not shown."),
    )
    is_faq = forms.BooleanField(label=_("Add it to the frequent questions"), required=False)
    is_announced = forms.BooleanField(label=_("Announce it"), required=False)


class VisibilityForm(forms.Form):
    visibility = forms.ChoiceField(label=_("Who sees the question"), choices=Question.Visibility.choices)
    reason = forms.CharField(
        label=_("Reason"), max_length=300, help_text=_("The team reads it, and it is stored in the log.")
    )
