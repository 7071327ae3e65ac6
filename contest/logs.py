"""Log lines that machines can read: one JSON object each, with the request and the job it belongs to."""

from __future__ import annotations

import datetime
import json
import logging
import re
from contextvars import ContextVar
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
job_id: ContextVar[int | None] = ContextVar("job_id", default=None)

SECRETS = re.compile(
    r"(?P<link>/join/|/password/reset/|/confirm/)[^\s\"']+"
    r"|(?P<key>kkb_|[Bb]earer )[^\s\"']+"
    r"|(?P<service>://[^\s/:@]*:)[^\s/@]+(?=@)"
    r"|(?P<elsewhere>[?&](?:code|state|id_token|access_token)=)[^\s&\"']+"
)
"""Addresses and keys that give their reader access: links of invitations and resets, tokens,
passwords of services, and what a provider adds to the address of somebody who logs in there."""


def redacted(text: str) -> str:
    """The text without what would let its reader in.

    >>> redacted("Not Found: /join/abc/ with kkb_123 at redis://:secret@host:1/0")
    'Not Found: /join/… with kkb_… at redis://:…@host:1/0'
    """
    return SECRETS.sub(lambda found: f"{found[found.lastgroup or 0]}…", text)


class Redact(logging.Filter):
    """Removes secrets from every record, no matter who wrote it."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        clean = redacted(message)
        if clean != message:
            record.msg, record.args = clean, None
        return True


class LineFormatter(logging.Formatter):
    """Lines for people, with the traceback redacted like the message."""

    def formatException(self, ei: Any) -> str:
        return redacted(super().formatException(ei))


class Json(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        fields: dict[str, Any] = {
            "at": at.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if request_id.get():
            fields["request"] = request_id.get()
        if job_id.get() is not None:
            fields["job"] = job_id.get()
        fields |= getattr(record, "facts", {})
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)
