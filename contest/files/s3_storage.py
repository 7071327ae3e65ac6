"""Files in a bucket of a service that speaks S3, for installations without a shared volume."""

from __future__ import annotations

from typing import Any

from storages.backends.s3 import S3Storage


class BucketStorage(S3Storage):
    """A private bucket. A service shows an object only when all of it has arrived, as our own store does."""

    def get_default_settings(self) -> dict[str, Any]:
        return {
            **super().get_default_settings(),
            "default_acl": None,
            "querystring_auth": True,
            # The name is the content's hash: writing it twice writes the same bytes.
            "file_overwrite": True,
            "max_memory_size": 16 * 1024 * 1024,
        }
