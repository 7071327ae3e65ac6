"""Nobody else on the machine reads what the platform keeps: the database, letters, stores, logs, backups."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from contest.operations.doctor import machine
from contest.operations.private_files import close_to_others
from tests.conftest import ROOT, free_port
from tests.services.installation import wait_for
from tests.test_up import answers

LETTER_AND_BACKUP = """
from django.core.management import call_command
from contest.services.accounts import sign_up
from contest.outside.outbox import deliver
from contest.models import Mail
sign_up("hana", "hana@example.org", "correct horse battery")
deliver(Mail.objects.get().pk)
call_command("backup", "--out", {backup!r})
"""


def open_to_others(folder: Path) -> list[str]:
    """Everything below a folder, and the folder, that somebody else may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in found if not path.is_symlink()}
    return [f"{path.relative_to(folder)} {mode:o}" for path, mode in modes.items() if mode & 0o077]


def environment(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("KAKURENBO_", "DJANGO_"))}
    return {**kept, "KAKURENBO_VAR": str(folder), "KAKURENBO_LOG_LEVEL": "ERROR"}


@pytest.mark.slow
def test_an_installation_that_runs_keeps_everything_to_itself(tmp_path: Path) -> None:
    """`up` with the demo, a letter and a backup, begun by somebody whose files everybody may read."""
    folder, port = tmp_path / "var", free_port()
    folder.mkdir(mode=0o755)
    (folder / "mail").mkdir(mode=0o755)
    (folder / "mail" / "old.log").write_text("a letter of before", encoding="utf-8")
    command = [sys.executable, "manage.py", "up", "--port", str(port), "--workers", "1"]
    up = subprocess.Popen(command, cwd=ROOT, env=environment(folder), start_new_session=True, umask=0o022)
    try:
        wait_for(lambda: answers(port), 180, "the server answers")
        wait_for(lambda: any((folder / "files" / "vault").rglob("*")), 120, "the demo handed something in")
        code = LETTER_AND_BACKUP.format(backup=str(folder / "backup.zip"))
        subprocess.run([sys.executable, "manage.py", "shell", "-c", code], cwd=ROOT, env=environment(folder),
                       check=True, capture_output=True, umask=0o022, timeout=240)  # fmt: skip
        assert len(list((folder / "mail").iterdir())) >= 2 and (folder / "backup.zip").stat().st_size
        assert open_to_others(folder) == []
    finally:
        # Asked to stop, they would first end the demo's jobs.
        family = psutil.Process(up.pid).children(recursive=True)
        up.kill()
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        up.wait()
        psutil.wait_procs(family, timeout=60)


@pytest.mark.django_db
def test_the_doctor_names_the_file_its_mode_and_the_expected_one(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    close_to_others()
    letter = tmp_path / "letter.log"
    letter.write_text("secret", encoding="utf-8")
    letter.chmod(0o640)
    folder = tmp_path / "mail"
    folder.mkdir()
    folder.chmod(0o711)
    found = machine.file_modes()
    assert found.state == "failed"
    for words in (f"{letter} (0640, expected 0600)", f"{folder} (0711, expected 0700)"):
        assert words in found.text
    assert "chmod" in found.mend
    letter.chmod(0o600)
    folder.chmod(0o700)
    assert machine.file_modes().state == "ok"


@pytest.mark.django_db
def test_preparing_an_installation_mends_what_was_left_open(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    for name in ("kakurenbo.sqlite3", "mail/1.log", "files/vault/aa/aabb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o755)
        path.write_text("x", encoding="utf-8")
        path.chmod(0o664)
    (tmp_path / "elsewhere").symlink_to("/etc/hosts")
    before = stat.S_IMODE(Path("/etc/hosts").stat().st_mode)
    assert close_to_others() > 3
    assert open_to_others(tmp_path) == []
    assert close_to_others() == 0
    assert stat.S_IMODE(Path("/etc/hosts").stat().st_mode) == before, "links are not followed"
