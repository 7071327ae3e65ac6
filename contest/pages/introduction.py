"""What the board of a round is about, in one sentence for people who have never seen such a contest."""

from __future__ import annotations

from contest.language.glossary import hidden_sentence
from contest.language.translation import say
from contest.models import Round
from contest.play.table import Table
from games.formats.texts import FORMAT_TEXTS


def introduction(round_: Round) -> str:
    if round_.game_id is not None:
        return hidden_sentence(Table(round_).declared)
    return say(FORMAT_TEXTS[round_.dataset.format].hidden)
