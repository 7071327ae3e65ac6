"""Follows every link that somebody is shown, from the front page on."""

from __future__ import annotations

import re
from collections import deque
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.test import Client

LINK = re.compile(rb"""(?:href|src|action|hx-get)=["']([^"'#]+)""")
SKIPPED = ("/static/", "/methods/", "/logout/", "/i18n/", "/kit/", "/tokens/")
CHANGING = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]+"|X-CSRFToken[^}]+|<time[^>]*>.*?</time>'
    rb"|<[^>]*data-(?:until|countdown)[^>]*>[^<]*<"
    rb'|"as_of": "[^"]+"',
    re.DOTALL,
)
"""What differs between two looks at the same page: tokens of forms, and how long ago something was."""


def crawl(
    client: Client, starts: tuple[str, ...] = ("/",), most: int = 300, left_out: re.Pattern[bytes] = CHANGING
) -> dict[str, bytes]:
    """The bodies of all pages and files within reach, by address, without what is to be left out."""
    found: dict[str, bytes] = {}
    waiting = deque(starts)
    while waiting and len(found) < most:
        path = waiting.popleft()
        if path in found or path.startswith(SKIPPED):
            continue
        answer: Any = client.get(path)
        assert answer.status_code < 500, (path, answer.status_code)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[path] = left_out.sub(b"", body)
        if answer.status_code in (301, 302):
            waiting.append(_local(path, answer["Location"]) or path)
        for link in LINK.findall(body):
            target = _local(path, link.decode("utf-8", "replace").replace("&amp;", "&"))
            # A board is sorted by each column once, not by each after each.
            if target is not None and not ("sort=" in path and "sort=" in target):
                waiting.append(target)
    assert len(found) < most, "the crawl did not end"
    return found


def _local(page: str, link: str) -> str | None:
    parts = urlsplit(urljoin(f"http://testserver{page}", link))
    if parts.hostname != "testserver" or parts.scheme not in ("http", "https"):
        return None
    return parts.path + (f"?{parts.query}" if parts.query else "")
