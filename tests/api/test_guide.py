"""docs/api-guide.md, run from its first command to its last against a site that is really served."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import close_old_connections

from contest.models import Attack, Entry
from tests.api.conftest import phases
from tests.conftest import ROOT, missing
from tests.documents import Block, blocks
from tests.factories import (
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)

END = "-- end of block --"
ADDRESS = "export SITE=http://127.0.0.1:8000\n"


@pytest.fixture
def site(live_server: Any, transactional_db: None) -> str:
    """What the guide expects of the demo: usagi's team, which has not played yet, and somebody to seek."""
    round_ = make_round(make_contest(make_user("oni"), slug="demo"), phases=phases())
    usagi, neko = make_user("usagi"), make_user("neko")
    usagi.set_password("hide-and-seek")
    usagi.save()
    make_team(round_.contest, "Usagi", usagi)
    make_entry(round_, make_team(round_.contest, "Neko", neko), entry_files("swap", 2))
    work_off()
    return str(live_server.url)


def guide() -> list[Block]:
    found = blocks((ROOT / "docs/api-guide.md").read_text(encoding="utf-8"))
    assert {block.language for block in found} == {"sh", "json"}
    return found


def script(site: str) -> str:
    """The commands as they are written, but for the address; a line marks where each block ends."""
    commands = [block.content for block in guide() if block.language == "sh"]
    assert commands[0].startswith(ADDRESS)
    commands[0] = commands[0].replace(ADDRESS, f"export SITE={site}\n")
    return "set -euo pipefail\n" + "".join(f"{command}echo; echo '{END}'\n" for command in commands)


def played(text: str, folder: Path) -> str:
    """Run the commands while this process does the work of the workers; returns what they printed."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with (folder / "output").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            ["bash", "-c", text], cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while process.poll() is None:
                work_off()
                close_old_connections()
                try:
                    process.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        printed = output.read()
    assert process.returncode == 0, printed
    return printed


def shown_and_printed(printed: str) -> Iterator[tuple[Any, Any]]:
    """What the guide shows as an answer, beside the last answer of the commands before it."""
    outputs = iter(printed.split(END))
    last = ""
    for block in guide():
        if block.language == "sh":
            last = next(outputs).strip()
        else:
            start = last.rfind("\n{") + 1
            yield json.loads(block.content), json.loads(last[start:])


def assert_same_keys(shown: Any, answered: Any) -> None:
    if isinstance(shown, dict):
        assert shown.keys() == answered.keys()
        for key in shown:
            assert_same_keys(shown[key], answered[key])
    elif isinstance(shown, list) and shown and isinstance(shown[0], dict):
        assert_same_keys(shown[0], answered[0])


def test_the_guide_can_be_followed(site: str, tmp_path: Path) -> None:
    for program in ("curl", "jq"):
        if shutil.which(program) is None:
            missing(f"{program} absent: make system installs it")
    printed = played(script(site), tmp_path)
    entry = Entry.objects.get(team__name="Usagi")
    attack = Attack.objects.get(team__name="Usagi")
    assert entry.state == "valid" and entry.note == attack.note == "by curl"
    assert attack.runs.get().state == "done"
    assert "Usagi" in printed and "Neko" in printed and "\n304\n" in printed
    pairs = list(shown_and_printed(printed))
    assert len(pairs) == 5
    for shown, answered in pairs:
        assert_same_keys(shown, answered)
