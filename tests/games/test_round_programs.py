"""Programs of teams on a round in a folder: the starters run in the sandbox as on a site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attacks.sandbox import NoSandbox, choose_backend
from attacks.sandbox import run as sandbox_run
from games.loading import load_folder
from games.round_folder import read_files
from games.starters import hider, seeker
from kakurenbo.main import main
from tests.conftest import ROOT, missing

GAMES = {name: ROOT / "tests" / "games" / name for name in ("mini", "pair")}
GAMES["skeleton"] = ROOT / "games" / "skeleton"


@pytest.fixture
def _sandbox() -> None:
    try:
        choose_backend("auto", accept_uncounted=True)
    except NoSandbox as error:
        missing(f"sandbox absent: {error}")


def built(game: str, place: Path) -> Path:
    folder, made = GAMES[game], place / "round"
    words = ["game", "build", str(folder), "--out", str(made), "--teams", "tanuki,kitsune", "--seed", "5"]
    sources = place / "data"
    if game == "mini":
        sources.mkdir()
        (sources / "people.csv").write_text("age\n30\n41\n52\n", encoding="utf-8")
    elif game == "skeleton":
        sources = folder / "data"
    assert main([*words, "--from", str(sources)] if sources.is_dir() else words) == 0
    method = load_folder(folder).declaration.methods[0].name
    for seat, team in enumerate(("tanuki", "kitsune")):
        common = ["--round", str(made), "--game", str(folder), "--seat", str(seat)]
        entry = str(place / team)
        assert main(["anonymize", method, *common, "--out", entry, "--seed", "7"]) == 0
        assert main(["score", *common, "--entry", entry, "--as", team]) == 0
    return made


def program(place: Path, name: str, text: str) -> str:
    path = place / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("_sandbox")
@pytest.mark.parametrize("game", ["skeleton", "mini"])
def test_both_starters_run_as_on_a_site(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, declared = built(game, tmp_path), load_folder(GAMES[game]).declaration
    common = ["--round", str(made), "--game", str(GAMES[game]), "--seat", "0"]
    own = program(tmp_path, "hider", hider(declared) + "\nprint('hidden well')\n")
    capsys.readouterr()
    assert main(["anonymize", own, *common, "--out", str(tmp_path / "own")]) == 0
    captured = capsys.readouterr()
    assert "valid" in captured.out
    assert "hidden well" in captured.err, "the log of the program"
    assert main(["check", *common, "--entry", str(tmp_path / "own")]) == 0
    for challenge in declared.challenges:
        out = tmp_path / f"answer-{challenge.name}"
        own = program(tmp_path, "seeker", seeker(declared, challenge))
        assert main(["attack", own, *common, "--others", "--out", str(out)]) == 0
        assert "on 1 of 1 targets" in capsys.readouterr().out
        assert main(["judge", *common, "--others", "--answer", str(out), "--json"]) == 0
        cells = json.loads(capsys.readouterr().out)
        assert [(cell["target"], cell["challenge"]) for cell in cells] == [("kitsune", challenge.name)]


@pytest.mark.usefixtures("_sandbox")
def test_the_answers_about_single_targets_become_one_file_where_the_game_wants_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, declared = built("pair", tmp_path), load_folder(GAMES["pair"]).declaration
    common = ["--round", str(made), "--game", str(GAMES["pair"]), "--seat", "0"]
    own = program(tmp_path, "seeker", seeker(declared, declared.challenge("mia")))
    out = tmp_path / "answer"
    assert main(["attack", own, *common, "--out", str(out)]) == 0
    lines = (out / "mia.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] in ("tanuki,kitsune", "kitsune,tanuki")
    assert len(lines) == 31 and {len(line.split(",")) for line in lines} == {2}
    capsys.readouterr()
    assert main(["judge", *common, "--answer", str(out), "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)
    assert {(cell["target"], cell["challenge"]) for cell in cells} >= {("kitsune", "mia")}


LOOKING = """\
import json, sys
from pathlib import Path

places = dict(zip(("round", "mine", "target"), map(Path, sys.argv[1:4])))
seen = {name: sorted(path.name for path in place.iterdir()) for name, place in places.items()}
print(json.dumps(seen))
key = json.loads((places["target"] / "target.json").read_text())["key"]
if key == "kitsune":
    sys.exit("I give up")
asked = (places["target"] / "candidates.csv").read_text().split()
Path(sys.argv[4], f"{key}.csv").write_text("0.5\\n" * (len(asked) - 1))
"""


@pytest.mark.usefixtures("_sandbox")
def test_a_program_sees_what_the_site_would_hand_it_even_beside_all_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = built("skeleton", tmp_path)
    assert (made / "round.json").is_file()
    own = program(tmp_path, "reidentify", LOOKING)
    common = ["--round", str(made), "--game", str(GAMES["skeleton"]), "--seat", "0"]
    capsys.readouterr()
    assert main(["attack", own, *common, "--out", str(tmp_path / "answer")]) == 1, "one target has no answer"
    captured = capsys.readouterr()
    seen = [json.loads(line) for line in captured.err.splitlines() if line.startswith("{")]
    published = ["candidates.csv", "release.csv", "target.json"]
    assert seen == [{"round": [], "mine": ["mine.csv"], "target": published}] * 2
    assert "I give up" in captured.err and "on 1 of 2 targets" in captured.out
    assert list(read_files(tmp_path / "answer")) == ["tanuki.csv"]


def test_without_a_sandbox_nothing_runs_and_the_reason_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = built("skeleton", tmp_path)

    def none(*words: object, **options: object) -> str:
        raise NoSandbox("This machine has no user namespaces.")

    monkeypatch.setattr(sandbox_run, "choose_backend", none)
    common = ["--round", str(made), "--game", str(GAMES["skeleton"]), "--seat", "0"]
    own = program(tmp_path, "reidentify", "print('it ran')\n")
    for words in (["attack", own], ["anonymize", own]):
        capsys.readouterr()
        assert main([*words, *common, "--out", str(tmp_path / "out")]) == 2
        said = capsys.readouterr()
        assert "there is none here. This machine has no user namespaces." in said.err
        assert "it ran" not in said.err + said.out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["./absent.py", "absent.zip"])
def test_a_program_that_is_not_there_is_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--round", str(built("skeleton", tmp_path)), "--game", str(GAMES["skeleton"]), "--seat", "0"]
    capsys.readouterr()
    assert main(["attack", name, *common, "--out", str(tmp_path / "out")]) == 2
    assert f"There is no program {name}." in capsys.readouterr().err
