"""How long questions and answers may be: one place for the models, the forms and the API."""

from __future__ import annotations

MAX_QUESTION = 2000
MAX_ANSWER = 5000
MAX_TITLE = 120
"""The question in the organisers' words, for everybody; it may become the title of an announcement."""
QUESTIONS_AN_HOUR = 10
"""How many questions a team may ask within an hour."""
