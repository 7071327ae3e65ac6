"""Every hostile game is contained, the organiser gets a word for it, and teams learn nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attacks.sandbox import run_files
from datasets.messages import Message
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.broken import BrokenGame
from games.contract.values import Question, Result, Seat, Target, World
from games.laws import checked
from games.loading import read_folder
from games.sandboxed import SandboxedGame
from tests.attacks.sandbox.conftest import SECRET, Platform, left_behind
from tests.games.hostile import ANSWERING, EVERY, REACHING, TELLING, USING, Hostile

OWN = "only-this-game-may-read-it"
SMALL = {
    "cpu_seconds": 2,
    "wall_seconds": 120,
    "memory_bytes": 700 << 20,
    "processes": 16,
    "scratch_bytes": 32 << 20,
    "output_bytes": 24 << 20,
    "log_bytes": 8 << 10,
    "files": 300,
}
WORLD = World({}, EMPTY, MemoryBox({"people.csv": f"x\n{OWN}\n".encode()}))
SEAT = Seat(0, "aki", EMPTY, EMPTY)
TARGET = Target("aki", "", 0, {}, SEAT, MemoryBox({"up.csv": b"a,1\nb,2\n"}), EMPTY, EMPTY)
ANSWER = MemoryBox({"guess.csv": b"a\n"})
JUDGED = Question("who", SEAT, TARGET, ANSWER), Result(0.5, {"hits": 1.0}, evidence={"found": np.arange(3)})
RNG = np.random.default_rng(0)


def out_of(game: SandboxedGame, scope: Any, *makers: Any) -> MemoryOut:
    return MemoryOut(game.declaration.files_of(scope, *makers))


CALLS: dict[str, Callable[[SandboxedGame], Any]] = {
    "build": lambda game: game.build(EMPTY, {}, RNG, out_of(game, "round", "build")),
    "check": lambda game: list(game.check(WORLD, TARGET)),
    "measure": lambda game: game.measure(WORLD, TARGET, ["loss"]),
    "verdict": lambda game: game.verdict("standard", {"loss": 0.5}, {}),
    "cover": lambda game: list(game.cover(WORLD, SEAT, ANSWER, [TARGET])),
    "judge": lambda game: game.judge(WORLD, "who", SEAT, TARGET, ANSWER),
    "judge_all": lambda game: list(game.judge_all(WORLD, [Question("who", SEAT, TARGET, ANSWER)])),
    "pictures": lambda game: list(game.pictures(WORLD, TARGET)),
    "answer_pictures_all": lambda game: list(game.answer_pictures_all(WORLD, [JUDGED])),
    "tally": lambda game: list(game.tally("standard", {}, [], lambda: iter(()), {})),
}


def caged(hostile: Hostile, folder: Path, facts: dict[str, object]) -> SandboxedGame:
    limits = dict.fromkeys(CALLS, SMALL | hostile.limits)
    written = hostile.written(folder, facts)
    run = partial(run_files, accept_uncounted=True)
    return SandboxedGame(written, read_folder(written), run, limits)


def test_there_are_at_least_thirty() -> None:
    assert len(EVERY) == sum(map(len, (REACHING, USING, ANSWERING, TELLING))) >= 30


@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_game_is_contained(
    name: str, sandbox: str, platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = EVERY[name]
    monkeypatch.setenv("KAKURENBO_SECRET", SECRET)
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before = platform.contents()
    game = caged(hostile, tmp_path / "game", platform.facts)
    mine = {path.name: path.read_bytes() for path in (tmp_path / "game").iterdir()}

    code, told, log = "", "", ""
    try:
        CALLS[hostile.verb](game)
        log = game.log
    except BrokenGame as error:
        code, told, log = error.code, str(error.sentence), error.log
        assert error.verb == hostile.verb
        assert isinstance(error.sentence, Message) and told.startswith(f"In {hostile.verb}: ")

    assert code in hostile.codes, (code, told, log)
    assert "ESCAPED" not in log, log
    assert hostile.logged in log
    assert SECRET not in told + log
    # The organiser, who brought the secret, is quoted what was not shown to the team.
    assert OWN not in told or code in ("bad-refusal", "unknown-picture")
    assert len(log) <= SMALL["log_bytes"] + 200
    assert not any(character in log for character in "\x1b\x07\0\r\u202e")
    assert platform.contents() == before
    assert platform.bystander.poll() is None
    assert {path.name: path.read_bytes() for path in (tmp_path / "game").iterdir()} == mine
    assert left_behind(place) == []
    assert list(place.iterdir()) == []
    assert not list(tmp_path.rglob("escaped"))


def test_nothing_is_left_for_the_next_call(sandbox: str, tmp_path: Path) -> None:
    game = caged(
        Hostile("print('ESCAPED' if os.path.exists('/tmp/mark') else 'first')\nwrite('/tmp/mark')"),
        tmp_path,
        {},
    )
    for _ in range(2):
        assert game.measure(WORLD, TARGET, ["loss"]) == {"loss": 0.5}
        assert game.log == "first\n"


@pytest.mark.parametrize(
    "source", ["time.time_ns()", "os.urandom(4).hex()", "np.random.default_rng().random()"]
)
def test_an_answer_by_chance_breaks_a_law(source: str, sandbox: str, tmp_path: Path) -> None:
    hostile = Hostile(f"out.create('made.csv').write(str({source}).encode())", verb="build")
    caged(hostile, tmp_path, {})
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text("x\n1\n", encoding="utf-8")
    run = partial(run_files, accept_uncounted=True)
    made = partial(SandboxedGame, tmp_path, read_folder(tmp_path), run)
    (finding,) = checked(tmp_path, "same-twice", made=made)
    assert (finding.holds, finding.text) == (False, "The two differ.")
