"""What comes in and goes out: JSON of bounded size and depth, whatever the caller says it accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

MAX_JSON_BYTES = 1024 * 1024


class AlwaysJson(DefaultContentNegotiation):
    """Answers are JSON (or a file) whatever the caller says it accepts, so that errors can be read too."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type


class JsonParser(BaseParser):
    """JSON of bounded size and depth."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        raw = stream.read(MAX_JSON_BYTES + 1)
        if len(raw) > MAX_JSON_BYTES:
            raise ParseError(
                _("The JSON is longer than %(max_json_bytes)s bytes.")
                % {"max_json_bytes": f"{MAX_JSON_BYTES:,}"},
                code="json-too-long",
            )
        try:
            return json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError(
                _("The body is not JSON: %(error)s.") % {"error": error}, code="malformed-json"
            ) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
