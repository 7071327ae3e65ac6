"""Tracks on boards: the place of a row among those of its track, and the tracks that a reader may choose."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import Contest, Team


@dataclass(frozen=True)
class TrackChoice:
    """A track with its title in the language of the reader."""

    name: str
    title: str


def track_choices(contest: Contest) -> list[TrackChoice]:
    language = get_language() or "en"
    return [TrackChoice(track.name, track.titled(language)) for track in contest.declared_tracks]


def track_titles(contest: Contest) -> dict[str, str]:
    """The titles by the names, in the language of the reader."""
    return {choice.name: choice.title for choice in track_choices(contest)}


def tracks_of(contest: Contest) -> dict[int, str]:
    """The track of each team that has one, by its key: a query only where the contest has tracks."""
    if not contest.tracks:
        return {}
    teams = Team.objects.filter(contest=contest, is_house=False).exclude(track="")
    return dict(teams.values_list("pk", "track"))


def places_in_tracks(
    ranked: Iterable[tuple[Hashable, str, int | None]],
) -> Mapping[Hashable, int]:
    """Places within tracks by the keys of the rows, which are given with their track and place overall.

    Rows that share a place overall share it in their track, too.

    >>> places_in_tracks([("a", "student", 1), ("b", "", 2), ("c", "student", 4), ("d", "student", 4)])
    {'a': 1, 'c': 2, 'd': 2}
    """
    places: dict[str, list[tuple[int, Hashable]]] = {}
    for key, track, place in ranked:
        if track and place is not None:
            places.setdefault(track, []).append((place, key))
    found: dict[Hashable, int] = {}
    for rows in places.values():
        rows.sort(key=lambda row: row[0])
        last, number = None, 0
        for count, (place, key) in enumerate(rows, start=1):
            number, last = (number, last) if place == last else (count, place)
            found[key] = number
    return found


def require_track(contest: Contest, name: str) -> str:
    """The track that a program asks for, or none; one that does not exist is refused."""
    names = [track.name for track in contest.declared_tracks]
    if name and name not in names:
        text = _("There is no track %(got)r. Expected one of %(names)s.")
        raise Refused("no-such-track", text % {"got": name[:60], "names": ", ".join(names) or "–"})
    return name
