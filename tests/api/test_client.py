"""The command-line client against a site that is really served."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest

from contest.models import Contest, Entry, Team
from contest.services.board_versions import bump_board
from contest.services.tokens import create_token
from kakurenbo import exit_codes
from kakurenbo.client import ApiError, log_in_file
from kakurenbo.main import main
from tests.api.conftest import World, user
from tests.conftest import ROOT
from tests.factories import entry_files, work_off


@pytest.fixture
def site(live_server, world: World, tmp_path: Path, monkeypatch) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("kakurenbo.commands.status.POLL_SECONDS", 0.01)
    monkeypatch.chdir(tmp_path)
    return str(live_server.url)


@pytest.fixture
def logged_in(site: str, capsys: pytest.CaptureFixture[str]) -> str:
    secret = create_token(user("tanuki"), "laptop", ["read", "submit"], 7)
    assert main(["login", site, "--token", secret]) == 0
    assert "Logged in as tanuki" in capsys.readouterr().out
    return secret


def test_log_in_keeps_the_token_where_only_its_owner_reads_it(logged_in: str) -> None:
    assert stat.S_IMODE(log_in_file().stat().st_mode) == 0o600
    assert json.loads(log_in_file().read_text())["token"] == logged_in


def test_a_home_that_cannot_be_written_to_is_named(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").touch()
    secret = create_token(user("tanuki"), "laptop", ["read"], 7)
    assert main(["login", site, "--token", secret]) == 2
    assert "cannot be stored" in (told := capsys.readouterr().err) and "XDG_CONFIG_HOME" in told


def test_a_wrong_token_is_told_and_not_kept(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["login", site, "--token", "kkb_wrong"]) == 1
    assert "[token-unknown]" in capsys.readouterr().err
    assert not log_in_file().exists()
    assert main(["board"]) == 2
    assert "You are not logged in" in capsys.readouterr().err
    assert main(["login", "ftp://x", "--token", "t"]) == 2
    assert "must begin with https://" in capsys.readouterr().err
    assert main(["login", "http://127.0.0.1:1", "--token", "t"]) == 3
    assert "Cannot reach http://127.0.0.1:1" in capsys.readouterr().err


def test_an_entry_is_submitted_and_followed(
    logged_in: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "entry"
    folder.mkdir()
    for name, content in entry_files("swap", 9).items():
        (folder / name).write_bytes(content)
    assert main(["submit", str(folder), "--note", "ninth"]) == 0
    assert "of team Tanuki was received" in capsys.readouterr().out
    work_off()
    assert Entry.objects.get(note="ninth").state == "valid"
    assert main(["status", "--follow"]) == 0
    told = capsys.readouterr().out
    assert "valid 100 %" in told
    assert "Scored as team Tanuki." in told
    assert "ut-jaccard" in told
    assert main(["board"]) == 0
    board = capsys.readouterr().out
    assert "Tanuki  ← you" in board and "Kitsune" in board


def test_the_house_is_printed_without_a_place(
    logged_in: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    Team.objects.filter(pk=world.kitsune.pk).update(is_house=True)
    bump_board(world.round.pk)
    assert main(["board"]) == 0
    _head, *lines = capsys.readouterr().out.splitlines()
    assert {(line.split()[0], line.partition("Tanuki")[1]) for line in lines} == {("1", "Tanuki"), ("–", "")}
    assert [line for line in lines if line.endswith("  Kitsune  (house)")]
    assert main(["board", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["team"]: (row["rank"], row["is_house"]) for row in rows} == {
        "Tanuki": (1, False), "Kitsune": (None, True)
    }  # fmt: skip
    assert main(["board", "--attackers"]) == 0
    (line,) = capsys.readouterr().out.splitlines()[1:]
    assert line.split()[0] == "–"
    assert line.endswith("re-itemset  (house)")


def test_a_broken_entry_is_located(logged_in: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(world.draft.pk)]) == 1
    assert "M.csv, line 1" in capsys.readouterr().out


def test_targets_come_and_guesses_go(
    logged_in: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = Entry.objects.get(team=world.kitsune, is_official=True)
    assert main(["targets", "list"]) == 0
    assert f"{target.pk}" in capsys.readouterr().out
    assert main(["targets", "download", "--out", "t.zip"]) == 0
    assert f"{target.pk}/M.csv" in zipfile.ZipFile("t.zip").namelist()
    guess = tmp_path / f"{target.pk}.csv"
    guess.write_text("1\n" + "-\n" * (target.n_people - 1))
    capsys.readouterr()
    assert main(["attack", "submit", str(guess)]) == 0
    assert "guess file 1" in capsys.readouterr().out
    work_off()
    assert target.attack_runs.get(attack__team=world.tanuki).state == "done"
    assert main(["board", "--attackers"]) == 0
    assert "Tanuki" in capsys.readouterr().out
    program = tmp_path / "reidentify.py"
    program.write_text("print('no')\n")
    assert main(["attack", "submit", str(program), "--dry-run"]) == 1
    assert "[no-practice-entry]" in capsys.readouterr().err


def test_what_the_site_refuses_is_told_with_its_code(
    logged_in: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", str(tmp_path)]) == 2
    assert "Expected M.csv, T.csv, P.csv (2016); or AT.csv (2017)" in capsys.readouterr().err
    assert main(["status", "999999"]) == 1
    assert "[not-found]" in capsys.readouterr().err
    world.round.phases.filter(kind="anonymise").delete()
    archive = tmp_path / "e.zip"
    archive.write_bytes(b"x")
    assert main(["submit", str(archive)]) == 1
    assert "[phase-closed]" in capsys.readouterr().err


def test_the_kit_of_a_round_comes(logged_in: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", "download", "--out", "kit.zip"]) == 0
    assert "README.md" in capsys.readouterr().out
    names = zipfile.ZipFile("kit.zip").namelist()
    assert any(name.endswith("/data/M.csv") for name in names)
    assert main(["kit", "score"]) == 2
    assert "needs the folder of an entry" in capsys.readouterr().err


def test_a_public_board_needs_no_log_in(site: str, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--contest", world.round.contest.slug, "--round", world.round.slug]
    assert main(["board", "--site", site, *place]) == 0
    board = capsys.readouterr().out
    assert "Kitsune" in board and "you" not in board
    assert main(["board", "--attackers", "--site", site, *place]) == 0
    assert not log_in_file().exists()


def test_without_a_log_in_a_hidden_board_does_not_exist(
    site: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    Contest.objects.filter(pk=world.round.contest_id).update(is_public=False)
    place = ["--contest", world.round.contest.slug, "--round", world.round.slug]
    assert main(["board", "--site", site, *place]) == exit_codes.REFUSED
    assert "[not-found]" in capsys.readouterr().err


def test_a_site_that_is_asked_instead_gets_no_token(
    logged_in: str, site: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--contest", world.round.contest.slug, "--round", world.round.slug]
    assert main(["board", "--site", site, *place]) == 0
    assert "you" not in capsys.readouterr().out


NEEDS_A_SITE = (
    ["board"],
    ["status"],
    ["status", "1"],
    ["targets", "list"],
    ["targets", "download"],
    ["kit", "download"],
    ["house", "list"],
    ["house", "hide", "swap", "--submit"],
    ["submit", "entry.zip"],
    ["submit", "entry.zip", "--dry-run"],
    ["attack", "submit", "guess.csv"],
)
"""Every command that talks to a site, in each of its ways."""


@pytest.mark.parametrize("words", NEEDS_A_SITE, ids=" ".join)
def test_every_client_command_says_by_its_exit_code_what_went_wrong(
    words: list[str], logged_in: str, tmp_path: Path
) -> None:
    """The same call without a log-in, where the site refuses, and where there is no site."""
    for name in ("entry.zip", "guess.csv"):
        (tmp_path / name).write_bytes(b"x")
    stored = json.loads(log_in_file().read_text())
    nowhere = ["--contest", "nowhere", "--round", "none"]
    assert main([*words, *nowhere]) == exit_codes.REFUSED
    log_in_file().write_text(json.dumps({**stored, "url": "http://127.0.0.1:1"}))
    assert main([*words, *nowhere]) == exit_codes.UNREACHABLE
    log_in_file().unlink()
    assert main([*words, *nowhere]) == exit_codes.USAGE


def test_fetch_needs_a_log_in_a_site_and_a_round_of_a_game(logged_in: str) -> None:
    words = ["fetch", "--out", "round", "--contest", "nowhere", "--round", "none"]
    assert main(words) == exit_codes.USAGE
    stored = json.loads(log_in_file().read_text())
    log_in_file().write_text(json.dumps({**stored, "url": "http://127.0.0.1:1"}))
    assert main(words) == exit_codes.UNREACHABLE
    log_in_file().unlink()
    assert main(words) == exit_codes.USAGE


def test_a_server_that_fails_is_not_a_refusal() -> None:
    assert ApiError(503, "no-store", "Later.").exit_code == exit_codes.UNREACHABLE
    assert ApiError(422, "bad", "No.").exit_code == exit_codes.REFUSED


def test_the_exit_codes_are_in_the_help_and_in_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == exit_codes.DONE
    shown = " ".join(capsys.readouterr().out.split())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for code, meaning in exit_codes.MEANINGS.items():
        assert f"{code} {meaning}" in shown
        assert f"| {code} | {meaning} |" in readme
