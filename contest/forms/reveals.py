"""One step of a reveal."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.services.reveals import ACTS


class RevealForm(forms.Form):
    """``seen`` is how many places were revealed on the page from which it is sent."""

    act = forms.ChoiceField(label=_("Step"), choices=[(name, name) for name in ACTS])
    seen = forms.IntegerField(label=_("Places revealed"), min_value=0, max_value=1_000_000)
