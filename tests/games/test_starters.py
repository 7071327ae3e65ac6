"""Programs to start from: they run as they are, and what they write is legal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from games.contract.boxes import contents, write_files
from games.contract.declaration import Challenge, Column, Declaration, File
from games.loading import installed_games, load_folder, read_completed
from games.rehearsal import Rehearsal
from games.round_folder import read_files
from games.starters import hider, seeker
from tests.conftest import ROOT

SKELETON = ROOT / "games" / "skeleton"
TOYS = {name: ROOT / "tests" / "games" / name for name in ("pool", "mini")}


def ran(program: str, place: Path, folders: dict[str, dict[str, bytes]]) -> dict[str, bytes]:
    """What a program writes, given these folders in their order."""
    place.mkdir()
    script = place / "program.py"
    script.write_text(program, encoding="utf-8")
    for name, files in folders.items():
        (place / name).mkdir(parents=True)
        write_files(place / name, files)
    (place / "out").mkdir()
    places = [str(place / name) for name in (*folders, "out")]
    subprocess.run([sys.executable, "-I", str(script), *places], check=True, capture_output=True)
    return read_files(place / "out")


def facts(**values: object) -> bytes:
    return json.dumps(values).encode()


def rehearsal(folder: Path) -> Rehearsal:
    game = load_folder(folder)
    return Rehearsal(game, read_files(folder / "data"), ("aki", "haru"), game.declaration.rehearsal)


@pytest.mark.parametrize("folder", [SKELETON, *TOYS.values()], ids=lambda folder: folder.name)
def test_both_starters_play_a_round_as_they_are(folder: Path, tmp_path: Path) -> None:
    round_ = rehearsal(folder)
    declared = round_.declared
    sees = contents(round_.world(secret=False).public)
    if declared.takes("hide"):
        for seat in (0, 1):
            slot = declared.slots[0]
            mine = contents(round_.seat(seat, "team").files)
            task = {"task.json": facts(slot=slot, variant=0, parameters={})}
            made = ran(hider(declared), tmp_path / f"hide{seat}", {"round": sees, "mine": mine, "task": task})
            assert round_.enter(seat, made, slot).problems == ()
    targets = round_.targets()
    assert targets
    for challenge in declared.challenges:
        target = next(one for one in targets if one.slot == challenge.slot)
        mine = contents(round_.seat(0, "team").files)
        about = {"target.json": facts(key=target.key, slot=target.slot, labels={})}
        folders = {"round": sees, "mine": mine, "target": contents(target.published) | about}
        answer = ran(seeker(declared, challenge), tmp_path / challenge.name, folders)
        answered = round_.answer(0, answer)
        assert answered.problems == ()
        assert challenge.name in {cell.challenge for cell in answered.cells}


def test_every_installed_game_has_starters_that_can_be_read() -> None:
    for folder in installed_games().values():
        declared = read_completed(folder)
        for challenge in declared.challenges:
            compile(seeker(declared, challenge), "reidentify.py", "exec")
        program = hider(declared)
        compile(program, "anonymize.py", "exec")
        assert len(program) < 100_000


def test_words_of_a_game_stay_words_in_a_program() -> None:
    hostile = '"""\nimport os\\'
    column = Column(hostile, "text")
    files = (File("{target}.csv", "answer", "upload", columns=(column,)),)
    challenge = Challenge("who", {"en": hostile}, {"en": hostile}, ("{target}.csv",))
    declared = Declaration("x", "1", {"en": hostile}, {"en": "people"}, files, (challenge,))
    for program in (seeker(declared, challenge), hider(declared)):
        compiled = compile(program, "x.py", "exec")
        assert "os" not in compiled.co_names
