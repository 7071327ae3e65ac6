"""Titles of tracks in the language of the reader."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

from contest.board.tracks import track_titles
from contest.models import Team

register = template.Library()


@register.filter
def track_title(name: str, titles: Mapping[str, str]) -> str:
    """The title of a track; its name where the contest has it no more."""
    return titles.get(name, name)


@register.filter
def track_of(team: Team) -> str:
    return track_titles(team.contest).get(team.track, team.track)
