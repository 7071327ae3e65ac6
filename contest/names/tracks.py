"""Tracks of a contest: divisions such as students and professionals, one line of text each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from contest.names.policy import BadName, Kind, clean_name
from datasets.messages import Template
from datasets.setting import BadPart

MOST_TRACKS = 12
LONGEST_NAME = 30
TITLE = Kind(40, is_folded=False, is_player=False)
LONGEST = MOST_TRACKS * (LONGEST_NAME + 2 * TITLE.longest + len(" |  | \r\n"))
NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_NAME - 1}}}")
EXPECTED = Template(
    "setting.tracks",
    "at most %(most)s lines, each of a name in small letters, digits and hyphens, an English title and a "
    "Japanese one, such as “%(example)s”; no name and no title twice",
)(most=MOST_TRACKS, example="student | Students | 学生")


@dataclass(frozen=True)
class Track:
    """A division of the teams. Addresses and files have its name, pages its title."""

    name: str
    title: str
    title_ja: str

    def titled(self, language: str) -> str:
        return self.title_ja if language.startswith("ja") else self.title

    def __str__(self) -> str:
        return f"{self.name} | {self.title} | {self.title_ja}"


def clean_tracks(text: str) -> str:
    """The text as it is stored; raises `BadPart` with the first line that is no track.

    >>> clean_tracks("  student|Students|学生 ")
    'student | Students | 学生'
    """
    tracks: list[Track] = []
    for line in filter(str.strip, text.splitlines()):
        track = _track(line)
        taken = {part.casefold() for other in tracks for part in _parts(other)}
        if track is None or len(tracks) == MOST_TRACKS or taken & {it.casefold() for it in _parts(track)}:
            raise BadPart(line.strip())
        tracks.append(track)
    return "\n".join(map(str, tracks))


def _parts(track: Track) -> set[str]:
    return {f"name {track.name}", f"en {track.title}", f"ja {track.title_ja}"}


def _track(line: str) -> Track | None:
    name, *titles = (part.strip() for part in line.split("|"))
    if len(titles) != 2 or not NAME.fullmatch(name):
        return None
    try:
        title, title_ja = (clean_name(it, TITLE) for it in titles)
    except BadName:
        return None
    return Track(name, title, title_ja)


@lru_cache(maxsize=256)
def read_tracks(text: str) -> tuple[Track, ...]:
    """The tracks of a text that was cleaned before.

    >>> [track.titled("ja") for track in read_tracks("student | Students | 学生")]
    ['学生']
    """
    parts = (line.split(" | ") for line in text.split("\n"))
    return tuple(Track(*found) for found in parts if len(found) == 3)
