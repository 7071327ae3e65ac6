"""Settings of the tests: the real ones on a database and a folder of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from tests.memory import folder_in_memory

# Database and stores, some 200 MB in the end: the processes that tests start wait for each write to them.
_folder = tempfile.mkdtemp(prefix="kakurenbo-tests-", dir=folder_in_memory(4 * 1024**3))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["KAKURENBO_VAR"] = _folder

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STORAGES, VAR  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# A file, not memory: the tests of jobs let other processes work on the same database.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(Path(VAR) / "test.sqlite3")}
    # No test pulls the plug of the machine, so that nothing has to wait for its disk.
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
LOGGING_CONFIG = None
(VAR / "static").mkdir()
