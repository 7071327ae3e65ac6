"""`kakurenbo game`: list, show, new and test."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from kakurenbo.main import main
from tests.conftest import ROOT


def test_a_new_game_keeps_every_law(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["game", "new", "tanuki-2027", "--folder", str(tmp_path)]) == 0
    package = tmp_path / "tanuki-2027" / "tanuki_2027"
    assert str(package) in capsys.readouterr().out
    assert main(["game", "test", str(package), "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert {finding["law"]: finding["holds"] for finding in findings} == {
        finding["law"]: True for finding in findings
    }
    assert main(["game", "show", str(package)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("tanuki-2027 1.0: tanuki-2027")
    assert "Which candidates are in the table?" in shown
    project = (tmp_path / "tanuki-2027" / "pyproject.toml").read_text(encoding="utf-8")
    assert 'tanuki-2027 = "tanuki_2027"' in project


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep", encoding="utf-8")
    assert main(["game", "new", "mine", "--folder", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes"]


@pytest.mark.parametrize("name", ["Tanuki", "7up", "a b", "../a", "", "x" * 51])
def test_a_name_is_checked_before_anything_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["game", "new", name, "--folder", str(tmp_path)]) == 2
    assert "small letters" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_broken_law_is_named_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["game", "new", "leaky", "--folder", str(tmp_path)])
    code = tmp_path / "leaky" / "leaky" / "game.py"
    text = code.read_text(encoding="utf-8")
    assert "baseline=0.0" in text
    code.write_text(text.replace("baseline=0.0", "baseline=0.9"), encoding="utf-8")
    capsys.readouterr()
    assert main(["game", "test", str(code.parent)]) == 1
    out = capsys.readouterr().out
    assert "BROKEN     blind-is-baseline" in out
    assert "1 of 11 laws are broken." in out


def test_a_game_that_cannot_be_used_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.yaml").write_text("name: x\nversion: 7\n", encoding="utf-8")
    assert main(["game", "show", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "game.yaml, line 2, version: got '7', expected a text" in said
    assert "expected a key 'files'" in said
    assert main(["game", "test", str(tmp_path / "nowhere")]) == 2
    assert "neither installed nor as a folder" in capsys.readouterr().err


def test_installed_games_are_found_by_their_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a wheel leaves them: a package, and a folder that describes the distribution."""
    main(["game", "new", "tengu", "--folder", str(tmp_path)])
    site = tmp_path / "tengu"
    described = site / "kakurenbo_game_tengu-1.0.dist-info"
    described.mkdir()
    metadata = "Metadata-Version: 2.1\nName: kakurenbo-game-tengu\nVersion: 1.0\n"
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    points = "[kakurenbo.games]\ntengu = tengu\nghost = no_such_package\nfar = no_such_package.game\n"
    (described / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    capsys.readouterr()
    assert main(["game", "list"]) == 0
    assert "tengu           1.0     tengu" in capsys.readouterr().out
    assert main(["game", "show", "tengu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "tengu"
    completion = "from dataclasses import replace\n"
    completion += "def completed(declared):\n    return replace(declared, title={'en': 'Long nose'})\n"
    (site / "tengu" / "declare.py").write_text(completion, encoding="utf-8")
    assert main(["game", "show", "tengu"]) == 0
    assert "Long nose" in capsys.readouterr().out
    # A folder that nobody installed is shown without running its code.
    assert main(["game", "show", str(site / "tengu")]) == 0
    assert "Long nose" not in capsys.readouterr().out


def test_a_completed_declaration_is_checked_like_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["game", "new", "twins", "--folder", str(tmp_path)])
    folder = tmp_path / "twins" / "twins"
    completion = "from dataclasses import replace\n"
    completion += "def completed(declared):\n    return replace(declared, measures=declared.measures * 2)\n"
    (folder / "declare.py").write_text(completion, encoding="utf-8")
    capsys.readouterr()
    assert main(["game", "test", str(folder)]) == 2
    assert "expected a name that is not used before" in capsys.readouterr().err


def test_the_games_of_the_house_are_entry_points_of_our_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    points = project["project"]["entry-points"]["kakurenbo.games"]
    folders = {path.parent.name for path in (ROOT / "games").glob("*/game.yaml")} - {"skeleton"}
    assert points == {name: f"games.{name}" for name in folders}
    described = tmp_path / "house-1.0.dist-info"
    described.mkdir()
    metadata = "Metadata-Version: 2.1\nName: house\nVersion: 1.0\n"
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (described / "entry_points.txt").write_text(f"[kakurenbo.games]\n{lines}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["game", "list"]) == 0
    out = capsys.readouterr().out
    assert "pwscup2016      1.0     PWSCUP 2016: people and their purchases" in out
    assert all(name in out for name in points)
    assert main(["game", "show", "pwscup2016", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files["M.csv (round)"].startswith("round, build: customer_id")
    assert files["M.csv (entry)"].startswith("entry, upload: customer_id")
    assert main(["game", "show", "pwscup2017", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["measures"]["e1"] and shown["methods"]["month-days"] and shown["rules"]["2026"]
