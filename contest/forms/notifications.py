from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.models import Notification, NotificationChoice

CHANNELS = {"page": _("In the page"), "mail": _("By e-mail"), "webhook": _("By webhook")}


class NoticesForm(forms.Form):
    """One box per kind of notice and channel."""

    def __init__(self, chosen: Mapping[str, Mapping[str, bool]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in Notification.Kind:
            for channel in NotificationChoice.CHANNELS:
                self.fields[f"{kind.value}-{channel}"] = forms.BooleanField(
                    label=f"{kind.label}: {CHANNELS[channel]}",
                    required=False,
                    initial=chosen[kind.value][channel],
                )

    @property
    def rows(self) -> list[tuple[str, list[tuple[str, forms.BoundField]]]]:
        """The label of every kind, and its boxes by channel."""
        return [
            (
                str(kind.label),
                [(str(CHANNELS[one]), self[f"{kind.value}-{one}"]) for one in NotificationChoice.CHANNELS],
            )
            for kind in Notification.Kind
        ]

    def wanted(self) -> dict[str, dict[str, bool]]:
        return {
            kind: {channel: self.cleaned_data[f"{kind}-{channel}"] for channel in NotificationChoice.CHANNELS}
            for kind in Notification.Kind.values
        }
