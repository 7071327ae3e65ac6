"""The crawls of these tests ask for every picture again and again."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator

import pytest
from django.utils.translation import get_language


@pytest.fixture(scope="session", autouse=True)
def pictures_drawn_once() -> Iterator[None]:
    """Matplotlib is slow, and the same chart gives the same bytes (tests/charts): draw each chart once."""
    from contest.charts.png import png
    from contest.views import picture_files

    @functools.cache
    def drawn(chart: bytes, _language: str) -> bytes:
        return png(pickle.loads(chart))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture_files, "png", lambda chart: drawn(pickle.dumps(chart), get_language()))
        yield
