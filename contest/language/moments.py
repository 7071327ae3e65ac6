"""Times as people read them: in a zone, with its name, to the minute."""

from __future__ import annotations

import datetime
import re
from zoneinfo import ZoneInfo

from django.utils import dateformat

WRITTEN = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([+-]\d\d:\d\d|Z)")


def told(moment: datetime.datetime, zone: ZoneInfo) -> str:
    """A time in a zone, with the zone's name.

    >>> told(datetime.datetime(2026, 11, 18, 15, 35, 21, 5, datetime.UTC), ZoneInfo("Asia/Tokyo"))
    '2026-11-19 00:35 JST'
    """
    return dateformat.format(moment.astimezone(zone), "Y-m-d H:i T")


def times_told(text: str, zone: ZoneInfo) -> str:
    """A text in which every time as programs write it is told in a zone.

    >>> times_told('{"ends_at": "2026-11-18T15:35:21.000005+00:00"}', ZoneInfo("Asia/Tokyo"))
    '{"ends_at": "2026-11-19 00:35 JST"}'
    """

    def said(found: re.Match[str]) -> str:
        try:
            return told(datetime.datetime.fromisoformat(found[0]), zone)
        except (ValueError, OverflowError):
            return found[0]

    return WRITTEN.sub(said, text)
