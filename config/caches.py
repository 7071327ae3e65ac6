"""The cache in Redis, in JSON, so that write access to Redis runs nothing in the web process.

Django's own serializer unpickles, and unpickling runs whatever the writer of the bytes wants.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import ResponseError

if TYPE_CHECKING:
    Key = str | bytes | memoryview[int]

logger = logging.getLogger(__name__)


class Unreadable(Exception):
    """The site has not written these bytes."""


class JsonSerializer:
    """Stores what JSON can hold, and refuses what would come back as something else."""

    def dumps(self, value: object) -> bytes:
        _require_json(value)
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")

    def loads(self, data: bytes | int) -> Any:
        try:
            return json.loads(data if isinstance(data, bytes) else str(data), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise Unreadable from None


class JsonClient(RedisCacheClient):
    """Treats what cannot be read as missing, and removes it."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, serializer="config.caches.JsonSerializer", **options)

    def get(self, key: Key, default: Any) -> Any:
        try:
            return super().get(key, default)
        except (Unreadable, ResponseError):
            self._remove(key)
            return default

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Any]:
        absent = object()
        found = {key: self.get(key, absent) for key in keys}
        return {key: value for key, value in found.items() if value is not absent}

    def incr(self, key: Key, delta: int) -> int:
        try:
            return int(super().incr(key, delta))
        except ResponseError:
            self._remove(key)
            raise ValueError(f"Key {key!r} not found.") from None

    def _remove(self, key: Key) -> None:
        logger.warning("the cache held something unreadable under %s: removed", key)
        self.delete(key)


class JsonRedisCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = JsonClient


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON.")


def _require_json(value: object) -> None:
    """Refuse keys that are not texts, tuples, unbounded numbers and everything that JSON cannot express."""
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, float) and value - value == 0:
        return
    if isinstance(value, list):
        for inner in value:
            _require_json(inner)
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        for inner in value.values():
            _require_json(inner)
    else:
        raise TypeError(
            "The cache stores None, texts, finite numbers, lists, and objects with texts as keys. "
            f"Got {type(value).__name__} instead."
        )
