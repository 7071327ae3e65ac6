"""Games in the sandbox: the same bytes and numbers, and nothing but what a verb needs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from attacks.sandbox import run_files
from games.apart import run_here
from games.contract.boxes import EMPTY, MemoryBox, MemoryOut
from games.contract.broken import BrokenGame
from games.contract.guard import Refusals
from games.contract.values import Fault, Question
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal, generator
from games.round_folder import read_files
from games.sandboxed import NotIsolated, SandboxedGame, SandboxedRun
from games.sdk import MODULES, sdk_files
from games.zips import pack, read_zip
from kakurenbo.main import main
from tests.conftest import ROOT

TOYS = Path(__file__).parent
FOLDERS = {
    "pair": TOYS / "pair",
    "pool": TOYS / "pool",
    "locket": TOYS / "locket",
    "skeleton": ROOT / "games" / "skeleton",
}
OURS = {package.split("/")[0] for package in MODULES}
HOUSE = ("pwscup2024", "pwscup2025", "pwscup2026", "membership", "snake", "midst")
"""Games of the house that import nothing but what uploaded ones may."""


def caged(folder: Path) -> SandboxedGame:
    return SandboxedGame(folder, read_folder(folder), partial(run_files, accept_uncounted=True))


@pytest.mark.parametrize("name", FOLDERS)
def test_the_sandbox_gives_the_same_bytes_and_numbers(name: str, sandbox: str) -> None:
    inside, plain = (
        all_of(game, FOLDERS[name]) for game in (caged(FOLDERS[name]), load_folder(FOLDERS[name]))
    )
    assert inside == plain
    assert inside["results"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", HOUSE)
def test_a_game_of_the_house_gives_the_same_as_an_uploaded_zip(
    name: str, tmp_path: Path, sandbox: str
) -> None:
    uploaded = read_zip(io.BytesIO(pack(ROOT / "games" / name)))
    place = uploaded.unpack(tmp_path / "game")
    caged_game = SandboxedGame(place, uploaded.declaration, partial(run_files, accept_uncounted=True))
    inside, plain = (short_round(game) for game in (caged_game, load_folder(ROOT / "games" / name)))
    assert inside == plain
    assert inside["results"]


def short_round(game: Any) -> dict[str, Any]:
    """Every byte and number of a round in which two teams enter, if they may, and the second answers."""
    params = game.declaration.rehearsal
    round_ = Rehearsal(game, {}, ("aki", "haru"), params)
    # An uploaded game has the methods of its `game.yaml` alone, which come first.
    methods = [method.name for method in read_folder(ROOT / "games" / game.declaration.name).methods][1:3]
    entries = [round_.enter(seat, round_.anonymize(name, seat)) for seat, name in enumerate(methods)]
    assert all(entered.target is not None for entered in entries)
    answer = round_.attack(game.declaration.attacks[0].name, 1)
    return {"entries": [(dict(one.measures), one.verdict) for one in entries]} | judged(round_, answer, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not os.environ.get("KAKURENBO_LONG"), reason="only on demand: hundreds of sandboxes")
@pytest.mark.parametrize("name", ["pwscup2025", "pwscup2026"])
def test_the_laws_hold_for_a_game_of_the_house_as_a_zip(
    name: str, tmp_path: Path, sandbox: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "game.zip"
    assert main(["game", "pack", str(ROOT / "games" / name), "--out", str(out)]) == 0
    assert main(["game", "test", str(out)]) == 0
    assert "All laws hold." in capsys.readouterr().out


def all_of(game: Any, folder: Path) -> dict[str, Any]:
    """Every byte and number of a short round: one entry by the house, one answer to it, the boards."""
    data = folder / "data"
    sources = read_files(data)
    round_ = Rehearsal(game, sources, ("aki",))
    method = game.declaration.methods[-1].name
    entered = round_.enter(0, round_.anonymize(method, 0), game.declaration.slots[0])
    assert entered.target is not None, entered.problems
    answer = round_.attack(game.declaration.attacks[0].name, 0)
    return {"measures": (entered.measures, entered.verdict)} | judged(round_, answer, 0)


def judged(round_: Rehearsal, answer: Mapping[str, bytes], seat: int) -> dict[str, Any]:
    answered = round_.answer(seat, answer)
    return {
        "made": [dict(files) for _, files in round_.made()],
        "facts": round_.facts,
        "answer": answer,
        "problems": answered.problems,
        "results": [(cell[:3], shown_result(cell.result)) for cell in answered.cells],
        "boards": [(board.name, [tuple(row) for row in board.rows]) for board in round_.boards()],
    }


def shown_result(result: Any) -> tuple[Any, ...]:
    evidence = {name: array.tolist() for name, array in result.evidence.items()}
    return result.risk, dict(result.numbers), result.baseline, result.interval, evidence


def played(game: Any) -> Rehearsal:
    round_ = Rehearsal(game, {}, ("aki", "haru", "natsu"))
    for seat in range(3):
        round_.enter(seat, round_.anonymize("flip", seat))
    return round_


def test_many_questions_are_judged_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = FOLDERS["pair"]
    started = []

    def run(verb: str, *places: Path) -> str:
        started.append(verb)
        return run_here(verb, *places)

    game = caged(folder)
    game.run = run
    round_, plain = played(game), played(load_folder(folder))
    started.clear()
    answered = round_.answer(3, round_.attack("by-age", 3))
    assert started == ["attack", "cover", "judge_all"]
    assert len(answered.cells) == 6
    expected = plain.answer(3, plain.attack("by-age", 3))
    assert [cell[:3] for cell in answered.cells] == [cell[:3] for cell in expected.cells]
    assert [cell.result.numbers for cell in answered.cells] == [
        cell.result.numbers for cell in expected.cells
    ]
    monkeypatch.setattr("games.sandboxed.MOST_QUESTIONS", 4)
    started.clear()
    target = round_.entries["aki"].target
    assert target is not None
    asked = [Question("mia", round_.seat(3), target, MemoryBox(round_.attack("by-age", 3)))] * 6
    assert len(list(game.judge_all(round_.world(), asked))) == 6
    assert started == ["attack", "judge_all", "judge_all"]


def test_a_verb_gets_secrets_only_where_its_work_needs_one(tmp_path: Path) -> None:
    """What is written for the sandbox: the folder of a call holds no byte of a box that is empty."""
    seen: dict[str, set[bytes]] = {}

    def run(verb: str, game: Path, inside: Path, outside: Path) -> str:
        found = {path.read_bytes() for path in inside.rglob("*.csv")}
        seen.setdefault(verb, set()).update(found)
        return run_here(verb, game, inside, outside)

    game = caged(FOLDERS["pair"])
    game.run = run
    round_ = played(game)
    round_.answer(3, round_.attack("by-age", 3))
    secrets = {round_.round_files["world.csv"]} | {files["ids.csv"] for files in round_.seat_files.values()}
    for verb in ("attack", "cover", "anonymize", "verdict"):
        assert not seen.get(verb, set()) & secrets, verb
    assert seen["judge_all"] & secrets


def test_the_sdk_imports_nothing_of_the_platform_but_itself(tmp_path: Path) -> None:
    for name, content in sdk_files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    code = """
import pkgutil, sys
sys.path[:0] = [sys.argv[1]]
sys.modules["numba"] = None  # the sandbox has none
import games.call
for package in sys.argv[2:]:
    for module in pkgutil.iter_modules(__import__(package, fromlist=["x"]).__path__, package + "."):
        __import__(module.name)
for name, module in sorted(sys.modules.items()):
    print(name, getattr(module, "__file__", None) or "-")
"""
    site = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {"PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, str(tmp_path), *(one.replace("/", ".") for one in MODULES)],
        env=environment, cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    ours = {name: file for name, file in loaded.items() if name.split(".")[0] in OURS}
    assert {"arithmetic.products", "games.contract.tables", "games.tables.attacks"} <= set(ours)
    assert all(file.startswith(str(tmp_path)) for file in ours.values())
    strangers = {name.split(".")[0] for name, file in loaded.items() if "site-packages" in file}
    assert strangers <= {"numpy", "pandas", "scipy", "dateutil", "six", "pytz", "tzdata", "_cyutility"}


def test_the_sdk_names_no_folder_of_the_machine() -> None:
    files = sdk_files()
    assert not [name for name, content in files.items() if str(ROOT).encode() in content]
    assert not [name for name in files if name.split("/")[0] not in ("run.py", "yaml", *OURS)]


def test_where_nothing_isolates_no_game_runs() -> None:
    game = SandboxedGame(FOLDERS["pair"], read_folder(FOLDERS["pair"]), partial(run_files, backend="none"))
    with pytest.raises(NotIsolated, match="refused"):
        game.build(EMPTY, {"cohort": 12}, generator("seed"), MemoryOut(()))


def test_a_refusal_that_says_what_it_may_is_passed_on() -> None:
    declared = read_folder(FOLDERS["pair"])
    upload = MemoryBox({"C.csv": b"age,ill\r\n31,0\r\n"})
    allowed = Refusals(declared, declared.files_of("entry", "upload"), upload)
    faults = [
        Fault("token", "C.csv", 2, "age", "31", {"token": 7}),
        Fault("token", "C.csv", None, None, "ill", {"token": "31"}),
        Fault("token", "C.csv", values={"token": "ill"}),
        Fault("token", "C.csv", values={"token": "C.csv"}),
    ]
    assert list(allowed.required(faults)) == faults
    with pytest.raises(BrokenGame, match="a line of the file"):
        list(allowed.required([Fault("token", "C.csv", 3)]))


def test_every_verb_has_limits_of_its_own() -> None:
    asked: dict[str, Any] = {}

    class Ended:
        status, reason, log, output = "killed", "because", "", None

    for verb in ("build", "check", "verdict"):

        def sandbox(files: Any, entry: str, inputs: Any, limits: Any, verb: str = verb) -> Ended:
            asked[verb] = limits
            return Ended()

        with pytest.raises(BrokenGame):
            SandboxedRun(sandbox)(verb, TOYS, TOYS, TOYS)
    assert asked["build"]["cpu_seconds"] > asked["check"]["cpu_seconds"] > asked["verdict"]["cpu_seconds"]
    assert asked["build"]["output_bytes"] > asked["check"]["output_bytes"]
