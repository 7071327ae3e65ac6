"""What every test may use: the real data beside the project, and skips that cannot hide in CI."""

from __future__ import annotations

import gc
import os
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management.color import Style
from django.utils import translation

from tests.skips import pytest_terminal_summary  # noqa: F401  # pytest calls it

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"


def missing(reason: str) -> None:
    """Skip because this machine lacks something; with KAKURENBO_REQUIRE_ALL set, fail instead.

    The reason reads "what is absent: what would fix it"; see tests/skips.py.
    """
    if os.environ.get("KAKURENBO_REQUIRE_ALL"):
        pytest.fail(f"{reason} (KAKURENBO_REQUIRE_ALL is set, so this is a failure)")
    pytest.skip(reason)


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(autouse=True)
def language_of_the_site() -> Iterator[None]:
    """A page asked for in Japanese leaves that language active in this thread; the next test starts anew."""
    translation.deactivate()
    yield
    translation.deactivate()


KEPT = {"django_content_type", "auth_permission"}
"""Tables that Django fills with the same rows after emptying them: one per model and permission."""


@pytest.fixture(scope="session", autouse=True)
def emptied_by_deleting() -> Iterator[None]:
    """PostgreSQL needs longer to truncate one table than to delete the few rows that a test leaves in all."""
    from django.core.management.commands import flush
    from django.db import connection

    def deletes(style: Style, tables: Sequence[str], **_wishes: bool) -> list[str]:
        names = sorted(set(tables) - KEPT)
        return [f"DELETE FROM {connection.ops.quote_name(table)};" for table in names]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(connection.ops), "sql_flush", staticmethod(deletes))
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_arguments, **_options: None)
        yield


UMASK = os.umask(0o022)
os.umask(UMASK)


@pytest.fixture(autouse=True)
def usual_umask() -> None:
    """The entrances of the platform make new files private; this process is the tests' own."""
    os.umask(UMASK)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that stands beside the project on the house's machines."""
    if not SHARED_DATA.is_dir():
        missing("real data absent: there is no folder shared/data beside the project")
    return SHARED_DATA


@pytest.fixture(autouse=True)
def no_memory_of_other_tests() -> None:
    """Databases of tests begin again with the same primary keys, which elsewhere never come back."""
    if "contest.board.single_flight_cache" in sys.modules:
        sys.modules["contest.board.single_flight_cache"].forget_everything()
    if "contest.services.board_versions" in sys.modules:
        sys.modules["contest.services.board_versions"].has_game.cache_clear()


LONGEST = (
    "on_postgresql_with[redis-0]",
    "on_postgresql_with[redis-1]",
    "test_demo",
    "on_postgresql_with[rabbitmq",
    "test_portability",
    "test_up",
)
"""The longest tests. Those that mostly wait for other processes stand beside those that mostly compute."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests begin first, then the slow ones: no process is left alone with them at the end."""

    def place(item: pytest.Item) -> list[bool]:
        return [*(name not in item.nodeid for name in LONGEST), item.get_closest_marker("slow") is None]

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What is loaded by now stays until the end: the garbage collector need not look through it each time."""
    gc.collect()
    gc.freeze()


SHARING = re.compile(r'^@pytest\.fixture\(scope="(module|session)"', re.MULTILINE)


@cache
def shares(file: str) -> bool:
    """Whether the tests of a file share what a fixture makes: then one process runs them all."""
    return SHARING.search((ROOT / file).read_text(encoding="utf-8")) is not None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if shares(file) else nodeid

    return Scheduling(config, log)
