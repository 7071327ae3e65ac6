"""What a game declares in several languages, in the language of the moment."""

from __future__ import annotations

from django.utils.translation import get_language

from datasets.setting import Setting
from games.contract.declaration import Text, in_language


def worded(text: Text) -> str:
    """
    >>> worded({"en": "patients", "ja": "患者"})
    'patients'
    """
    return in_language(text, (get_language() or "en").split("-")[0])


def label_of(setting: Setting) -> str:
    """The label of a parameter; its name where the game has no words for it."""
    return worded(setting.words.get("label", {})) or setting.label


def help_of(setting: Setting) -> str:
    return worded(setting.words.get("help", {})) or setting.help
