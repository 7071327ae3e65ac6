"""A contest played from its bundle by invented teams: what happens when, how much work it is, what fails."""

from contest.rehearsal.outcome import Outcome
from contest.rehearsal.play import Plan, rehearse
from contest.rehearsal.report import as_dict, as_text

__all__ = ["Outcome", "Plan", "as_dict", "as_text", "rehearse"]
