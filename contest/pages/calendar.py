"""The phases of a contest as a calendar file (RFC 5545), which calendars can subscribe to."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator

from contest.models import Contest, Phase, Round

LINE = 75
"""The most octets of a line; the rest follows on lines that begin with a space."""
ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


def calendar(contest: Contest, rounds: Iterable[Round], address: Callable[[str], str]) -> bytes:
    """One event per phase, and one for the registration. ``address`` makes a path an absolute address."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kakurenbo//EN", "CALSCALE:GREGORIAN"]
    lines += [f"X-WR-CALNAME:{_text(contest.title)}", f"X-WR-TIMEZONE:{contest.time_zone}"]
    lines += _registration(contest, address(contest.get_absolute_url()))
    for round_ in rounds:
        for phase in round_.phases.all():
            page = address(round_.get_absolute_url())
            title = f"{contest.title} · {round_.name}: {phase.get_kind_display()}"
            lines += _event(f"phase-{phase.pk}", title, (phase.starts_at, phase.ends_at), page, contest)
    lines.append("END:VCALENDAR")
    return b"".join(part + b"\r\n" for line in lines for part in _folded(line))


def _registration(contest: Contest, page: str) -> list[str]:
    """From its first to its last time; where only one is set, that moment."""
    times = [it for it in (contest.registration_opens, contest.registration_closes) if it is not None]
    if not times:
        return []
    title = f"{contest.title} · {Phase.Kind.REGISTRATION.label}"
    return _event(f"registration-{contest.pk}", title, (times[0], times[-1]), page, contest)


def _event(
    key: str, title: str, span: tuple[datetime.datetime, datetime.datetime], page: str, contest: Contest
) -> list[str]:
    return [
        "BEGIN:VEVENT",
        # The same phase of the same site stays one event, also after its times were changed.
        f"UID:{key}@{page.split('/')[2]}",
        f"DTSTAMP:{_time(contest.created_at)}",
        f"DTSTART:{_time(span[0])}",
        f"DTEND:{_time(span[1])}",
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
