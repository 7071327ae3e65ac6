"""Zip archives whose bytes depend on nothing but what is in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can hold: no archive tells when it was made."""
PLAIN_FILE = 0o100644 << 16


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            about = zipfile.ZipInfo(name, OLDEST)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 3
            about.external_attr = PLAIN_FILE
            archive.writestr(about, files[name])
    return packed.getvalue()
