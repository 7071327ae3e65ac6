"""Programs of teams in rounds of a game: how they are started, and what they give back.

    python reidentify.py ROUND MINE TARGET OUT
    python anonymize.py ROUND MINE TASK OUT

ROUND holds the files of the round, MINE those of the team's own seat. A seeker finds in TARGET what is
published of one target, with its name, slot and labels in ``target.json``, and writes its answer's files into
OUT. A hider finds in TASK the slot, the alternative and the round's parameters in ``task.json``, and writes
the files of an entry into OUT; it may run on data that its authors never see.
"""

from __future__ import annotations

from collections.abc import Mapping

from datasets.file_stream import BadStream, StreamLimits, read_stream
from games.sdk import sdk_files

STARTER = "start.py"
SEEKER, HIDER = "reidentify", "anonymize"
"""The scripts or executables that are started."""
SEEKER_INPUTS, HIDER_INPUTS = ("round", "mine", "target"), ("round", "mine", "task")
TARGET_FACTS, TASK_FACTS = "target.json", "task.json"
_START = b"""import subprocess, sys, tempfile
from pathlib import Path

from datasets.file_stream import write_stream

entry, *places, answer = (Path(__file__).parent / "entry.txt").read_text(), *sys.argv[1:]
program = str(Path(__file__).parent / "team" / entry)
command = [sys.executable, program] if entry.endswith(".py") else [program]
with tempfile.TemporaryDirectory() as out:
    code = subprocess.run([*command, *places, out]).returncode
    if code == 0:
        with open(answer, "wb") as target:
            write_stream(Path(out), target)
sys.exit(code if code >= 0 else 1)
"""


def started(files: Mapping[str, bytes], entry: str) -> dict[str, bytes]:
    """The files of a team's program with what starts it; the entry of all is `STARTER`."""
    team = {f"team/{name}": content for name, content in files.items()}
    return {**sdk_files(), **team, STARTER: _START, "entry.txt": entry.encode()}


def files_of(output: bytes, most_bytes: int) -> dict[str, bytes] | None:
    """The files that a program wrote, or None where they are not files within the limits."""
    try:
        return read_stream(output, StreamLimits(total_bytes=most_bytes))
    except BadStream:
        return None
