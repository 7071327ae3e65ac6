"""The phases of a contest as a calendar file (RFC 5545), which calendars can subscribe to."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator

from contest.models import Contest, Phase, Round

LINE = 75
"""The most octets of a line; the rest follows on lines that begin with a space."""
ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


def calendar(contest: Contest, rounds: Iterable[Round], address: Callable[[str], str]) -> bytes:
    """One event per phase. ``address`` makes a path of the site an absolute address."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kakurenbo//EN", "CALSCALE:GREGORIAN"]
    lines += [f"X-WR-CALNAME:{_text(contest.title)}", f"X-WR-TIMEZONE:{contest.time_zone}"]
    for round_ in rounds:
        for phase in round_.phases.all():
            page = address(round_.get_absolute_url())
            title = f"{contest.title} · {round_.name}: {phase.get_kind_display()}"
            lines += _event(title, phase, page, contest.created_at)
    lines.append("END:VCALENDAR")
    return b"".join(part + b"\r\n" for line in lines for part in _folded(line))


def _event(title: str, phase: Phase, page: str, made_at: datetime.datetime) -> list[str]:
    return [
        "BEGIN:VEVENT",
        # The same phase of the same site stays one event, also after its times were changed.
        f"UID:phase-{phase.pk}@{page.split('/')[2]}",
        f"DTSTAMP:{_time(made_at)}",
        f"DTSTART:{_time(phase.starts_at)}",
        f"DTEND:{_time(phase.ends_at)}",
        f"SUMMARY:{_text(title)}",
        f"URL:{page}",
        "END:VEVENT",
    ]


def _time(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    return text.translate(ESCAPED)


def _folded(line: str) -> Iterator[bytes]:
    """A line in pieces of at most 75 octets; no character is cut in two."""
    piece = b""
    for sign in line:
        octets = sign.encode()
        if len(piece) + len(octets) > LINE:
            yield piece
            piece = b" "
        piece += octets
    yield piece
