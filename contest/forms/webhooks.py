from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.outside.safe_http import LONGEST_ADDRESS


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_ADDRESS,
        help_text=_("Begins with https:// and is reachable from the open network."),
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/news"}),
    )
