"""An unchanged Codabench bundle is a game: its scoring program runs in the sandbox as on Codabench."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from attacks.sandbox import run_files
from datasets.zip_writer import zipped
from games.codabench.convert import as_game
from games.contract.boxes import FolderBox
from games.contract.broken import GameFailed
from games.contract.reading import BadGame
from games.loading import load_folder, read_folder
from games.rehearsal import Rehearsal
from games.sandboxed import SandboxedGame
from games.zips import read_zip
from tests.conftest import ROOT

BUNDLE = ROOT / "tests" / "games" / "codabench"
TRUTH = (1, 0, 1, 1, 0, 0, 1, 0)


def bundle() -> dict[str, bytes]:
    box = FolderBox(BUNDLE)
    return {name: (BUNDLE / name).read_bytes() for name in box.names() if "__pycache__" not in name}


def submission(answers: tuple[int, ...]) -> dict[str, bytes]:
    text = "".join(f"{answer}\n" for answer in answers)
    return {"submission.zip": zipped({"answer.csv": text.encode()})}


def unpacked(files: Mapping[str, bytes], folder: Path) -> Path:
    return read_zip(io.BytesIO(zipped(files))).unpack(folder / "game")


def played(files: Mapping[str, bytes], folder: Path) -> Rehearsal:
    """A round of the bundle, every verb in the sandbox."""
    place = unpacked(files, folder)
    game = SandboxedGame(place, read_folder(place), partial(run_files, accept_uncounted=True))
    return Rehearsal(game, {}, ("fox", "badger", "hare"))


def changed(name: str, before: str, after: str) -> dict[str, bytes]:
    files = bundle()
    text = files[name].decode()
    assert before in text
    return {**files, name: text.replace(before, after).encode()}


def test_an_unchanged_bundle_is_played(tmp_path: Path, sandbox: str) -> None:
    round_ = played(bundle(), tmp_path)
    assert list(round_.entries) == ["task-0"]
    answers = {"fox": TRUTH, "badger": (1, 0, 1, 1, 0, 0, 0, 0), "hare": (1, 0, 1, 1, 0, 0, 1, 1)}
    found = {}
    for seat, (team, answer) in enumerate(answers.items()):
        (cell,) = round_.answer(seat, submission(answer)).cells
        found[team] = dict(cell.result.numbers)
        assert cell.result.risk is None
    # One of eight is wrong for badger (a member not named) and for hare (a stranger named), by hand.
    assert found["fox"] == {"accuracy": 1.0, "wrong_names": 0.0, "best": 1.0, "duration": 0.5}
    assert found["badger"] == {"accuracy": 0.875, "wrong_names": 0.0, "best": 0.875, "duration": 0.5}
    assert found["hare"] == {"accuracy": 0.875, "wrong_names": 1.0, "best": 1.0, "duration": 0.5}
    (board,) = round_.boards()
    assert board.columns == ("accuracy", "wrong_names", "best")
    assert [row.key for row in board.rows] == ["fox", "badger", "hare"]
    assert bytes(cell.result.evidence["detailed_results.html"]) == b"<p>7 right</p>"


def test_programs_and_data_may_be_zips_in_a_folder_around_them(tmp_path: Path, sandbox: str) -> None:
    files = changed("competition.yaml", "reference_data: reference_data/", "reference_data: ref.zip")
    files["competition.yaml"] = files["competition.yaml"].replace(b"scoring_program/", b"program.zip")
    for part, name in (("reference_data", "ref.zip"), ("scoring_program", "program.zip")):
        inner = {key: files.pop(key) for key in list(files) if key.startswith(f"{part}/")}
        files[name] = zipped({key.partition("/")[2]: content for key, content in inner.items()})
    around = {f"my-bundle/{name}": content for name, content in files.items()}
    (cell,) = played(around, tmp_path).answer(0, submission(TRUTH)).cells
    assert cell.result.numbers["accuracy"] == 1.0


def test_scores_may_be_lines_of_text(tmp_path: Path, sandbox: str) -> None:
    program = (
        "import sys\n"
        "source, out = sys.argv[1:]\n"
        "answer = open(source + '/res/answer.csv').read().split()\n"
        "open(out + '/scores.txt', 'w').write(f'accuracy: {len(answer) / 8}\\nwrong_names: none\\n')\n"
    )
    files = {**bundle(), "scoring_program/score.py": program.encode()}
    files["scoring_program/metadata.yaml"] = b"command: python $program/score.py $input $output\n"
    (cell,) = played(files, tmp_path).answer(0, submission(TRUTH)).cells
    assert cell.result.numbers == {"accuracy": 1.0, "wrong_names": None, "best": None, "duration": None}
    # Such a program names no path of Codabench, so that a site that trusts it can run it without a sandbox.
    trusted = Rehearsal(load_folder(tmp_path / "game"), {}, ("fox",))
    assert trusted.answer(0, submission(TRUTH)).cells[0].result.numbers == cell.result.numbers


def test_a_program_that_fails_is_the_organisers_to_see(tmp_path: Path, sandbox: str) -> None:
    round_ = played(bundle(), tmp_path)
    with pytest.raises(GameFailed) as caught:
        round_.answer(0, submission((1, 0)))
    assert "wrong number of lines" in caught.value.log and "ended with 1" in caught.value.log
    assert "wrong number of lines" not in str(caught.value.sentence)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title: "Who is a member?"', "title: 7", "title: got '7', expected a text"),
        (
            "reference_data: reference_data/",
            "reference_data: nowhere",
            "got 'nowhere', expected a folder or a zip",
        ),
        ("    tasks: [0]", "    tasks: [3]", "got '3', expected the index of a task"),
        ("sorting: asc, hidden", "sorting: up, hidden", "got 'up', expected asc or desc"),
        ("computation: max", "computation: median", "got 'median', expected sum, avg, min or max"),
        ("key: accuracy, ", "", "expected a text"),
        ("leaderboards:", "boards:", "leaderboard: expected a list"),
        ("    name: Members", "    ingestion_program: scoring_program", "expected no ingestion program"),
        ("version: 2", "version: [", "expected YAML"),
    ],
)
def test_what_cannot_be_played_is_located(before: str, after: str, said: str) -> None:
    with pytest.raises(BadGame, match=r"competition\.yaml, line \d+") as caught:
        as_game(changed("competition.yaml", before, after))
    assert said in str(caught.value)
